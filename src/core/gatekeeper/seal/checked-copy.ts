import { pathInSeal } from '../../model/approval/names.ts'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { WatchedFile } from '../../model/approval/canonical.ts'
import { linkBeside } from './beside-links.ts'
import { isSameStat, statOf } from '../../model/approval/source-file.ts'

/** The suffix of the folder with the checked copies of an approval. It follows the fingerprint. */
const suffix = '.checked'

export const checkedFolder = (seals: string, fingerprint: string): string =>
  path.join(seals, `${fingerprint}${suffix}`)

/** Removes the copies of an earlier, revoked approval. They are not valid for the next one. */
export const dropChecked = (seals: string, fingerprint: string): Promise<void> =>
  fs.promises.rm(checkedFolder(seals, fingerprint), { recursive: true, force: true })

/**
 * Manages the gate's copies of watched files. A hook runs the bytes that were compared, even when the
 * original changes afterwards. Each copy gets links to the files that lay beside the original at approval,
 * because a script finds its neighbours by its own path. A file that appears later is not linked: an
 * interpreter would load it as a part of the script.
 */
export const createCheckedCopies = (dir: string, workspace: string, watched: readonly WatchedFile[]) => {
  const copiedStats = new Map<string, ReturnType<typeof statOf>>()
  const copies = new Set(watched.map(({ path: name }) => pathInSeal(name)))
  /** The parent folders of copies. They are real folders of the gate, not links. */
  const parents = new Set(
    [...copies].flatMap((name) => {
      const up: string[] = []
      for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder)) up.push(folder)
      return up
    }),
  )

  const makeFolder = (root: string, folder: string): void => {
    fs.mkdirSync(folder, { recursive: true })
    // The process's umask must not restrict what the hooks' user can read.
    for (let at = folder; at.startsWith(root); at = path.dirname(at)) fs.chmodSync(at, 0o755)
  }

  /** Yields after each folder, so that the caller can take a turn. */
  const linkIn = function* (fresh: string, name: string, linked: Set<string>): Generator<void> {
    /*
     * Outside the workspace only the file's own folder is linked, because the folders above belong to the
     * system.
     */
    const isOutside = path.isAbsolute(name)
    for (let folder = path.dirname(name); ; folder = path.dirname(folder)) {
      const inner = folder === '.' ? '' : pathInSeal(folder)
      if (!linked.has(folder)) {
        linked.add(folder)
        const ours = path.join(fresh, inner)
        const theirs = path.resolve(workspace, folder)
        makeFolder(fresh, ours)
        const isOurs = (one: string): boolean =>
          [copies, parents].some((own) => own.has(path.normalize(path.join(inner, one))))
        linkBeside(ours, theirs, (one) => !isOurs(one))
        yield
      }
      if (isOutside || folder === '.') return
    }
  }

  const making = function* (): Generator<void> {
    if (fs.existsSync(dir)) return
    const fresh = `${dir}.${randomUUID()}`
    const linked = new Set<string>()
    try {
      makeFolder(fresh, fresh)
      for (const { path: name } of watched) yield* linkIn(fresh, name, linked)
      fs.renameSync(fresh, dir)
    } catch (error) {
      fs.rmSync(fresh, { recursive: true, force: true })
      throw error
    }
  }

  return {
    pathOf: (name: string): string => path.join(dir, pathInSeal(name)),
    /** Creates the folder with its links atomically, once for an approval. */
    prepare: (): void => {
      const steps = making()
      while (steps.next().done !== true);
    },
    /** Does the same, with a turn of the event loop after each folder. */
    prepareInTurns: async (): Promise<void> => {
      const steps = making()
      while (steps.next().done !== true) await turn()
    },
    /** True when the copy is unchanged since it was written. */
    isKept: (name: string): boolean => {
      const stat = copiedStats.get(name)
      return stat !== undefined && isSameStat(stat, statOf(path.join(dir, pathInSeal(name))))
    },
    /** Writes a copy of the bytes that were just compared. */
    keep: (name: string, content: Buffer, isExecutable = true): void => {
      const target = path.join(dir, pathInSeal(name))
      makeFolder(dir, path.dirname(target))
      const fresh = path.join(dir, `.new-${randomUUID()}`)
      try {
        fs.writeFileSync(fresh, content, { flag: 'wx', mode: 0o600 })
        fs.chmodSync(fresh, isExecutable ? 0o555 : 0o444)
        fs.renameSync(fresh, target)
      } finally {
        fs.rmSync(fresh, { force: true })
      }
      copiedStats.set(name, statOf(target))
    },
  }
}

export type CheckedCopies = ReturnType<typeof createCheckedCopies>
