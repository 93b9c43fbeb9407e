import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { WatchedFile } from './canonical.ts'
import { isSameStat, statOf } from './source-file.ts'
import { placeInSeal } from './seal.ts'

/** So many other files of a folder are to be found beside a copy, however often somebody adds some. */
const maxBeside = 200

/** Behind the fingerprint: where the checked bytes of what a hook uses from where it lies stand. */
const suffix = '.checked'

export const checkedFolder = (seals: string, fingerprint: string): string =>
  path.join(seals, `${fingerprint}${suffix}`)

/** What stands there from an approval that was revoked says nothing about the next one. */
export const dropChecked = (seals: string, fingerprint: string): void =>
  fs.rmSync(checkedFolder(seals, fingerprint), { recursive: true, force: true })

const namesOf = (folder: string): readonly string[] => {
  try {
    const names: string[] = []
    const open = fs.opendirSync(folder)
    try {
      for (let one = open.readSync(); one !== null && names.length < maxBeside; one = open.readSync())
        names.push(one.name)
    } finally {
      open.closeSync()
    }
    return names
  } catch {
    // What cannot be read has nothing that a copy could find.
    return []
  }
}

/**
 * The gate's own copies of watched files: a hook runs the bytes that were compared, whatever lies at their place by
 * then. Beside a copy stand links to what lay beside the file when it was approved, since a script finds its neighbours
 * by its own path. What comes there later is not linked: an interpreter would load it as a part of the script.
 */
export const createCheckedCopies = (dir: string, workspace: string, watched: readonly WatchedFile[]) => {
  const kept = new Map<string, ReturnType<typeof statOf>>()
  const copies = new Set(watched.map(({ path: name }) => placeInSeal(name)))
  /** Folders that lead to a copy: they are the gate's own, too. */
  const ways = new Set(
    [...copies].flatMap((name) => {
      const up: string[] = []
      for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder)) up.push(folder)
      return up
    }),
  )

  const makeFolder = (root: string, folder: string): void => {
    fs.mkdirSync(folder, { recursive: true })
    // The process's umask must not decide what the hooks' user can read.
    for (let at = folder; at.startsWith(root); at = path.dirname(at)) fs.chmodSync(at, 0o755)
  }

  const linkIn = (fresh: string, name: string, linked: Set<string>): void => {
    // Outside the workspace only its own folder: what lies above is the system's.
    const isOutside = path.isAbsolute(name)
    for (let folder = path.dirname(name); ; folder = path.dirname(folder)) {
      const inner = folder === '.' ? '' : placeInSeal(folder)
      if (!linked.has(folder)) {
        linked.add(folder)
        const ours = path.join(fresh, inner)
        const theirs = path.resolve(workspace, folder)
        makeFolder(fresh, ours)
        const others = namesOf(theirs).filter(
          (one) => ![copies, ways].some((own) => own.has(path.normalize(path.join(inner, one)))),
        )
        for (const one of others) fs.symlinkSync(path.join(theirs, one), path.join(ours, one))
      }
      if (isOutside || folder === '.') return
    }
  }

  return {
    pathOf: (name: string): string => path.join(dir, placeInSeal(name)),
    /** Makes the folder with its links, once for an approval. Whole or not at all. */
    prepare: (): void => {
      if (fs.existsSync(dir)) return
      const fresh = `${dir}.${randomUUID()}`
      const linked = new Set<string>()
      try {
        makeFolder(fresh, fresh)
        for (const { path: name } of watched) linkIn(fresh, name, linked)
        fs.renameSync(fresh, dir)
      } catch (error) {
        fs.rmSync(fresh, { recursive: true, force: true })
        throw error
      }
    },
    /** Whether the copy stands as it was made. */
    isKept: (name: string): boolean => {
      const stat = kept.get(name)
      return stat !== undefined && isSameStat(stat, statOf(path.join(dir, placeInSeal(name))))
    },
    /** Writes the bytes that were compared just now. */
    keep: (name: string, content: Buffer): void => {
      const target = path.join(dir, placeInSeal(name))
      makeFolder(dir, path.dirname(target))
      const fresh = path.join(dir, `.new-${randomUUID()}`)
      try {
        fs.writeFileSync(fresh, content, { flag: 'wx', mode: 0o600 })
        // Whether the file itself could be executed is not bound, and its bytes are the approved ones.
        fs.chmodSync(fresh, 0o555)
        fs.renameSync(fresh, target)
      } finally {
        fs.rmSync(fresh, { force: true })
      }
      kept.set(name, statOf(target))
    },
  }
}

export type CheckedCopies = ReturnType<typeof createCheckedCopies>
