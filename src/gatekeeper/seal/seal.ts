import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Problem } from '../../model/gate/problem.ts'
import type { SealedFile } from './canonical.ts'
import { syncFolder } from '../ledger/durable.ts'
import type { ProgramWord } from '../program/program.ts'
import { readSource } from './source-file.ts'

/** Where a file stands inside its seal. */
export const placeInSeal = (name: string): string =>
  path.isAbsolute(name) ? `_outside${path.normalize(name)}` : name

/** Two files of one seal in the same place (a workspace folder named `_outside`) cannot both be sealed. */
export const hasClash = (names: readonly string[]): boolean =>
  new Set(names.map(placeInSeal)).size !== names.length

const foldersOf = (files: readonly Pick<SealedFile, 'path'>[]): readonly string[] => {
  const folders = new Set<string>()
  for (const file of files) {
    for (let dir = path.dirname(placeInSeal(file.path)); dir !== '.'; dir = path.dirname(dir))
      folders.add(dir)
  }
  return [...folders].toSorted()
}

/** Every path of a seal that its check looks at: the folder itself, its folders, its files. */
export const pathsOf = (dir: string, files: readonly SealedFile[]): readonly string[] => [
  dir,
  ...[...foldersOf(files), ...files.map((file) => placeInSeal(file.path))].map((inner) =>
    path.join(dir, inner),
  ),
]

/** What lies in a seal and was not sealed. A folder that should not be there counts once, with all that it holds. */
const extrasIn = (dir: string, files: readonly SealedFile[]): readonly string[] => {
  const folders = new Set(['.', ...foldersOf(files)])
  const places = new Set(files.map((file) => placeInSeal(file.path)))
  return [...folders].flatMap((folder) =>
    fs
      .readdirSync(path.join(dir, folder))
      .map((name) => path.join(folder, name))
      .filter((inner) => !folders.has(inner) && !places.has(inner)),
  )
}

export interface SealFinding {
  /** What was tampered with, in words; absent: every sealed byte is as approved. */
  readonly tampered?: string
  /** What was found beside the sealed files, and removed. */
  readonly removed: readonly string[]
}

/**
 * Compares a seal with its approval, byte for byte. Whatever else lies in it is removed: it could replace sealed code
 * (a module beside a script), and it may be innocent (Python's cache, a hook that writes beside itself).
 */
export const inspectSeal = (dir: string, files: readonly SealedFile[]): SealFinding => {
  const removed: string[] = []
  try {
    const folders = ['.', ...foldersOf(files)]
    const odd = folders.find((folder) => !fs.lstatSync(path.join(dir, folder)).isDirectory())
    if (odd !== undefined) return { tampered: `"${odd}" is no folder any more`, removed }
    for (const extra of extrasIn(dir, files)) {
      fs.rmSync(path.join(dir, extra), { recursive: true, force: true })
      removed.push(extra)
    }
  } catch (error) {
    return { tampered: error instanceof Error ? error.message : String(error), removed }
  }
  for (const file of files) {
    const source = readSource(path.join(dir, placeInSeal(file.path)), file.path)
    if ('problem' in source) return { tampered: source.problem.message, removed }
    if (source.sha256 !== file.sha256) return { tampered: `"${file.path}" has other bytes`, removed }
    if (source.isExecutable !== file.isExecutable)
      return { tampered: `"${file.path}" has another executable bit`, removed }
  }
  return { removed }
}

/** Writes `seal/<fingerprint>/`, whole or not at all. Others can read and execute it, and only the gate's user can write. */
export const writeSeal = (
  root: string,
  fingerprint: string,
  files: readonly (SealedFile & { readonly content: Buffer })[],
): void => {
  const target = path.join(root, fingerprint)
  if (fs.existsSync(target) && inspectSeal(target, files).tampered === undefined) return
  const fresh = path.join(root, `.new-${randomUUID()}`)
  const folders = [fresh, ...foldersOf(files).map((folder) => path.join(fresh, folder))]
  try {
    for (const folder of folders) {
      fs.mkdirSync(folder)
      // The process's umask must not decide what the hooks' user can read.
      fs.chmodSync(folder, 0o755)
    }
    for (const file of files) {
      const fd = fs.openSync(path.join(fresh, placeInSeal(file.path)), 'wx', 0o600)
      try {
        fs.writeFileSync(fd, file.content)
        fs.fchmodSync(fd, file.isExecutable ? 0o555 : 0o444)
        fs.fsyncSync(fd)
      } finally {
        fs.closeSync(fd)
      }
    }
    for (const folder of folders) syncFolder(folder)
    // Only what no approval uses is ever in the way: a damaged seal of an approved hook is lockdown.
    fs.rmSync(target, { recursive: true, force: true })
    fs.renameSync(fresh, target)
    syncFolder(root)
  } catch (error) {
    fs.rmSync(fresh, { recursive: true, force: true })
    throw error
  }
}

/** A sealed program that has no interpreter must be able to start from its seal. */
export const stuckProblem = (
  root: string,
  { fingerprint, words: [first] }: { readonly fingerprint: string; readonly words: readonly ProgramWord[] },
): Problem | undefined => {
  if (typeof first !== 'object' || 'text' in first) return undefined
  try {
    fs.accessSync(path.join(root, fingerprint, placeInSeal(first.sealed)), fs.constants.X_OK)
    return undefined
  } catch {
    return {
      code: 'seal.noexec',
      message: `Expected "${root}" to be a folder that programs can start from, got one that is mounted noexec.`,
      fix: 'Mount it without noexec, or choose another folder with HOOKGATE_HOME. Scripts that name their interpreter run all the same.',
    }
  }
}

const stopper = 'package.json'

/**
 * Node reads a `.js` by the next `package.json` above it, and above the seals others may write. An empty one says
 * nothing, and nothing above it is looked for.
 */
export const stopSearchAbove = (root: string): void => {
  const file = path.join(root, stopper)
  const source = readSource(file, stopper)
  if (!('problem' in source) && source.content.toString() === '{}') return
  fs.rmSync(file, { recursive: true, force: true })
  fs.writeFileSync(file, '{}', { flag: 'wx' })
  fs.chmodSync(file, 0o444)
}

/** Removes seals that no approval uses and leftovers of a crash. Only at start, when no hook runs from one. */
export const sweepSeals = (
  root: string,
  live: ReadonlySet<string>,
  log: (level: 'warn', what: string, fields: Readonly<Record<string, string>>) => void,
): void => {
  for (const name of fs.readdirSync(root)) {
    if (live.has(name) || name === stopper) continue
    try {
      fs.rmSync(path.join(root, name), { recursive: true, force: true })
    } catch (error) {
      log('warn', 'an old seal could not be removed', { name, error: String(error) })
    }
  }
}
