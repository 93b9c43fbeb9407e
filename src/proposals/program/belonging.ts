import fs from 'node:fs'
import path from 'node:path'
import { shownName, sourceName } from '../../core/model/approval/names.ts'

/** The limits for sealing a folder as a whole. */
export const maxFolderFiles = 500
export const maxFolderBytes = 20 * 1024 * 1024
/** The limits of the walk that finds this out: subfolders, and names. */
const maxFolders = 500
const maxNames = 5000
const maxListedNames = 3

/** The folders that hook systems have for hooks, as the end of a path. The files in one belong together. */
const conventions = [
  '.claude',
  '.github',
  '.codex',
  '.gemini',
  '.cursor',
  '.factory',
  '.kimi',
  '.kimi-code',
  '.copilot',
  '.docker-agent',
].map((system) => `/${system}/hooks/`)

/** The hook system's folder in which a file lies. Undefined for any other file. */
export const conventionOf = (file: string): string | undefined => {
  const ends = conventions
    .map((convention) => file.indexOf(convention) + convention.length)
    .filter((end, index) => end >= (conventions[index]?.length ?? 0))
  const end = Math.min(...ends)
  return Number.isFinite(end) ? file.slice(0, end - 1) : undefined
}

/**
 * Names that no program needs: a repository's history, caches of an interpreter or a file browser, logs, and
 * files that are not complete yet.
 */
const isWaste = (name: string): boolean =>
  name === '.git' ||
  name === '__pycache__' ||
  name === '.DS_Store' ||
  /\.(?:pyc|log|pid|tmp|swp|hookgate-\w+)$/.test(name)

/**
 * Names of files that hold a secret. Every hook can read a seal, and every user of the machine can where
 * users are separate. So these files are sealed only when `files` of an entry lists them; `env` can give the
 * value instead.
 */
const isSecret = (name: string): boolean =>
  /^\.env(?!\.(?:example|sample|template)$)(?:\..*)?$|\.(?:pem|key|p12)$|^id_(?:rsa|ed25519|ecdsa)$|^\.netrc$|^credentials(?:\.json)?$/.test(
    name,
  )

/**
 * What hookgate itself writes into a workspace: its own folder, and what it copies into `config/`. It is no
 * part of a program, also when that is the whole workspace.
 */
const isOurs = (name: string): boolean =>
  /^(?:\.hookgate[^/]*|config\/(?:agent\.yaml|shell_hooks\.yaml|context\/(?:references|skills\/agent-hooks)))$/.test(
    name,
  )

export interface FolderFiles {
  /** Full paths, sorted. Empty when the folder is too large. */
  readonly files: readonly string[]
  /** True when it has more files or bytes than a seal takes. */
  readonly isTooLarge: boolean
  /** Sentences for the owner about files of the folder that are missing in the seal. */
  readonly omissions: readonly string[]
}

interface Walk {
  readonly files: string[]
  readonly links: string[]
  readonly secrets: string[]
  readonly unreadable: string[]
  hasModules: boolean
  isTooLarge: boolean
}

/** Reads only names and sizes, and stops at the limits, because somebody may have filled the folder. */
const walk = (folder: string, workspace: string, takesModules: boolean): Walk => {
  const found: Walk = {
    files: [],
    links: [],
    secrets: [],
    unreadable: [],
    hasModules: false,
    isTooLarge: false,
  }
  const folders = [folder]
  let [bytes, names] = [0, 0]
  // The list grows during the loop. The loop ends, because links are not followed.
  for (const currentFolder of folders) {
    let open: fs.Dir
    try {
      open = fs.opendirSync(currentFolder)
    } catch {
      found.unreadable.push(currentFolder)
      continue
    }
    try {
      for (let item = open.readSync(); item !== null; item = open.readSync()) {
        const file = path.join(currentFolder, item.name)
        names += 1
        const isModules = item.isDirectory() && item.name === 'node_modules'
        found.hasModules ||= isModules
        if (isWaste(item.name) || (isModules && !takesModules) || isOurs(path.relative(workspace, file)))
          continue
        if (item.isDirectory()) folders.push(file)
        else if (item.isSymbolicLink()) found.links.push(file)
        else if (!item.isFile()) found.unreadable.push(file)
        else if (isSecret(item.name)) found.secrets.push(file)
        else {
          found.files.push(file)
          bytes += fs.lstatSync(file, { throwIfNoEntry: false })?.size ?? 0
        }
        if (
          names <= maxNames &&
          found.files.length <= maxFolderFiles &&
          bytes <= maxFolderBytes &&
          folders.length <= maxFolders
        )
          continue
        found.isTooLarge = true
        return found
      }
    } finally {
      open.closeSync()
    }
  }
  return found
}

