import { randomBytes } from 'node:crypto'
import { headBytes, sniff } from './http/sniff.ts'
import type { ShownFile } from './stream.ts'

/** The limit for all files of the page together. */
export const maxStoredBytes = 60_000_000

export interface FileStore {
  /**
   * Stores the files of one message and removes the oldest files if needed. Undefined when these files alone
   * exceed the limit.
   */
  store(files: readonly File[]): Promise<readonly ShownFile[] | undefined>
  /** Undefined when no such file is stored. */
  find(id: string): { readonly file: File; readonly type: string } | undefined
  drop(files: readonly ShownFile[]): void
}

/** Stores the files of the chat in memory. Each file has a random id that nobody can guess. */
export const createFileStore = (): FileStore => {
  const stored = new Map<string, { readonly file: File; readonly type: string }>()
  let bytes = 0
  const forget = (id: string): void => {
    bytes -= stored.get(id)?.file.size ?? 0
    stored.delete(id)
  }

  const keepOne = async (file: File): Promise<ShownFile> => {
    const sniffed = sniff(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()))
    const id = randomBytes(16).toString('base64url')
    stored.set(id, { file, type: sniffed.type })
    return Object.freeze({ id, name: file.name, size: file.size, ...sniffed })
  }

  return {
    store: async (files) => {
      const more = files.reduce((sum, { size }) => sum + size, 0)
      if (more > maxStoredBytes) return undefined
      bytes += more
      for (const id of stored.keys()) {
        if (bytes <= maxStoredBytes) break
        forget(id)
      }
      return Promise.all(files.map(keepOne))
    },
    find: (id) => stored.get(id),
    drop: (files) => {
      for (const { id } of files) forget(id)
    },
  }
}
