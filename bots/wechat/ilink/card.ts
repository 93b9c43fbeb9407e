import { constants } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'

/** A login that WeChat confirmed. */
export interface IlinkSession {
  readonly token: string
  /** The bot's id. Each login gives it a new one. */
  readonly botId: string
  readonly root: string
}

/** The data that is needed to send to one person. */
export interface Context {
  readonly token: string
  /** When the person last wrote, by hookgate's clock. */
  readonly atMs: number
  /** How many messages were sent to the person since then. */
  readonly sent: number
}

/** The data that survives a restart. */
export interface LoginState {
  readonly session?: IlinkSession
  /** The position where the next poll continues. It is empty at the beginning. */
  readonly cursor: string
  readonly contexts: ReadonlyMap<string, Context>
}

/** wechaty's name for the stored data of a login. */
export interface MemoryCard {
  /** Reads the file. Never rejects. When the file cannot be read, somebody has to log in again. */
  load(): Promise<void>
  memory(): LoginState
  /**
   * Changes the data at once. Resolves when the change is on disk, or when the write failed and the failure
   * was reported.
   */
  update(change: {
    readonly session?: IlinkSession | undefined
    readonly cursor?: string
    readonly contexts?: LoginState['contexts']
  }): Promise<void>
}

const MAX_BYTES = 8_000_000
/** Only the person who scanned the code can write, so each login needs one context. */
const MAX_CONTEXTS = 100
const EMPTY: LoginState = { cursor: '', contexts: new Map() }

const text = z.string().catch('')
const number = z.number().catch(0)
const part = z.string().min(1)
const context = z.object({ token: text, atMs: number, sent: number }).optional().catch(undefined)
const file = z.object({
  session: z.object({ token: part, botId: part, root: part }).optional().catch(undefined),
  cursor: text,
  contexts: z.record(z.string(), context).catch({}),
})

const read = (json: string): LoginState => {
  const { session, cursor, contexts } = file.parse(JSON.parse(json))
  if (session === undefined) return EMPTY
  const known = Object.entries(contexts).flatMap(([id, one]) =>
    one === undefined ? [] : [[id, one] as const],
  )
  return { session, cursor, contexts: new Map(known) }
}

const syncAndClose = async (
  path: string,
  flags: string | number,
  write: (file: Awaited<ReturnType<typeof open>>) => Promise<void>,
  mode?: number,
): Promise<void> => {
  const file = await open(path, flags, mode)
  try {
    await write(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Replaces a file atomically. After a crash the file is either the old one or the new one. */
const replace = async (path: string, text: string): Promise<void> => {
  const next = `${path}.new`
  await rm(next, { force: true })
  await syncAndClose(next, 'wx', (file) => file.writeFile(text), 0o600)
  await rename(next, path)
  await syncAndClose(dirname(path), constants.O_RDONLY, async () => undefined)
}

/**
 * Stores the session with WeChat in one file that only the gate can read. Without a path the session lasts as
 * long as the process.
 */
export const createCard = (
  path: string | undefined,
  failed: (what: string, error: unknown) => void,
): MemoryCard => {
  let memory = EMPTY
  let writing = Promise.resolve()
  let isWaiting = false
  const write = async (): Promise<void> => {
    // This write also contains the changes of all calls before it.
    isWaiting = false
    if (path === undefined) return
    try {
      await replace(path, JSON.stringify({ ...memory, contexts: Object.fromEntries(memory.contexts) }))
    } catch (error) {
      failed('the login could not be stored, so somebody may have to log in again after a restart', error)
    }
  }
  return {
    load: async () => {
      if (path === undefined) return
      try {
        if ((await stat(path)).size > MAX_BYTES) throw new RangeError('too large')
        memory = read(await readFile(path, 'utf8'))
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== 'ENOENT')
          failed('the login could not be read, so somebody has to log in again', error)
      }
    },
    memory: () => memory,
    update: (change) => {
      const {
        session,
        cursor = memory.cursor,
        contexts = memory.contexts,
      } = { session: memory.session, ...change }
      const latest = [...contexts].sort(([, a], [, b]) => a.atMs - b.atMs).slice(-MAX_CONTEXTS)
      memory = { session, cursor, contexts: new Map(latest) }
      if (!isWaiting) {
        isWaiting = true
        writing = writing.then(write)
      }
      return writing
    },
  }
}