/**
 * Caches the files of folders during one inspection of one hook, which may ask for a folder several times.
 */
export const createFolderFiles = (workspace: string, recent?: Recent): ((folder: string) => FolderFiles) => {
  const known = new Map<string, FolderFiles>()
  return (folder) => {
    const found = known.get(folder) ?? recent?.folderFiles(folder) ?? folderFilesOf(folder, workspace)
    known.set(folder, found)
    recent?.note(folder, found)
    return found
  }
}

const recentMs = 500
/** A folder with fewer files is not cached across hooks. */
const fromFiles = 50
const maxRecentFiles = 4000

/**
 * Caches the files of large folders for a moment, so that many hooks in one folder need one walk. Only for
 * showing: an approval reads everything again and compares it with what was shown.
 */
export const createRecent = <T>(nowMs: () => number = () => performance.now()) => {
  const folders = new Map<string, { readonly atMs: number; readonly found: FolderFiles }>()
  const files = new Map<string, { readonly atMs: number; readonly found: T }>()
  const isFresh = (atMs: number): boolean => nowMs() - atMs < recentMs
  return {
    folderFiles: (folder: string): FolderFiles | undefined => {
      const known = folders.get(folder)
      return known !== undefined && isFresh(known.atMs) ? known.found : undefined
    },
    note: (folder: string, found: FolderFiles): void => {
      const known = folders.get(folder)
      if (found.files.length < fromFiles || (known !== undefined && isFresh(known.atMs))) return
      folders.set(folder, { atMs: nowMs(), found })
    },
    /**
     * Returns what `read` returns for a file. In a large folder, a result of the last moment is returned
     * instead.
     */
    file: (name: string, read: () => T, isGood: (found: T) => boolean): T => {
      const known = files.get(name)
      if (known !== undefined && isFresh(known.atMs)) return known.found
      const found = read()
      const isLarge = [...folders].some(
        ([folder, { atMs }]) => isFresh(atMs) && name.startsWith(`${folder}/`),
      )
      if (!isLarge || !isGood(found)) return found
      if (files.size >= maxRecentFiles) files.clear()
      files.set(name, { atMs: nowMs(), found })
      return found
    },
  }
}

type Recent = Pick<ReturnType<typeof createRecent>, 'folderFiles' | 'note'>

/**
 * The regular files of a folder, which belong to a hook's program. The walk is bounded, and `omissions`
 * reports what is left out.
 */
const folderFilesOf = (folder: string, workspace: string): FolderFiles => {
  const shown = (file: string): string => shownName(sourceName(workspace, file))
  const whole = walk(folder, workspace, true)
  const isCut = whole.isTooLarge && whole.hasModules
  const { files, links, secrets, unreadable, isTooLarge } = isCut ? walk(folder, workspace, false) : whole
  if (isTooLarge) {
    return {
      files: [],
      isTooLarge,
      omissions: [
        `${shown(folder)} has more than ${maxFolderFiles} files or ${maxFolderBytes / 1024 / 1024} MB, so it is not sealed as a whole`,
      ],
    }
  }
  const some = (all: readonly string[], why: string): readonly string[] => [
    ...all
      .toSorted()
      .slice(0, maxListedNames)
      .map((file) => `${shown(file)} ${why}`),
    ...(all.length > maxListedNames
      ? [`the same holds for ${all.length - maxListedNames} more files of ${shown(folder)}`]
      : []),
  ]
  return {
    files: files.toSorted(),
    isTooLarge,
    omissions: [
      ...(isCut
        ? [`the node_modules of ${shown(folder)} are too large to be sealed: the hook finds no package there`]
        : []),
      ...some(links, 'is a link, so it is not sealed'),
      ...some(unreadable, 'cannot be read as a file, so it is not sealed'),
      ...some(secrets, 'may hold a secret, so it is not sealed; give the hook what it needs with "env"'),
    ],
  }
}
