import fs from 'node:fs'
import path from 'node:path'
import type { Entry } from '../../model/hooks/entry.ts'
import { conventionOf, type Belonging, type createBelonging } from '../program/belonging.ts'
import { standClass, standFor, topOf, type NamedFolders } from '../program/shell/folder-names.ts'
import { sourceName } from '../program/names.ts'
import type { ProgramPlaces, TextPart, ProgramWord } from '../program/program.ts'
import { placeInSeal } from './seal.ts'
import { namesIn } from '../program/shell/text-names.ts'
import { basesOf } from '../program/watched.ts'

/** A place in a text that names a file. */
interface Mention {
  readonly start: number
  readonly end: number
  /** Full path. */
  readonly file: string
}

const part = `[\\w@%+=:,.~-]`
/** A path, whatever stands around it; its folder may be a variable with quotes of its own. */
const pathPattern = new RegExp(
  `(?:\\\\?"[${standClass}]\\\\?"|[${standClass}])?/?${part}+(?:/${part}+)*/?|(?:\\\\?"[${standClass}]\\\\?"|[${standClass}])/?`,
  'g',
)
const quotes = /\\?"/g
/** Behind these the name goes on as only the shell knows it. */
const goesOn = /^(?:[$*?[{]|\\ )/

const maxLooks = 2000

const typeOf = (file: string): 'file' | 'folder' | undefined => {
  try {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false })
    return stat?.isDirectory() === true ? 'folder' : stat === undefined ? undefined : 'file'
  } catch {
    return undefined
  }
}

interface Mentions {
  readonly files: readonly Mention[]
  readonly folders: readonly Mention[]
  /** Folders out of which a file is named that only the shell knows. */
  readonly open: readonly Mention[]
}

