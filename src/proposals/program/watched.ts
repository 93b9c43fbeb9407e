import fs from 'node:fs'
import path from 'node:path'
import { isSystemStream, shownName, sourceName } from '../../core/model/approval/names.ts'
import { fail, type Outcome, type ProgramContext, type ProgramPlan } from './program.ts'
import { topOf, type NamedFolders } from './shell/folder-names.ts'
import type { CodeName, ScriptCode } from './code/code-finds.ts'
import { marks } from './shell/shell-values.ts'
import { namesIn, type TextNames } from './shell/text-names.ts'
import { foldersOf } from './tool.ts'

const maxTextUnits = 32 * 1024
const maxNames = 1000
const maxFolders = 2
/** The maximum number of watched and absent paths. Each costs a stat call before each run. */
const maxWatched = 64

export type Watched = Pick<ProgramPlan, 'watched' | 'absent' | 'unsealed'>
export const nothingWatched: Watched = { watched: [], absent: [], unsealed: [] }

interface ProgramTexts {
  /** Program texts, each searched for names. */
  readonly texts: readonly string[]
  /** Words that name files. */
  readonly names: readonly string[]
  /** True when the texts are for a shell, which may later run a path that does not exist yet. */
  readonly isShell: boolean
  /** Folders that the texts can name, in addition to the project's. */
  readonly named?: Partial<NamedFolders>
  /** True when sealed files were removed from the texts. */
  readonly hasSealed?: boolean
}

type FileKind = 'file' | 'folder' | 'nothing' | 'other'

/** A link counts as a file unless it leads to a folder. Reading it as a file is refused later. */
const kindAt = (file: string): FileKind => {
  try {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stat === undefined) return 'nothing'
    if (stat.isSymbolicLink())
      return fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true ? 'folder' : 'file'
    return stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other'
  } catch {
    return 'nothing'
  }
}

