import { accessSync, constants, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Where links lead; the path itself when nothing is there. */
export const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

export const isUnder = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** From the outside in, without the root. */
export const foldersAbove = (path: string): readonly string[] =>
  dirname(path) === '/' ? [] : [...foldersAbove(dirname(path)), dirname(path)]

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

/** As many links as Linux follows in one path. */
const maxLinks = 40

/** Every folder that holds a link on the way of a path, the links that a link leads through included. */
export const foldersOfLinks = (path: string): readonly string[] => {
  const found: string[] = []
  for (let at = path; found.length <= maxLinks;) {
    const link = [...foldersAbove(at), at].find(isLink)
    if (link === undefined) break
    found.push(dirname(link))
    at = resolve(dirname(link), readlinkSync(link), relative(link, at))
  }
  return found
}

/** The links that a path leads through, each with where it ends. */
export const linksOn = (path: string): readonly (readonly [at: string, to: string])[] => {
  const link = [...foldersAbove(path), path].find(isLink)
  if (link === undefined || realOf(link) === link) return []
  return [[link, realOf(link)], ...linksOn(join(realOf(link), relative(link, path)))]
}
