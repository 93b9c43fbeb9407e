import { withFile } from '../disk/durable.ts'
import { webcrypto } from 'node:crypto'
import fs from 'node:fs'
import { codeOf, type Problem } from '../gate/problem.ts'
import { sha256, type SealedFile } from './canonical.ts'
import { isSystemStream } from './names.ts'

export const maxFileBytes = 16 * 1024 * 1024

export interface Source extends Omit<SealedFile, 'path'> {
  readonly content: Buffer
}

type Stat = fs.BigIntStats | undefined

/** The stat of the file itself, never of a link's target. */
export const statOf = (file: string): Stat => {
  try {
    return fs.lstatSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/**
 * True when the stat fields that change with a file's bytes are equal. The file's owner cannot set `ctime`
 * back.
 */
export const isSameStat = (a: Stat, b: Stat): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.ctimeNs === b.ctimeNs &&
  a.mtimeNs === b.mtimeNs &&
  a.ino === b.ino &&
  a.size === b.size &&
  a.mode === b.mode &&
  a.dev === b.dev

/**
 * The age in milliseconds from which a timestamp is reliable. A kernel updates timestamps once a tick (at
 * most 10 ms), so a fresher one may hide a second change in the same tick.
 */
export const settledAfterMs = 100
/**
 * True when the timestamp is reliable. A timestamp in the future comes from a clock that was set back; a
 * change from now on gets another one.
 */
export const isSettled = (stat: fs.BigIntStats): boolean =>
  Math.abs(Date.now() - Number(stat.ctimeNs / 1_000_000n)) > settledAfterMs

const problem = (shown: string, code: string, found: string, fix: string): { readonly problem: Problem } => ({
  problem: {
    code: `file.${code}`,
    message: `Expected "${shown}" to be a regular file that can be sealed, got ${found}.`,
    fix,
  },
})

export const openProblem = (shown: string, error: unknown): { readonly problem: Problem } => {
  const code = codeOf(error) ?? 'unknown error'
  if (code === 'ELOOP' || code === 'EMLINK') {
    return problem(shown, 'symlink', 'a symbolic link', 'Name the file that the link leads to.')
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return problem(
      shown,
      'missing',
      'nothing there',
      'Create the file or correct the path; it is relative to the workspace.',
    )
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return problem(
      shown,
      'unreadable',
      'a file that hookgate may not read',
      "Give hookgate's user the right to read it.",
    )
  }
  return problem(
    shown,
    'unreadable',
    `an error (${code})`,
    'Look at the file and the path; both must be ordinary.',
  )
}

const changed = (shown: string): { readonly problem: Problem } =>
  problem(shown, 'changed', 'one that changed while it was read', 'Try again when nothing writes to it.')

const kindProblem = (stat: fs.BigIntStats, shown: string): { readonly problem: Problem } =>
  stat.isDirectory()
    ? problem(shown, 'kind', 'a directory', 'Name a file in it.')
    : problem(
        shown,
        'kind',
        stat.isFIFO() ? 'a FIFO' : stat.isSocket() ? 'a socket' : 'a device',
        'Name a regular file.',
      )

/** The path of the open file. On Linux the descriptor gives it; elsewhere the path is resolved again. */
const openPathOf = (fd: number, file: string): string => {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return fs.realpathSync.native(file)
  }
}

/**
 * The problem when the open file is not the one at `file`: a link is on the way, or another file replaced it.
 * Undefined when it is.
 */
const linkProblem = (
  fd: number,
  file: string,
  shown: string,
  stat: fs.BigIntStats,
): { readonly problem: Problem } | undefined => {
  const openPath = openPathOf(fd, file)
  if (openPath.normalize() === file.normalize()) return undefined
  const there = statOf(file)
  if (there?.ino !== stat.ino || there.dev !== stat.dev) return changed(shown)
  return problem(
    shown,
    'symlink',
    `a path that leads through a symbolic link, to "${openPath}"`,
    'Name it by that path.',
  )
}

const readOpen = (
  fd: number,
  file: string,
  shown: string,
  read: typeof fs.readSync,
): Source | { readonly problem: Problem } => {
  const before = fs.fstatSync(fd, { bigint: true })
  if (!before.isFile()) return kindProblem(before, shown)
  const linked = linkProblem(fd, file, shown, before)
  if (linked !== undefined) return linked
  if (before.size > maxFileBytes) {
    return problem(
      shown,
      'size',
      `${before.size} bytes, more than ${maxFileBytes}`,
      'Make it smaller, or keep its data elsewhere.',
    )
  }
  // One byte more than the file has, so that a file that grows meanwhile is seen.
  const buffer = Buffer.allocUnsafe(Number(before.size) + 1)
  let length = 0
  while (length < buffer.length) {
    const count = read(fd, buffer, length, buffer.length - length, length)
    if (count === 0) break
    length += count
  }
  if (length !== Number(before.size) || !isSameStat(before, fs.fstatSync(fd, { bigint: true })))
    return changed(shown)
  const content = buffer.subarray(0, length)
  return { content, sha256: sha256(content), bytes: length, isExecutable: (before.mode & 0o111n) !== 0n }
}

/**
 * The reason why the file that was opened at this path may not be proposed, as the "got" part of a problem.
 */
export type Refuses = (descriptor: number, path: string) => string | undefined

/**
 * Reads a file for a seal through one descriptor. `file` is a full path. It never follows a link, neither at
 * the end of the path nor on the way to it. It never opens a device (opening one can do harm), never waits
 * for a FIFO's writer, and never returns the bytes of a file that changed meanwhile. `read` replaces the
 * system call in tests.
 */
export const readSource = (
  file: string,
  shown: string,
  read: typeof fs.readSync = fs.readSync,
  refuses?: Refuses,
): Source | { readonly problem: Problem } => {
  if (isSystemStream(file)) return problem(shown, 'kind', 'a stream of the system', 'Name a regular file.')
  const there = statOf(file)
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink()) return kindProblem(there, shown)
  try {
    return withFile(file, (fd) => {
      const refusal = refuses?.(fd, file)
      if (refusal !== undefined) return problem(shown, 'refused', refusal, 'Name a file of the workspace.')
      return readOpen(fd, file, shown, read)
    })
  } catch (error) {
    return openProblem(shown, error)
  }
}

/**
 * The current digest of the regular file at this full path, if it has this number of bytes; otherwise
 * undefined. The file is read and hashed off the caller's thread, and its stat is never used instead: a file
 * that is mapped into memory changes without a new timestamp.
 */
export const digestOf = async (file: string, bytes: number): Promise<string | undefined> => {
  if (isSystemStream(file) || statOf(file)?.isFile() !== true) return undefined
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
  const handle = await fs.promises.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const stat = await handle.stat({ bigint: true })
    if (!stat.isFile() || stat.size !== BigInt(bytes)) return undefined
    if (linkProblem(handle.fd, file, file, stat) !== undefined) return undefined
    // One byte more than the file has, so that a file that grows meanwhile is seen.
    const buffer = Buffer.allocUnsafe(bytes + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    if (length !== bytes) return undefined
    return Buffer.from(await webcrypto.subtle.digest('SHA-256', buffer.subarray(0, length))).toString('hex')
  } catch {
    // A file that cannot be read does not count as approved.
    return undefined
  } finally {
    await handle.close()
  }
}