/** True for a word that is clearly a path, and not a pattern, a URL or a substitution (`s/a/b/`). */
const isPath = (word: string): boolean =>
  /^[\w@%+=:,./-]+$/.test(word) &&
  !word.includes('://') &&
  !word.endsWith('/') &&
  (/^\.{0,2}\/|^\.[\w-]+\//.test(word) || /\/[\w@%+=,-]+\.\w+$/.test(word))

/** True for a file name, with or without a slash. False for a variable or a pattern. */
export const isName = (word: string): boolean => /^[\w@%+=:,./-]+$/.test(word) && !word.endsWith('/')

/**
 * The folders in which relative names are looked for: the working folder, each folder to which the text
 * changes, and combinations of these.
 */
export const basesOf = (folders: readonly string[], cwd: string): readonly string[] => [
  ...new Set(
    folders
      .slice(0, maxFolders)
      .reduce((known, folder) => [...known, ...known.map((base) => path.resolve(base, folder))], [cwd]),
  ),
]

export const absentWords = (name: string): string =>
  `nothing is at ${shownName(name)}; a file that appears there stops the hook`

export const usedWords = (name: string): string =>
  `${shownName(name)} is used at its own path; a change stops the hook`

/** The sentence for a file that a script loads by its path. It is neither sealed nor copied. */
export const heldWords = (name: string): string =>
  `${shownName(name)} is used at its own path; a change stops the hook. ` +
  'A change that is undone while the hook runs goes unnoticed'

const tooMany = (what: string): { readonly problem: ReturnType<typeof fail>['problem'] } =>
  fail(
    'text',
    `Expected program text that names at most ${maxWatched} files in at most ${maxTextUnits} characters, got ${what}.`,
    'Move it into a script.',
  )

/**
 * Finds the unsealed files that program texts or words name. Relative names are looked for where the program
 * would look: in its working folder, and in the folders to which the text changes.
 */
export const findWatched = (
  { texts, names, isShell, named = {}, hasSealed = false }: ProgramTexts,
  { workspace, path: searched, cwd }: ProgramContext & { readonly cwd: string },
  env: Readonly<Record<string, string>>,
): Outcome<Watched> => {
  const units = texts.reduce((sum, text) => sum + text.length, 0)
  if (units > maxTextUnits) return tooMany(`${units} characters`)
  const read = texts.map((text) => namesIn(text, { project: workspace, ...named }, env))
  const all = (part: keyof TextNames): readonly string[] => [
    ...new Set(read.flatMap((one) => [...one[part]])),
  ]
  const any = [...new Set([...names, ...all('any')])]
  if (any.length > maxNames) return tooMany(`${any.length} words`)

  const folders = all('folders')
  const bases = basesOf(folders, cwd)
  const candidates = (name: string): readonly string[] =>
    name.includes('\0') ? [] : [...new Set(bases.map((base) => path.resolve(base, name)))]
  const system = foldersOf(searched)
  const isSystem = (file: string): boolean =>
    isSystemStream(file) || system.some((folder) => file.startsWith(`${folder}/`))
  const written = new Set(all('written').flatMap(candidates))
  const isOurs = (file: string): boolean => !isSystem(file) && !written.has(file)

  const kinds = new Map<string, FileKind>()
  const kindOf = (file: string): FileKind => {
    const kind = kinds.get(file) ?? kindAt(file)
    kinds.set(file, kind)
    return kind
  }
  const watched = new Set(any.flatMap(candidates).filter((file) => isOurs(file) && kindOf(file) === 'file'))
  const paths = isShell
    ? [...new Set([...all('words').filter(isPath), ...all('scripts').filter(isName)])]
    : []
  const absent = new Set(
    paths
      .filter((name) => candidates(name).every((file) => kindOf(file) === 'nothing'))
      .flatMap(candidates)
      .filter(isOurs),
  )
  if (watched.size + absent.size > maxWatched) return tooMany(`${watched.size + absent.size} files`)

  const name = (file: string): string => sourceName(workspace, file)
  const [watchedNames, open, own] = [
    [...watched].map(name),
    [...absent].map(name),
    [...written].filter((file) => !isSystem(file) && kindOf(file) === 'file').map(name),
  ]
  return {
    watched: watchedNames,
    absent: open,
    unsealed: [
      ...watchedNames.map(usedWords),
      ...open.map(absentWords),
      ...own.map((file) => `${shownName(file)} is written by the hook itself, so it is not watched`),
      ...(folders.length > maxFolders
        ? [
            `it changes to ${folders.length} folders; hookgate looks for its files only in the first ${maxFolders}`,
          ]
        : []),
      ...(texts.length === 0
        ? []
        : [
            watchedNames.length === 0 && !hasSealed
              ? 'files named inside shell text are not sealed'
              : 'other files that the text runs or reads are not sealed',
          ]),
    ],
  }
}

/** The full path of a name in a script's code. */
const codePathOf = (name: string, cwd: string, top: string): string =>
  path.resolve(cwd, name.replace(marks.top, top).replace(marks.here, '.'))

export interface FoundCode {
  readonly watched: readonly string[]
  readonly absent: readonly string[]
  /** Files that are run at their own path and not watched. */
  readonly runs: readonly string[]
}

/**
 * Finds the files with code that scripts use: parts of the scripts, which are watched, and files that they
 * run.
 */
export const findCode = (
  scripts: readonly ScriptCode[],
  { workspace, path: searched, cwd }: ProgramContext & { readonly cwd: string },
): FoundCode => {
  const system = foldersOf(searched)
  const top = topOf(cwd) ?? cwd
  const isOurs = (file: string): boolean => !isSystemStream(file) && !system.includes(path.dirname(file))
  const [watched, absent, runs] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const pathsOf = ({ candidates }: CodeName): readonly string[] =>
    [...new Set(candidates.map((candidate) => codePathOf(candidate, cwd, top)))].filter(isOurs)
  for (const one of scripts.flatMap(({ parts }) => parts)) {
    const candidates = pathsOf(one)
    const there = candidates.filter((file) => kindAt(file) === 'file')
    for (const file of there) watched.add(sourceName(workspace, file))
    const open =
      there.length === 0 && one.isSure ? candidates.filter((file) => kindAt(file) === 'nothing') : []
    for (const file of open) absent.add(sourceName(workspace, file))
  }
  for (const one of scripts.flatMap(({ runs }) => runs)) {
    const candidates = pathsOf(one)
    const file =
      candidates.find((candidate) => kindAt(candidate) === 'file') ?? (one.isSure ? candidates[0] : undefined)
    if (file !== undefined) runs.add(sourceName(workspace, file))
  }
  return { watched: [...watched], absent: [...absent], runs: [...runs] }
}
