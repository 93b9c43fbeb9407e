import { pathInSeal } from '../../model/approval/names.ts'
import { syncFolder, syncFolderLater } from '../../model/disk/durable.ts'
import type { ProgramWord } from '../../model/approval/approved.ts'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Problem } from '../../model/gate/problem.ts'
import type { SealedFile } from '../../model/approval/canonical.ts'
import { linkBeside } from './beside-links.ts'
import { readSource } from '../../model/approval/source-file.ts'

const foldersOf = (files: readonly Pick<SealedFile, 'path'>[]): readonly string[] => {
  const folders = new Set<string>()
  for (const file of files) {
    for (let dir = path.dirname(pathInSeal(file.path)); dir !== '.'; dir = path.dirname(dir)) folders.add(dir)
  }
  return [...folders].toSorted()
}

/** Every path that the check of a seal inspects: the seal's folder, its folders and its files. */
export const pathsOf = (dir: string, files: readonly SealedFile[]): readonly string[] => [
  dir,
  ...[...foldersOf(files), ...files.map((file) => pathInSeal(file.path))].map((inner) =>
    path.join(dir, inner),
  ),
]

/** The maximum number of folders of a seal with links, those at the top first. */
const maxLinked = 8

/**
 * The folders of a seal that may have links to the project. A folder with sealed files has none, nor has one
 * below it, because an interpreter loads what lies beside a script.
 */
const linkedFolders = (files: readonly SealedFile[]): readonly string[] => {
  const full = [...new Set(files.map((file) => path.dirname(pathInSeal(file.path))))]
  if (full.includes('.')) return []
  const depthOf = (folder: string): number => folder.split('/').length
  return ['.', ...foldersOf(files).toSorted((a, b) => depthOf(a) - depthOf(b))]
    .filter((folder) => ![...full, '_outside'].some((one) => `${folder}/`.startsWith(`${one}/`)))
    .slice(0, maxLinked)
}

/** Names from which interpreters load code or settings by themselves, in the folders above a script. */
const isSelfLoaded = /^(?:node_modules|__pycache__|\.pnp\..*)$/i
const isSelfLoadedByNode = /^(?:package|[jt]sconfig.*|deno|bunfig)\.(?:jsonc?|toml)$/i
const isNoJavaScript = /\.(?:sh|bash|zsh|py|json|ya?ml|toml|txt|md|jq)$/

/** The links from a seal to the project. */
export interface ProjectLinks {
  readonly workspace: string
  /** The names that no link may have, with or without an extension. */
  readonly unlinked: readonly string[]
}

/** The links of an approval's seal. Undefined when it may have none. */
export const linksOf = (
  { unlinked }: Partial<ProjectLinks>,
  { workspace }: Pick<ProjectLinks, 'workspace'>,
): ProjectLinks | undefined => (unlinked === undefined ? undefined : { workspace, unlinked })

/** The names of a folder of the project that a seal may link. */
const isLinkedFor = (
  files: readonly SealedFile[],
  { unlinked }: Pick<ProjectLinks, 'unlinked'>,
): ((name: string) => boolean) => {
  const isOfNode = !files.every((file) => isNoJavaScript.test(file.path))
  const code = new Set(unlinked.map((name) => name.toLowerCase()))
  return (name) => {
    const plain = name.toLowerCase()
    const isCode = code.has(plain) || code.has(plain.replace(/(?!^)\..*$/, ''))
    return !isCode && !isSelfLoaded.test(name) && !(isOfNode && isSelfLoadedByNode.test(name))
  }
}

const linkTarget = (file: string): string | undefined =>
  fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true ? fs.readlinkSync(file) : undefined

/**
 * Puts links to the project into a seal that has none yet, where the project lies above the sealed files. A
 * script finds there what it looks for by its own path.
 */
export const linkProject = (dir: string, files: readonly SealedFile[], links: ProjectLinks): void => {
  const folders = linkedFolders(files)
  const namesIn = (folder: string): readonly string[] => fs.readdirSync(path.join(dir, folder))
  const made = (): readonly string[] =>
    folders
      .flatMap((folder) => namesIn(folder).map((name) => path.join(dir, folder, name)))
      .filter((file) => linkTarget(file) !== undefined)
  if (made().length > 0) return
  const isLinked = isLinkedFor(files, links)
  try {
    for (const folder of folders) {
      const own = new Set(namesIn(folder))
      const isFree = (name: string): boolean => isLinked(name) && !own.has(name)
      linkBeside(path.join(dir, folder), path.join(links.workspace, folder), isFree)
    }
  } catch (error) {
    for (const file of made()) fs.rmSync(file)
    throw error
  }
}

/**
 * The paths in a seal that were neither sealed nor linked. An unexpected folder counts once, with everything
 * in it.
 */
const extrasIn = (
  dir: string,
  files: readonly SealedFile[],
  links: ProjectLinks | undefined,
): readonly string[] => {
  const linked = new Set(links === undefined ? [] : linkedFolders(files))
  const isLinked = links === undefined ? () => false : isLinkedFor(files, links)
  const isLink = (inner: string): boolean =>
    linked.has(path.dirname(inner)) &&
    isLinked(path.basename(inner)) &&
    linkTarget(path.join(dir, inner)) === path.join(links?.workspace ?? '', inner)
  const folders = new Set(['.', ...foldersOf(files)])
  const paths = new Set(files.map((file) => pathInSeal(file.path)))
  return [...folders].flatMap((folder) =>
    fs
      .readdirSync(path.join(dir, folder))
      .map((name) => path.join(folder, name))
      .filter((inner) => !folders.has(inner) && !paths.has(inner) && !isLink(inner)),
  )
}

