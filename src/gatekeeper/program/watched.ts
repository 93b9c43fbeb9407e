import fs from 'node:fs'
import path from 'node:path'
import { isSystemStream, shownName, sourceName } from './names.ts'
import { fail, type Outcome, type ProgramPlaces, type ProgramPlan } from './program.ts'
import { topOf, type NamedFolders } from './shell/folder-names.ts'
import type { CodeName, ScriptCode } from './code/code-finds.ts'
import { marks } from './shell/shell-values.ts'
import { namesIn, type TextNames } from './shell/text-names.ts'
import { foldersOf } from './tool.ts'

const maxTextUnits = 32 * 1024
const maxNames = 1000
const maxFolders = 2
/** Each costs a stat call before each run. */
const maxWatched = 64

export type Watched = Pick<ProgramPlan, 'watched' | 'absent' | 'unsealed'>
export const nothingWatched: Watched = { watched: [], absent: [], unsealed: [] }

interface Named {
  /** Program text, each searched for what it names. */
  readonly texts: readonly string[]
  /** Words that name files. */
  readonly names: readonly string[]
  /** The texts are for a shell: a path in them that leads nowhere yet may be run later. */
  readonly isShell: boolean
  /** Folders that the texts can name beside the project's. */
  readonly named?: Partial<NamedFolders>
  /** Some of what a text names is sealed, and stands in it no more. */
  readonly hasSealed?: boolean
}

type FileKind = 'file' | 'folder' | 'nothing' | 'other'

/** A link counts as a file unless it leads to a folder: it is refused where it would be read. */
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

