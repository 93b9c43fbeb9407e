import { basename, dirname, join, relative } from 'node:path'
import { canChange, foldersAbove, isUnder, realOf } from './paths.ts'

/** Of the home never shown, whatever PATH names: profiles of browsers, sessions, and sockets that lead out. */
const ownersOwn = new Set(['.config', '.mozilla', '.cache', '.hookgate', 'snap', '.docker', '.rd'])
/** What a folder of PATH needs beside it, where more than that lies beside it. */
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

/** The folder above a `bin` or `shims` of the home (`~/.pyenv/shims` → `~/.pyenv`), else the one that PATH names. */
const inHome = (way: string): readonly string[] => {
  if (ownersOwn.has(way.split('/')[0] ?? '')) return []
  const above = dirname(way)
  return known[way] ?? [/^(?:\.?s?bin|shims)$/.test(basename(way)) && !shared.has(above) ? above : way]
}

/**
 * What is only to be read so that the programs of PATH run, and so that they are still the owner's when the owner runs
 * them: of a home that is not there the folders that they need, elsewhere the outermost one that the user could change.
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
