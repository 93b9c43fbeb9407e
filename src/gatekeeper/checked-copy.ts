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

export const checkedFolder = (seals: string, fingerprint: string): string => path.join(seals, `${fingerprint}${suffix}`)

const namesOf = (folder: string): readonly string[] => {
  try {
    const names: string[] = []
    const open = fs.opendirSync(folder)
    try {
      for (let one = open.readSync(); one !== null && names.length < maxBeside; one = open.readSync()) names.push(one.name)
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
 * then. Beside a copy stand links to what lies beside the file, since a script finds its neighbours by its own path.
 */
export const createCheckedCopies = (dir: string, workspace: string, watched: readonly WatchedFile[]) => {
  const kept = new Map<string, ReturnType<typeof statOf>>()
  /** When a folder was last looked at, by its own stamp. */
  const linked = new Map<string, ReturnType<typeof statOf>>()
  const beside = new Map<string, number>()
  const copies = new Set(watched.map(({ path: name }) => placeInSeal(name)))
  /** Folders that lead to a copy: they are the gate's own, too. */
  const ways = new Set([...copies].flatMap((name) => {
    const up: string[] = []
    for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder)) up.push(folder)
    return up
  }))

  const makeFolder = (folder: string): void => {
    fs.mkdirSync(folder, { recursive: true })
    // The process's umask must not decide what the hooks' user can read.
    for (let at = folder; at.startsWith(dir); at = path.dirname(at)) fs.chmodSync(at, 0o755)
  }

  const linkBeside = (name: string): void => {
    // Outside the workspace only its own folder: what lies above is the system's.
    const isOutside = path.isAbsolute(name)
    for (let folder = path.dirname(name); ; folder = path.dirname(folder)) {
      const theirs = path.resolve(workspace, folder)
      const stamp = statOf(theirs)
      if (stamp === undefined || !isSameStat(linked.get(theirs), stamp)) {
        const ours = path.join(dir, folder === '.' ? '' : placeInSeal(folder))
        for (const one of namesOf(theirs)) {
          const inner = path.normalize(path.join(folder === '.' ? '' : placeInSeal(folder), one))
          if (copies.has(inner) || ways.has(inner) || statOf(path.join(ours, one)) !== undefined) continue
          const count = (beside.get(ours) ?? 0) + 1
          if (count > maxBeside) break
          fs.symlinkSync(path.join(theirs, one), path.join(ours, one))
          beside.set(ours, count)
        }
        if (stamp !== undefined) linked.set(theirs, stamp)
      }
      if (isOutside || folder === '.') return
    }
  }

  return {
    pathOf: (name: string): string => path.join(dir, placeInSeal(name)),
    /** Whether the copy stands as it was made. */
    isKept: (name: string): boolean => {
      const stat = kept.get(name)
      if (stat === undefined || !isSameStat(stat, statOf(path.join(dir, placeInSeal(name))))) return false
      linkBeside(name)
      return true
    },
    /** Writes the bytes that were compared just now. */
    keep: (name: string, content: Buffer): void => {
      const target = path.join(dir, placeInSeal(name))
      makeFolder(path.dirname(target))
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
      linkBeside(name)
    },
  }
}

export type CheckedCopies = ReturnType<typeof createCheckedCopies>
