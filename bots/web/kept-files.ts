import { randomBytes } from 'node:crypto'
import { headBytes, sniff } from './sniff.ts'
import type { ShownFile } from './stream.ts'

/** In bytes, over the whole page. */
export const maxKeptBytes = 60_000_000

export interface KeptFiles {
  /** Takes in the files of one message, and gives up the oldest for them. Undefined when they are more than is kept at all. */
  keep(files: readonly File[]): Promise<readonly ShownFile[] | undefined>
  /** Undefined when it is not kept, or not any more. */
  find(id: string): { readonly file: File; readonly type: string } | undefined
  drop(files: readonly ShownFile[]): void
}

/** The files of the chat, in memory alone, each under a name that nobody can guess. */
export const createKeptFiles = (): KeptFiles => {
  const kept = new Map<string, { readonly file: File; readonly type: string }>()
  let bytes = 0
  const forget = (id: string): void => {
    bytes -= kept.get(id)?.file.size ?? 0
    kept.delete(id)
  }

  const keepOne = async (file: File): Promise<ShownFile> => {
    const sniffed = sniff(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()))
    const id = randomBytes(16).toString('base64url')
    kept.set(id, { file, type: sniffed.type })
    return Object.freeze({ id, name: file.name, size: file.size, ...sniffed })
  }

  return {
    keep: async (files) => {
      const more = files.reduce((sum, { size }) => sum + size, 0)
      if (more > maxKeptBytes) return undefined
      bytes += more
      for (const id of kept.keys()) {
        if (bytes <= maxKeptBytes) break
        forget(id)
      }
      return Promise.all(files.map(keepOne))
    },
    find: (id) => kept.get(id),
    drop: (files) => {
      for (const { id } of files) forget(id)
    },
  }
}
