import { accessSync, constants, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Where links lead; the path itself when nothing is there. */
export const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

export const isUnder = (folder: string, path: string): boolean => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** From the outside in, without the root. */
export const foldersAbove = (path: string): readonly string[] => (dirname(path) === '/' ? [] : [...foldersAbove(dirname(path)), dirname(path)])

export const canChange = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const isLink = (path: string): boolean => {
  try {
    return readlinkSync(path) !== ''
  } catch {
    // No link, nothing there, or behind a door that is closed to this user.
    return false
  }
}

/** The links that a path leads through, each with where it ends. */
export const linksOn = (path: string): readonly (readonly [at: string, to: string])[] => {
  const link = [...foldersAbove(path), path].find(isLink)
  if (link === undefined || realOf(link) === link) return []
  return [[link, realOf(link)], ...linksOn(join(realOf(link), relative(link, path)))]
}
