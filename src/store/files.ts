import { constants, rmSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 as hashOf } from '../core/model/approval/canonical.ts'

/**
 * Stores files that wait to be sent, each under the hash of its bytes. Hooks read them by path. The sender
 * reads a file again, and looks whether its bytes still have that hash.
 */
export interface FileStore {
  pathOf(sha256: string): string
  /**
   * Stores the bytes until `holder` drops them. Resolves with their hash when they are on disk and outlive
   * the process.
   */
  keep(holder: string, bytes: Uint8Array): Promise<string>
  /** Registers the holder of files that were stored before the last start. */
  hold(holder: string, hashes: readonly string[]): void
  /** Resolves with the bytes as they are now, or with undefined when the file is missing. */
  read(sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Releases all files of the holder and deletes those without a holder. Never throws. */
  drop(holder: string): void
  /** Deletes the files that nobody holds. */
  sweep(): Promise<void>
}

/** A file that cannot be deleted now is deleted by `sweep` at the next start. */
const removeNow = (path: string): void => {
  try {
    rmSync(path, { force: true })
  } catch {
    // The caller no longer needs the file, so a failure here does not concern it.
  }
}

export const createFileStore = (folder: string): FileStore => {
  const holders = new Map<string, Set<string>>()
  let made = 0
  const isHeld = (sha256: string): boolean => [...holders.values()].some((held) => held.has(sha256))
  const pathOf = (sha256: string): string => join(folder, sha256)
  const hold: FileStore['hold'] = (holder, hashes) => {
    if (hashes.length === 0) return
    const held = holders.get(holder) ?? new Set()
    holders.set(holder, held)
    for (const sha256 of hashes) held.add(sha256)
  }

  return {
    pathOf,
    hold,
    keep: async (holder, bytes) => {
      const sha256 = hashOf(bytes)
      hold(holder, [sha256])
      await mkdir(folder, { recursive: true })
      const draft = join(folder, `.${process.pid}.${++made}`)
      try {
        const file = await open(draft, 'wx', 0o444)
        try {
          await file.writeFile(bytes)
          // The umask may have removed read permission, and hooks may run as another user.
          await file.chmod(0o444)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(draft, pathOf(sha256))
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      return sha256
    },
    read: async (sha256) => {
      try {
        const file = await open(pathOf(sha256), constants.O_RDONLY | constants.O_NOFOLLOW)
        try {
          return new Uint8Array(await file.readFile())
        } finally {
          await file.close()
        }
      } catch {
        return undefined
      }
    },
    drop: (holder) => {
      const held = [...(holders.get(holder) ?? [])]
      holders.delete(holder)
      // The deletion is synchronous, so that it cannot remove a file that another holder stores meanwhile.
      for (const sha256 of held) if (!isHeld(sha256)) removeNow(pathOf(sha256))
    },
    sweep: async () => {
      const names = await readdir(folder).catch((): string[] => [])
      await Promise.all(
        names.filter((name) => !isHeld(name)).map((name) => rm(join(folder, name), { force: true })),
      )
    },
  }
}
