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

/** The path of a file inside its seal. */
export const pathInSeal = (name: string): string =>
  path.isAbsolute(name) ? `_outside${path.normalize(name)}` : name

/** True for a path that every shell reads as one word, with or without quotes. */
export const isPlain = (file: string): boolean => /^[\w@%+=:,./-]+$/.test(file)