/** A word that was surely meant as a path: a pattern, an address or a substitution (`s/a/b/`) is none. */
const isPath = (word: string): boolean =>
  /^[\w@%+=:,./-]+$/.test(word) &&
  !word.includes('://') &&
  !word.endsWith('/') &&
  (/^\.{0,2}\/|^\.[\w-]+\//.test(word) || /\/[\w@%+=,-]+\.\w+$/.test(word))

/** What an interpreter was given may have no slash; a variable or a pattern is no name. */
export const isName = (word: string): boolean => /^[\w@%+=:,./-]+$/.test(word) && !word.endsWith('/')

/** Where relative names are looked for: in the working folder and where the text changes to, each by itself and one behind the other. */
export const basesOf = (folders: readonly string[], cwd: string): readonly string[] => [
  ...new Set(
    folders
      .slice(0, maxFolders)
      .reduce((known, folder) => [...known, ...known.map((base) => path.resolve(base, folder))], [cwd]),
  ),
]

export const absentWords = (name: string): string =>
  `nothing is at ${shownName(name)}; a file that comes there stops the hook`

export const usedWords = (name: string): string =>
  `${shownName(name)} is used from where it lies; a change stops the hook`

/** Of what a script takes by its path nothing stands in a seal, nor in a copy of the gate's. */
export const heldWords = (name: string): string =>
  `${shownName(name)} is used from where it lies; a change stops the hook. ` +
  'Who changes it while the hook runs, and back at once, goes unseen'

const many = (what: string): { readonly problem: ReturnType<typeof fail>['problem'] } =>
  fail(
    'text',
    `Expected program text that names at most ${maxWatched} files in at most ${maxTextUnits} characters, got ${what}.`,
    'Move it into a script.',
  )

/**
 * The files that program text or words name, which run or are read from where they lie. Relative names are looked for
 * where the program would: in its working folder, and where the text changes to.
 */
export const findWatched = (
  { texts, names, isShell, named = {}, hasSealed = false }: Named,
  { workspace, path: searched, cwd }: ProgramPlaces & { readonly cwd: string },
  env: Readonly<Record<string, string>>,
): Outcome<Watched> => {
  const units = texts.reduce((sum, text) => sum + text.length, 0)
  if (units > maxTextUnits) return many(`${units} characters`)
  const read = texts.map((text) => namesIn(text, { project: workspace, ...named }, env))
  const all = (part: keyof TextNames): readonly string[] => [
    ...new Set(read.flatMap((one) => [...one[part]])),
  ]
  const any = [...new Set([...names, ...all('any')])]
  if (any.length > maxNames) return many(`${any.length} words`)

  const folders = all('folders')
  const bases = basesOf(folders, cwd)
  const places = (name: string): readonly string[] =>
    name.includes('\0') ? [] : [...new Set(bases.map((base) => path.resolve(base, name)))]
  const system = foldersOf(searched)
  const isSystem = (file: string): boolean =>
    isSystemStream(file) || system.some((folder) => file.startsWith(`${folder}/`))
  const written = new Set(all('written').flatMap(places))
  const isOurs = (file: string): boolean => !isSystem(file) && !written.has(file)

  const kinds = new Map<string, FileKind>()
  const kindOf = (file: string): FileKind => {
    const kind = kinds.get(file) ?? kindAt(file)
    kinds.set(file, kind)
    return kind
  }
  const watched = new Set(any.flatMap(places).filter((file) => isOurs(file) && kindOf(file) === 'file'))
  const paths = isShell
    ? [...new Set([...all('words').filter(isPath), ...all('scripts').filter(isName)])]
    : []
  const absent = new Set(
    paths
      .filter((name) => places(name).every((file) => kindOf(file) === 'nothing'))
      .flatMap(places)
      .filter(isOurs),
  )
  if (watched.size + absent.size > maxWatched) return many(`${watched.size + absent.size} files`)

  const name = (file: string): string => sourceName(workspace, file)
  const [kept, open, own] = [
    [...watched].map(name),
    [...absent].map(name),
    [...written].filter((file) => !isSystem(file) && kindOf(file) === 'file').map(name),
  ]
  return {
    watched: kept,
    absent: open,
    unsealed: [
      ...kept.map(usedWords),
      ...open.map(absentWords),
      ...own.map((file) => `${shownName(file)} is written by the hook itself and not watched`),
      ...(folders.length > maxFolders
        ? [
            `it changes to ${folders.length} folders; what it names is looked for in the first ${maxFolders} only`,
          ]
        : []),
      ...(texts.length === 0
        ? []
        : [
            kept.length === 0 && !hasSealed
              ? 'files named inside shell text are not sealed'
              : 'what else the text runs or reads is not sealed',
          ]),
    ],
  }
}

/** Where a name of a script's code leads. */
const placeOf = (name: string, cwd: string, top: string): string =>
  path.resolve(cwd, name.replace(marks.top, top).replace(marks.here, '.'))

export interface WatchedCode {
  readonly watched: readonly string[]
  readonly absent: readonly string[]
  /** What is run from where it lies, as it is then. */
  readonly runs: readonly string[]
}

/** Where code lies that scripts take from elsewhere: parts of them that are held to their bytes, and what they run. */
export const findCode = (
  scripts: readonly ScriptCode[],
  { workspace, path: searched, cwd }: ProgramPlaces & { readonly cwd: string },
): WatchedCode => {
  const system = foldersOf(searched)
  const top = topOf(cwd) ?? cwd
  const isOurs = (file: string): boolean => !isSystemStream(file) && !system.includes(path.dirname(file))
  const [watched, absent, runs] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const placesOf = ({ places }: CodeName): readonly string[] =>
    [...new Set(places.map((place) => placeOf(place, cwd, top)))].filter(isOurs)
  for (const one of scripts.flatMap(({ parts }) => parts)) {
    const places = placesOf(one)
    const there = places.filter((file) => kindAt(file) === 'file')
    for (const file of there) watched.add(sourceName(workspace, file))
    const open = there.length === 0 && one.isSure ? places.filter((file) => kindAt(file) === 'nothing') : []
    for (const file of open) absent.add(sourceName(workspace, file))
  }
  for (const one of scripts.flatMap(({ runs }) => runs)) {
    const places = placesOf(one)
    const file = places.find((place) => kindAt(place) === 'file') ?? (one.isSure ? places[0] : undefined)
    if (file !== undefined) runs.add(sourceName(workspace, file))
  }
  return { watched: [...watched], absent: [...absent], runs: [...runs] }
}
