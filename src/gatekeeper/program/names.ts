import fs from 'node:fs'
import path from 'node:path'

/** A file's name in approvals: relative inside the workspace, absolute outside. */
export const sourceName = (workspace: string, file: string): string => {
  const relative = path.relative(workspace, file)
  if (relative === '') return '.'
  return relative === '..' || relative.startsWith(`..${path.sep}`) ? file : relative
}

/** A file's name as a sentence says it: never to be taken for a program of the PATH. */
export const shownName = (name: string): string => (path.isAbsolute(name) ? name : `./${name}`)

/** The system's own streams and facts (`/dev/stdin`): nothing there can be held to its bytes. */
export const isSystemStream = (file: string): boolean => /^\/(?:dev|proc|sys)\//.test(file)

/**
 * The full path of what `word` names, relative to `folder`; undefined when nothing or a directory is there, and for
 * the system's own streams. Links are not followed.
 */
export const namedFile = (folder: string, word: string): string | undefined => {
  if (word === '') return undefined
  const file = path.resolve(folder, word)
  if (isSystemStream(file)) return undefined
  try {
    return fs.lstatSync(file).isDirectory() ? undefined : file
  } catch {
    // Nothing there, or no name that could be: program text can be longer than any path.
    return undefined
  }
}

/** Whether a file lies in `folder`, the folders on its way followed through links. */
export const leadsInto = (folder: string, file: string): boolean => {
  try {
    const way = path.relative(fs.realpathSync(folder), fs.realpathSync(path.dirname(file)))
    return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
  } catch {
    // Nothing is there.
    return false
  }
}