export interface SealFinding {
  /** The change that was found, as a text. Absent when every sealed byte is as approved. */
  readonly tampered?: string
  /** The unsealed paths that were found in the seal and removed. */
  readonly removed: readonly string[]
}

/**
 * Compares a seal with its approval, byte for byte. Everything else in the seal is removed: it could replace
 * sealed code (a module beside a script), or be harmless (Python's cache, a file that a hook writes beside
 * itself). Only links to the same places of the project stay. Yields after each file, so that the caller can
 * take a turn.
 */
export const inspectSealInSteps = function* (
  dir: string,
  files: readonly SealedFile[],
  links?: ProjectLinks,
): Generator<void, SealFinding> {
  const removed: string[] = []
  try {
    const folders = ['.', ...foldersOf(files)]
    const nonFolder = folders.find((folder) => !fs.lstatSync(path.join(dir, folder)).isDirectory())
    if (nonFolder !== undefined) return { tampered: `"${nonFolder}" is no longer a folder`, removed }
    for (const extra of extrasIn(dir, files, links)) {
      fs.rmSync(path.join(dir, extra), { recursive: true, force: true })
      removed.push(extra)
    }
  } catch (error) {
    return { tampered: error instanceof Error ? error.message : String(error), removed }
  }
  for (const file of files) {
    const source = readSource(path.join(dir, pathInSeal(file.path)), file.path)
    if ('problem' in source) return { tampered: source.problem.message, removed }
    if (source.sha256 !== file.sha256) return { tampered: `"${file.path}" has other bytes`, removed }
    if (source.isExecutable !== file.isExecutable)
      return { tampered: `"${file.path}" has another executable bit`, removed }
    yield
  }
  return { removed }
}

/** Inspects a seal without a pause. */
export const inspectSeal = (dir: string, files: readonly SealedFile[], links?: ProjectLinks): SealFinding => {
  const steps = inspectSealInSteps(dir, files, links)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

type SealContent = SealedFile & { readonly content: Buffer }

/**
 * Writes the files of a seal to a fresh folder and returns its name. Everything in it is on disk when this
 * resolves. Other users can read and execute the files; only the gate's user can write them. One file is
 * written after the other, because a slow disk must not take every thread that the gate's other file work
 * needs. A start removes what a crash leaves.
 */
export const writeFreshSeal = async (root: string, files: readonly SealContent[]): Promise<string> => {
  const fresh = path.join(root, `.new-${randomUUID()}`)
  const folders = [fresh, ...foldersOf(files).map((folder) => path.join(fresh, folder))]
  try {
    for (const folder of folders) {
      await fs.promises.mkdir(folder)
      // The process's umask must not restrict what the hooks' user can read.
      await fs.promises.chmod(folder, 0o755)
    }
    for (const file of files) {
      const handle = await fs.promises.open(path.join(fresh, pathInSeal(file.path)), 'wx', 0o600)
      try {
        await handle.writeFile(file.content)
        await handle.chmod(file.isExecutable ? 0o555 : 0o444)
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
    for (const folder of folders) await syncFolderLater(folder)
    return fresh
  } catch (error) {
    await removeFreshSeal(fresh)
    throw error
  }
}

export const removeFreshSeal = (fresh: string): Promise<void> =>
  fs.promises.rm(fresh, { recursive: true, force: true })

/** Removes the seal of a fingerprint that no approval in force has. */
export const removeSeal = (root: string, fingerprint: string): Promise<void> =>
  fs.promises.rm(path.join(root, fingerprint), { recursive: true, force: true })

/** Makes a fresh folder `seal/<fingerprint>/`, which must not exist. It is on disk when this returns. */
export const placeSeal = (root: string, fingerprint: string, fresh: string): void => {
  fs.renameSync(fresh, path.join(root, fingerprint))
  syncFolder(root)
}

/**
 * The problem of a sealed program without an interpreter that cannot start from its seal. Undefined when it
 * can.
 */
export const stuckProblem = (
  root: string,
  { fingerprint, words: [first] }: { readonly fingerprint: string; readonly words: readonly ProgramWord[] },
): Problem | undefined => {
  if (typeof first !== 'object' || 'text' in first) return undefined
  try {
    fs.accessSync(path.join(root, fingerprint, pathInSeal(first.sealed)), fs.constants.X_OK)
    return undefined
  } catch {
    return {
      code: 'seal.noexec',
      message: `No program can start from "${root}", because it is mounted noexec.`,
      fix: 'Mount it without noexec, or choose another folder with HOOKGATE_HOME. Scripts that name their interpreter still run.',
    }
  }
}

const stopper = 'package.json'

/**
 * Node uses the nearest `package.json` above a `.js`, and others may write above the seals. An empty one in
 * the seals' folder ends that search and sets nothing.
 */
export const stopSearchAbove = (root: string): void => {
  const file = path.join(root, stopper)
  const source = readSource(file, stopper)
  if (!('problem' in source) && source.content.toString() === '{}') return
  fs.rmSync(file, { recursive: true, force: true })
  fs.writeFileSync(file, '{}', { flag: 'wx' })
  fs.chmodSync(file, 0o444)
}

/**
 * Removes seals without an approval and leftovers of a crash. Called only at start, when no hook runs from a
 * seal.
 */
export const sweepSeals = (
  root: string,
  live: ReadonlySet<string>,
  log: (level: 'warn', what: string, fields: Readonly<Record<string, string>>) => void,
): void => {
  for (const name of fs.readdirSync(root)) {
    if (live.has(name) || name === stopper) continue
    try {
      fs.rmSync(path.join(root, name), { recursive: true, force: true })
    } catch (error) {
      log('warn', 'an old seal could not be removed', { name, error: String(error) })
    }
  }
}
