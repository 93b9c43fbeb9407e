import fs from 'node:fs'
import path from 'node:path'
import type { Inside } from './inside.ts'
import { shownName, sourceName } from '../../core/model/approval/names.ts'
import { namedFile } from '../../shared/gate/names.ts'

/**
 * The maximum number of files that are found this way, in addition to those that `files` lists and its folder
 * holds.
 */
const maxClosure = 64
const maxLevels = 3
const maxRemarks = 5
const code = /\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|mts|rb|pl|lua|php|jq|awk)$/
/** Folders whose files a hook usually inspects. They are not part of its program. */
const projectFolders = new Set([
  'src',
  'app',
  'lib64',
  'test',
  'tests',
  'docs',
  'dist',
  'build',
  'public',
  'packages',
  'node_modules',
  'coverage',
  'tmp',
  'log',
  'logs',
])

/** The code files in a folder and its direct subfolders, chosen by name. Links are not followed. */
const codeIn = (folder: string, maxFound: number): readonly string[] => {
  try {
    const found: string[] = []
    for (const item of fs
      .readdirSync(folder, { withFileTypes: true })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (item.isDirectory() && found.length < maxFound && !item.name.startsWith('.'))
        found.push(...codeInFlat(path.join(folder, item.name)))
      else if (item.isFile() && code.test(item.name)) found.push(path.join(folder, item.name))
    }
    return found.slice(0, maxFound)
  } catch {
    return []
  }
}

const codeInFlat = (folder: string): readonly string[] => {
  try {
    return fs
      .readdirSync(folder, { withFileTypes: true })
      .flatMap((item) => (item.isFile() && code.test(item.name) ? [path.join(folder, item.name)] : []))
      .toSorted()
  } catch {
    return []
  }
}

const otherPath = 'Its sealed copy has another path.'
const linkedPath =
  'Its sealed copy has another path, with links to what lies there at approval. What comes later is not found.'

/** The same remark about a program whose seal has links to the project. */
export const withLinks = (remark: string): string => remark.replace(otherPath, linkedPath)

type InspectedFile = Inside & { readonly path: string }

export interface Closure {
  /** The names of the found files, in the order in which they were found. */
  readonly names: readonly string[]
  /** Sentences for the owner. */
  readonly remarks: readonly string[]
}

/**
 * Finds the files that a program and its parts look for beside themselves. For a script that looks above its
 * folder, only code files are taken there, because the rest is the project. `take` reads a file, or returns
 * the reason why it cannot be sealed.
 */
export const closeOver = (
  own: readonly InspectedFile[],
  isKnown: (name: string) => boolean,
  workspace: string,
  readPart: (name: string) => InspectedFile | string,
): Closure => {
  const names: string[] = []
  const remarks: string[] = []
  const queue = [...own]
  const tried = new Set<string>()
  const isAbove = (file: string): boolean => path.relative(workspace, file).startsWith('../')
  const add = (file: string, by: InspectedFile): boolean => {
    const name = sourceName(workspace, file)
    if (isKnown(name) || names.includes(name)) return true
    if (tried.has(name)) return false
    tried.add(name)
    if (names.length >= maxClosure) {
      remarks.push(
        `${shownName(name)} is not sealed, but ${path.basename(by.path)} seems to look for it in its own folder. List it under "files".`,
      )
      return false
    }
    const taken = readPart(name)
    if (typeof taken === 'string') {
      remarks.push(
        `${shownName(name)} is not sealed, but ${path.basename(by.path)} seems to look for it in its own folder: ${taken}`,
      )
      return false
    }
    names.push(name)
    queue.push(taken)
    return true
  }
  // The list grows during the loop.
  for (const by of queue) {
    const folder = path.resolve(workspace, path.dirname(by.path))
    let hasClimbed = false
    for (const name of by.beside) {
      const file = namedFile(folder, name)
      if (file !== undefined && (isAbove(folder) || !isAbove(file))) add(file, by)
      if (!by.isClimbing || !code.test(name)) continue
      for (let level = 1; level <= maxLevels; level++) {
        const above = namedFile(path.resolve(folder, '../'.repeat(level)), name)
        if (above === undefined || isAbove(above)) continue
        hasClimbed ||= add(above, by)
        break
      }
    }
    for (const name of by.besideFolders) {
      if (projectFolders.has(name)) continue
      for (let level = 0; level <= (by.isClimbing ? maxLevels : 0); level++) {
        const candidate = path.resolve(folder, '../'.repeat(level), name)
        if (isAbove(candidate) || candidate === folder) continue
        const found = codeIn(candidate, maxClosure - names.length)
        for (const file of found) add(file, by)
        hasClimbed ||= level > 0 && found.length > 0
        if (found.length > 0) break
      }
    }
    if (by.isClimbing && !hasClimbed && own.includes(by)) {
      remarks.push(
        `${path.basename(by.path)} seems to look for files relative to its own path. ${otherPath} Let it look in its working folder, which is in the project.`,
      )
    }
  }
  return { names, remarks: [...new Set(remarks)].slice(0, maxRemarks) }
}
