import fs from 'node:fs'
import path from 'node:path'

/** A file's name in approvals: relative to the workspace, or absolute outside it. */
export const sourceName = (workspace: string, file: string): string => {
  const relative = path.relative(workspace, file)
  if (relative === '') return '.'
  return relative === '..' || relative.startsWith(`..${path.sep}`) ? file : relative
}

/** A file's name in a sentence, written so that it is not mistaken for a program of the PATH. */
export const shownName = (name: string): string => (path.isAbsolute(name) ? name : `./${name}`)

/** True for streams and facts of the system (`/dev/stdin`), whose bytes cannot be compared. */
export const isSystemStream = (file: string): boolean => /^\/(?:dev|proc|sys)\//.test(file)

/**
 * The full path of the file that `word` names, relative to `folder`. Undefined for a directory, for a missing
 * file and for the system's streams. Links are not followed.
 */
export const namedFile = (folder: string, word: string): string | undefined => {
  if (word === '') return undefined
  const file = path.resolve(folder, word)
  if (isSystemStream(file)) return undefined
  try {
    return fs.lstatSync(file).isDirectory() ? undefined : file
  } catch {
    // Nothing is there, or the text is longer than any path.
    return undefined
  }
}

/** True when a file lies in `folder`, after the links in the folders of both paths are resolved. */
export const leadsInto = (folder: string, file: string): boolean => {
  try {
    const way = path.relative(fs.realpathSync(folder), fs.realpathSync(path.dirname(file)))
    return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
  } catch {
    // Nothing is there.
    return false
  }
}

/** The path of a file inside its seal. */
export const pathInSeal = (name: string): string =>
  path.isAbsolute(name) ? `_outside${path.normalize(name)}` : name

/** True for a path that every shell reads as one word, with or without quotes. */
export const isPlain = (file: string): boolean => /^[\w@%+=:,./-]+$/.test(file)

/**
 * True when two files would have the same path in a seal, because of a workspace folder named `_outside`.
 * Then they cannot both be sealed.
 */
export const hasClash = (names: readonly string[]): boolean =>
  new Set(names.map(pathInSeal)).size !== names.length
