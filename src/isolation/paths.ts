import { accessSync, constants, readlinkSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Resolves the links of a path. Returns the path itself if nothing exists there. */
export const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

export const isUnder = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** Returns the folders above a path, the outermost first, without the root. */
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
    // The path is not a link, does not exist, or lies in a folder that this user cannot enter.
    return false
  }
}

/** Linux follows at most this many links in one path. */
const maxLinks = 40

/** Returns every folder that holds a link on a path, including the links that other links lead through. */
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

/** Returns the links on a path, each with its target. */
export const linksOn = (path: string): readonly (readonly [at: string, to: string])[] => {
  const link = [...foldersAbove(path), path].find(isLink)
  if (link === undefined || realOf(link) === link) return []
  return [[link, realOf(link)], ...linksOn(join(realOf(link), relative(link, path)))]
}
