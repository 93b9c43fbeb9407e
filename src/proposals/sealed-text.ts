import type { TextPart, ProgramWord, RenameFiles } from '../core/model/approval/approved.ts'
import fs from 'node:fs'
import path from 'node:path'
import type { Entry } from '../core/model/hooks/entry.ts'
import { conventionOf, type FolderFiles, type createFolderFiles } from './program/belonging.ts'
import { placeholderClass, withPlaceholders, topOf, type NamedFolders } from './program/shell/folder-names.ts'
import { sourceName, isPlain, pathInSeal } from '../core/model/approval/names.ts'
import type { ProgramContext } from './program/program.ts'
import { openedNames } from './program/shell/opened-names.ts'
import { namesIn } from './program/shell/text-names.ts'
import { basesOf } from './program/watched.ts'

/** A range of a text that names a file. */
interface Mention {
  readonly start: number
  readonly end: number
  /** The full path. */
  readonly file: string
}

const part = `[\\w@%+=:,.~-]`
/** A path in a text, whatever surrounds it. Its folder may be a variable with its own quotes. */
const pathPattern = new RegExp(
  `(?:\\\\?"[${placeholderClass}]\\\\?"|[${placeholderClass}])?/?${part}+(?:/${part}+)*/?|(?:\\\\?"[${placeholderClass}]\\\\?"|[${placeholderClass}])/?`,
  'g',
)
const quotes = /\\?"/g
/** Before these characters a name continues with a part that only the shell knows. */
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
  /** Names of files that have to stay as they are, because the text may join them to a folder. */
  readonly left: readonly Mention[]
  readonly files: readonly Mention[]
  readonly folders: readonly Mention[]
  /** Folders from which the text names a file that only the shell knows. */
  readonly open: readonly Mention[]
}

/**
 * Finds the ranges of a text that name an existing file or folder. `bases` are the folders in which relative
 * names are looked for.
 */