/** Where a text names a file or a folder that is there; `bases` are the folders that its relative names are looked for in. */
const mentionsIn = (
  text: string,
  folders: NamedFolders,
  bases: readonly string[],
  env: Readonly<Record<string, string>>,
  kindOf = typeOf,
): Mentions => {
  const { put, at, path: pathOf } = standFor(text, folders, env)
  const files: Mention[] = []
  const inside: Mention[] = []
  const open: Mention[] = []
  let looks = 0
  const look = (name: string, start: number, end: number, isOpen = false): boolean => {
    // Text with more names than that is refused where what it leaves unsealed is looked for.
    if (++looks > maxLooks) return false
    const plain = pathOf(name.replaceAll(quotes, ''))
    if (plain === '' || plain.length > 4096) return false
    const found = [...new Set(bases.map((base) => path.resolve(base, plain)))].filter(
      (file) => kindOf(file) !== undefined,
    )
    const [file] = found
    // Where two folders have such a file only the shell knows which is meant.
    if (file === undefined || found.length > 1) return false
    const mention = { start: at(start), end: at(end), file }
    if (isOpen) open.push(mention)
    else if (kindOf(file) === 'file') files.push(mention)
    else inside.push(mention)
    return true
  }
  for (const { 0: name, index } of put.matchAll(pathPattern)) {
    const before = put.charAt(index - 1)
    if (index > 0 && '${}*?]'.includes(before)) continue
    const end = index + name.length
    if (goesOn.test(put.slice(end, end + 2))) {
      const last = name.lastIndexOf('/')
      // A file that the text writes is no part of what it runs.
      if (last > 0 && !/>\s{0,9}["']?$/.test(put.slice(Math.max(0, index - 12), index)))
        look(name.slice(0, last), index, index + last, true)
      continue
    }
    if (look(name, index, end)) continue
    // `--rules=./x`, `PATH=./a:./b`, `-d @./x`: a name can stand inside a word.
    for (const { 0: piece, index: inner } of name.matchAll(/[^=:,@]+/g))
      if (piece !== name) look(piece, index + inner, index + inner + piece.length)
  }
  return { files, folders: inside, open }
}

/** The text with the mentions that have a name in the seal in parts of their own. */
const partsOf = (
  text: string,
  mentions: readonly Mention[],
  nameOf: (file: string) => string | undefined,
): readonly TextPart[] => {
  const parts: TextPart[] = []
  let from = 0
  for (const { start, end, file } of mentions.toSorted((a, b) => a.start - b.start)) {
    const sealed = nameOf(file)
    if (sealed === undefined || start < from) continue
    if (start > from) parts.push(text.slice(from, start))
    parts.push({ sealed })
    from = end
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** What stands for a sealed copy while the rest of a text is looked at: no part of any name. */
const hole = '\uE00F'

/** A path that every shell reads as one word, in quotes or not. */
export const isPlain = (file: string): boolean => /^[\w@%+=:,./-]+$/.test(file)

const isUnder = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

const maxSaid = 5

/** The folders that a text can name, as its entry has them. */
const foldersFor = (
  { root, origin }: Pick<Entry, 'root' | 'origin'>,
  { workspace, person, cwd }: Pick<ProgramPlaces, 'workspace' | 'person'> & { readonly cwd: string },
): NamedFolders => {
  const top = topOf(cwd)
  return {
    project: workspace,
    origin: path.dirname(path.resolve(workspace, origin)),
    ...(top === undefined ? {} : { top }),
    ...(person === undefined ? {} : { home: person }),
    ...(root === undefined ? {} : { root: path.resolve(workspace, root) }),
  }
}

/** A shell's text with other paths where it names these files: what was checked stands where an agent could exchange it. */
export const renamed = (
  text: string,
  entry: Entry,
  paths: ReadonlyMap<string, string>,
  { workspace, cwd }: { readonly workspace: string; readonly cwd: string },
): { readonly text: string; readonly files: ReadonlySet<string> } => {
  const folders = foldersFor(entry, { workspace, cwd })
  const bases = basesOf([...namesIn(text, folders, entry.env).folders], cwd)
  // A name that another folder of the text has, too, may mean the file there.
  const kindOf = (file: string): 'file' | 'folder' | undefined => (paths.has(file) ? 'file' : typeOf(file))
  const { files } = mentionsIn(text, folders, bases, entry.env, kindOf)
  const parts = partsOf(text, files, (file) => paths.get(file))
  return {
    text: parts.map((one) => (typeof one === 'string' ? one : one.sealed)).join(''),
    files: new Set(files.map(({ file }) => file).filter((file) => paths.has(file))),
  }
}

interface Looking extends ProgramPlaces {
  readonly cwd: string
  readonly belonging: ReturnType<typeof createBelonging>
}

export interface SealedText {
  /** The shell's text: sealed copies stand where the entry's names their files. */
  readonly text: ProgramWord
  readonly sources: readonly string[]
  /** Folders out of which it names files that only the shell knows. */
  readonly folders: readonly string[]
  /** The text without what is sealed, and the folders that it can still name. */
  readonly rest: string
  readonly named: Partial<NamedFolders>
  readonly unsealed: readonly string[]
}

/**
 * Finds the files of a shell's text that belong to the hook: what lies in the folder that its system gives to hooks, what
 * `files` lists, and a program of the person's home, which no hook sees. However the text names them, their sealed copies
 * take that place. The variables of folders stay what they are, since a hook reads its project by them.
 */
export const sealText = (
  entry: Entry,
  listed: readonly string[],
  { workspace, person, seals, cwd, belonging: look }: Looking,
): SealedText => {
  const { command, env, root: rootName } = entry
  const at = (name: string): string => path.resolve(workspace, name)
  const root = rootName === undefined ? undefined : at(rootName)
  const folders = foldersFor(entry, { workspace, cwd, ...(person === undefined ? {} : { person }) })
  const named = {
    ...(folders.origin === undefined ? {} : { origin: folders.origin }),
    ...(folders.top === undefined ? {} : { top: folders.top }),
  }
  const names = namesIn(command, folders, env)
  const bases = basesOf([...names.folders], cwd)
  const placesOf = (some: Iterable<string>): ReadonlySet<string> =>
    new Set([...some].flatMap((name) => bases.map((base) => path.resolve(base, name))))
  const [written, changedTo, run] = [
    placesOf(names.written),
    placesOf(names.folders),
    placesOf([...names.runs, ...names.scripts, ...names.sourced]),
  ]

  const known = new Map<string, Belonging>()
  const belonging = (file: string): Belonging | undefined => {
    const folder =
      root !== undefined && isUnder(root, file) ? root : (conventionOf(`${file}/`) ?? conventionOf(file))
    if (folder === undefined) return undefined
    const found = look(folder)
    known.set(folder, found)
    return found
  }
  /** It lies in a folder that is sealed whole. */
  const isWhole = (file: string): boolean => belonging(file)?.isTooLarge === false
  const isInHome = (file: string): boolean =>
    person !== undefined && isUnder(person, file) && !isUnder(workspace, file)
  const isSealed = (file: string): boolean =>
    !written.has(file) &&
    (isWhole(file) || listed.includes(sourceName(workspace, file)) || (isInHome(file) && run.has(file)))
  const mentions = mentionsIn(command, folders, bases, env)
  const files = mentions.files.filter(({ file }) => isSealed(file))
  const inside = [...mentions.open, ...mentions.folders.filter(({ file }) => changedTo.has(file))].filter(
    ({ file }) => isWhole(file),
  )
  const odd = new Set<string>()
  const nameOf = (file: string): string => sourceName(workspace, file)
  const taken = [...files, ...inside].filter(({ file }) => {
    const place = path.join(seals ?? '/', placeInSeal(nameOf(file)))
    if (!isPlain(place)) odd.add(file)
    return isPlain(place)
  })
  const parts = partsOf(command, taken, nameOf)
  const rest = parts.map((one) => (typeof one === 'string' ? one : hole)).join('')
  const isRootSealed = root !== undefined && isWhole(root)
  const ofHome =
    person === undefined
      ? []
      : [...namesIn(rest, { project: workspace, home: person }, env).any].filter((name) =>
          isInHome(path.resolve(cwd, name)),
        )
  return {
    text: taken.length === 0 ? command : { text: parts },
    sources: [...new Set(files.filter((mention) => taken.includes(mention)).map(({ file }) => nameOf(file)))],
    folders: inside.filter((mention) => taken.includes(mention)).map(({ file }) => nameOf(file)),
    rest,
    named: { ...named, ...(root === undefined || isRootSealed ? {} : { root }) },
    unsealed: [
      ...[...known.values()].flatMap(({ isTooLarge, left }) => (isTooLarge ? left : [])),
      ...[...odd]
        .slice(0, maxSaid)
        .map((file) => `${file} is not sealed: a shell would not read the path of its copy as one word`),
      ...[...new Set(ofHome)]
        .slice(0, maxSaid)
        .map(
          (name) =>
            `${name.replace(person ?? '', '~')} is looked for in the home of hooks, which is not yours`,
        ),
    ],
  }
}
