import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A repository as git finds it from a folder inside it. */
export interface Repository {
  readonly workTree: string
  /** The folder of this work tree alone: its `.git`, or the folder that a file of that name leads to. */
  readonly gitDir: string
  /** The folder that it shares with other work trees. The same as `gitDir` when there are no others. */
  readonly commonDir: string
}

/** The most that is read of a git file that holds one path. */
const maxPathBytes = 4096

/**
 * The first bytes of a regular file as text. Empty when there is none. Another kind of file is never waited
 * for.
 */
export const readStart = (path: string, maxBytes: number): string => {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    return ''
  }
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return ''
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes))
    let length = 0
    for (let more = -1; more !== 0 && length < bytes.length; length += more)
      more = readSync(descriptor, bytes, length, bytes.length - length, null)
    return bytes.toString('utf8', 0, length)
  } catch {
    return ''
  } finally {
    closeSync(descriptor)
  }
}

const statOf = (path: string, look: typeof statSync): Stats | undefined => {
  try {
    return look(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const markOf = ({ dev, ino, size, ctimeMs }: Stats): string => `${dev}:${ino}:${size}:${ctimeMs}`

/**
 * A stamp that changes with the file at a path and with the target of a link. Empty when nothing is there.
 */
export const stampOf = (path: string): string => {
  const stats = statOf(path, lstatSync)
  if (stats === undefined) return ''
  const led = stats.isSymbolicLink() ? statOf(path, statSync) : undefined
  return led === undefined ? markOf(stats) : `${markOf(stats)}:${markOf(led)}`
}

const isFolder = (path: string): boolean => statOf(path, statSync)?.isDirectory() === true

/** The nearest `.git`, a file or a folder, in this folder or above it. */
export const findDotGit = (folder: string): string | undefined => {
  for (let at = folder; ; at = dirname(at)) {
    const dotGit = join(at, '.git')
    if (statOf(dotGit, lstatSync) !== undefined) return dotGit
    if (dirname(at) === at) return undefined
  }
}

/**
 * True when the owner of `.git` also owns the folders that it leads to. Hooks may read files that the agent
 * cannot. Without this check, a `.git` that the agent wrote could lead to such files, and a hook that tells a
 * branch or a commit would tell the agent about them.
 */
const isOwned = (dotGit: string, { gitDir, commonDir }: Repository): boolean => {
  const owner = statOf(dotGit, lstatSync)?.uid
  return [gitDir, commonDir, join(commonDir, 'objects'), join(commonDir, 'refs')].every(
    (path) => statOf(path, statSync)?.uid === owner,
  )
}

/**
 * The repository of that `.git`, or of one further up where git would continue. Undefined when git finds none
 * or refuses it.
 */
export const repositoryOf = (dotGit: string): Repository | undefined => {
  const workTree = dirname(dotGit)
  const isOwn = isFolder(dotGit)
  const [, named] = isOwn
    ? [undefined, dotGit]
    : (/^gitdir: ([^\n\r\0]+)/.exec(readStart(dotGit, maxPathBytes)) ?? [])
  if (named === undefined) return undefined
  const gitDir = resolve(workTree, named)
  const shared = readStart(join(gitDir, 'commondir'), maxPathBytes).trim()
  const commonDir = resolve(gitDir, shared)
  const isWhole =
    statOf(join(gitDir, 'HEAD'), lstatSync) !== undefined &&
    ['objects', 'refs'].every((name) => isFolder(join(commonDir, name)))
  const found = { workTree, gitDir, commonDir }
  if (isWhole) return isOwned(dotGit, found) ? found : undefined
  const above = isOwn && dirname(workTree) !== workTree ? findDotGit(dirname(workTree)) : undefined
  return above === undefined ? undefined : repositoryOf(above)
}