const mentionsIn = (
  text: string,
  folders: NamedFolders,
  bases: readonly string[],
  env: Readonly<Record<string, string>>,
  kindOf = typeOf,
): Mentions => {
  const { replaced, at, path: pathOf } = withPlaceholders(text, folders, env)
  const files: Mention[] = []
  const left: Mention[] = []
  const inside: Mention[] = []
  const open: Mention[] = []
  const isOpened = openedNames(text)
  let looks = 0
  const look = (name: string, start: number, end: number, isOpen = false): boolean => {
    // A text with more names is refused later, when its unsealed files are looked for.
    if (++looks > maxLooks) return false
    const plain = pathOf(name.replaceAll(quotes, ''))
    if (plain === '' || plain.length > 4096) return false
    const found = [...new Set(bases.map((base) => path.resolve(base, plain)))].filter(
      (file) => kindOf(file) !== undefined,
    )
    const [file] = found
    // When two folders have such a file, only the shell knows which one is meant.
    if (file === undefined || found.length > 1) return false
    const mention = { start: at(start), end: at(end), file }
    if (!isOpened(mention.start, mention.end)) left.push(mention)
    else if (isOpen) open.push(mention)
    else if (kindOf(file) === 'file') files.push(mention)
    else inside.push(mention)
    return true
  }
  for (const { 0: name, index } of replaced.matchAll(pathPattern)) {
    const before = replaced.charAt(index - 1)
    if (index > 0 && '${}*?]'.includes(before)) continue
    const end = index + name.length
    if (goesOn.test(replaced.slice(end, end + 2))) {
      const last = name.lastIndexOf('/')
      // A file that the text writes is not part of what it runs.
      if (last > 0 && !/>\s{0,9}["']?$/.test(replaced.slice(Math.max(0, index - 12), index)))
        look(name.slice(0, last), index, index + last, true)
      continue
    }
    if (look(name, index, end)) continue
    // A name can be a part of a word, as in `--rules=./x`, `PATH=./a:./b` and `-d @./x`.
    for (const { 0: piece, index: inner } of name.matchAll(/[^=:,@]+/g))
      if (piece !== name) look(piece, index + inner, index + inner + piece.length)
  }
  return { files, left, folders: inside, open }
}

/** Splits the text into parts, with the mentions that have a name in the seal as sealed parts. */
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

/** The placeholder of a sealed copy while the rest of a text is inspected. It is part of no name. */
const sealedPlaceholder = '\uE00F'

const isUnder = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

const maxRemarks = 5

/** The folders that the text of an entry can name. */
const foldersFor = (
  { root, origin }: Pick<Entry, 'root' | 'origin'>,
  { workspace, person, cwd }: Pick<ProgramContext, 'workspace' | 'person'> & { readonly cwd: string },
): NamedFolders => {
  const top = topOf(cwd)
  return {
    project: workspace,
    origin: path.dirname(path.resolve(workspace, origin)),
    top,
    home: person,
    root: root === undefined ? undefined : path.resolve(workspace, root),
  }
}

/**
 * Replaces the paths of files in a shell's text by other paths, so that the shell uses checked copies that an
 * agent cannot replace. `left` are files that it also uses at their own path.
 */
export const renamed: RenameFiles = (text, entry, paths, { workspace, cwd }) => {
  const folders = foldersFor(entry, { workspace, cwd })
  const bases = basesOf([...namesIn(text, folders, entry.env).folders], cwd)
  // A name that also exists in another folder of the text may mean that file.
  const kindOf = (file: string): 'file' | 'folder' | undefined => (paths.has(file) ? 'file' : typeOf(file))
  const { files, left } = mentionsIn(text, folders, bases, entry.env, kindOf)
  const parts = partsOf(text, files, (file) => paths.get(file))
  return {
    text: parts.map((one) => (typeof one === 'string' ? one : one.sealed)).join(''),
    files: new Set(files.map(({ file }) => file).filter((file) => paths.has(file))),
    left: left.map(({ file }) => file),
  }
}

interface SealTextOptions extends ProgramContext {
  readonly cwd: string
  readonly folderFiles: ReturnType<typeof createFolderFiles>
}

export interface SealedText {
  /** The shell's text, with sealed copies in place of the files that the entry names. */
  readonly text: ProgramWord
  readonly sources: readonly string[]
  /** Folders from which the text names files that only the shell knows. */
  readonly folders: readonly string[]
  /** The text without the sealed parts, and the folders that it can still name. */
  readonly rest: string
  readonly named: Partial<NamedFolders>
  readonly unsealed: readonly string[]
}

/**
 * Finds the files in a shell's text that belong to the hook: files in the folder that its system gives to
 * hooks, files that `files` lists, and programs in the person's home, which no hook can see. Sealed copies
 * replace them in the text, in whatever form the text names them. Variables of folders stay, because a hook
 * finds its project by them.
 */
export const sealText = (
  entry: Entry,
  listed: readonly string[],
  { workspace, person, seals, cwd, folderFiles: look }: SealTextOptions,
): SealedText => {
  const { command, env, root: rootName } = entry
  const at = (name: string): string => path.resolve(workspace, name)
  const root = rootName === undefined ? undefined : at(rootName)
  const folders = foldersFor(entry, { workspace, cwd, person })
  const names = namesIn(command, folders, env)
  const bases = basesOf([...names.folders], cwd)
  const fullPathsOf = (some: Iterable<string>): ReadonlySet<string> =>
    new Set([...some].flatMap((name) => bases.map((base) => path.resolve(base, name))))
  const [written, changedTo, run] = [
    fullPathsOf(names.written),
    fullPathsOf(names.folders),
    fullPathsOf([...names.runs, ...names.scripts, ...names.sourced]),
  ]

  const known = new Map<string, FolderFiles>()
  const folderFiles = (file: string): FolderFiles | undefined => {
    const folder =
      root !== undefined && isUnder(root, file) ? root : (conventionOf(`${file}/`) ?? conventionOf(file))
    if (folder === undefined) return undefined
    const found = look(folder)
    known.set(folder, found)
    return found
  }
  /** True for a file in a folder that is sealed as a whole. */
  const isWhole = (file: string): boolean => folderFiles(file)?.isTooLarge === false
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
  const unquotable = new Set<string>()
  const nameOf = (file: string): string => sourceName(workspace, file)
  const taken = [...files, ...inside].filter(({ file }) => {
    const sealedPath = path.join(seals ?? '/', pathInSeal(nameOf(file)))
    if (!isPlain(sealedPath)) unquotable.add(file)
    return isPlain(sealedPath)
  })
  const parts = partsOf(command, taken, nameOf)
  const rest = parts.map((one) => (typeof one === 'string' ? one : sealedPlaceholder)).join('')
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
    named: { origin: folders.origin, top: folders.top, root: isRootSealed ? undefined : root },
    unsealed: [
      ...[...known.values()].flatMap(({ isTooLarge, omissions }) => (isTooLarge ? omissions : [])),
      ...[...unquotable]
        .slice(0, maxRemarks)
        .map((file) => `${file} is not sealed: a shell would not read the path of its copy as one word`),
      ...[...new Set(ofHome)]
        .slice(0, maxRemarks)
        .map(
          (name) =>
            `${name.replace(person ?? '', '~')} is looked for in the hooks' home, which is not your home`,
        ),
    ],
  }
}
