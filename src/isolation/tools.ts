import { basename, dirname, join, relative } from 'node:path'
import { canChange, foldersAbove, isUnder, realOf } from './paths.ts'

/**
 * Folders of the home that are never shown, whatever PATH names. They hold browser profiles, sessions, and
 * sockets that lead out of the sandbox.
 */
const ownersOwn = new Set(['.config', '.mozilla', '.cache', '.hookgate', 'snap', '.docker', '.rd'])
/** Folders that the programs of a PATH folder need, where the folder above holds more than those. */
const known: Readonly<Record<string, readonly string[]>> = {
  '.local/bin': [
    '.local/bin',
    '.local/lib',
    '.local/pipx',
    '.local/share/pipx',
    '.local/share/uv/tools',
    '.local/share/uv/python',
  ],
  '.cargo/bin': ['.cargo/bin', '.rustup'],
  'go/bin': ['go/bin'],
}
const shared = new Set(['.', '.local', '.local/share'])

/**
 * Returns the folder above a `bin` or `shims` of the home (`~/.pyenv/shims` → `~/.pyenv`), or else the PATH
 * folder itself.
 */
const inHome = (way: string): readonly string[] => {
  if (ownersOwn.has(way.split('/')[0] ?? '')) return []
  const above = dirname(way)
  return known[way] ?? [/^(?:\.?s?bin|shims)$/.test(basename(way)) && !shared.has(above) ? above : way]
}

/**
 * Returns the folders that the programs of PATH need. They are mounted read-only, so that an agent cannot
 * change programs that the owner runs. In a hidden home these are the needed folders; elsewhere it is the
 * outermost folder that the user could change.
 */
export const toolFolders = (path: readonly string[], homes: readonly string[]): readonly string[] =>
  path
    .filter((folder) => folder.startsWith('/'))
    .map(realOf)
    .flatMap((folder) => {
      const home = homes.find((one) => isUnder(one, folder))
      if (home === folder) return []
      if (home !== undefined) return inHome(relative(home, folder)).map((way) => join(home, way))
      return [...foldersAbove(folder), folder].filter(canChange).slice(0, 1)
    })
