import { constants } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isObject, type Json } from '../../../src/model/json.ts'

/** One login, as WeChat confirmed it. */
export interface IlinkSession {
  readonly token: string
  /** The bot's own id, which is another one after each login. */
  readonly botId: string
  readonly root: string
}

/** What lets an answer leave to one person. */
export interface Context {
  readonly token: string
  /** When they last wrote, by our clock. */
  readonly atMs: number
  /** How much has left since. */
  readonly sent: number
}

/** All that outlives a restart. */
export interface LoginState {
  readonly session?: IlinkSession
  /** Where the next poll goes on; empty at the beginning. */
  readonly cursor: string
  readonly contexts: ReadonlyMap<string, Context>
}

export interface MemoryCard {
  /** Reads what is kept. Never rejects: without it, somebody has to log in. */
  load(): Promise<void>
  memory(): LoginState
  /** Changes it at once; resolves when it is on disk, or when that failed and was told. */
  keep(change: {
    readonly session?: IlinkSession | undefined
    readonly cursor?: string
    readonly contexts?: LoginState['contexts']
  }): Promise<void>
}

const MAX_BYTES = 8_000_000
/** The person who scanned the code is the only one who can write; a few logins' worth. */
const MAX_CONTEXTS = 100
const NOTHING: LoginState = { cursor: '', contexts: new Map() }

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const numberOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)

const read = (text: string): LoginState => {
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new TypeError('no object')
  const { session, cursor, contexts } = value
  const found = isObject(session)
    ? { token: textOf(session['token']), botId: textOf(session['botId']), root: textOf(session['root']) }
    : undefined
  const entries = Object.entries(isObject(contexts) ? contexts : {}).flatMap(([id, context]) =>
    isObject(context)
      ? [
          [
            id,
            {
              token: textOf(context['token']),
              atMs: numberOf(context['atMs']),
              sent: numberOf(context['sent']),
            },
          ] as const,
        ]
      : [],
  )
  if (found === undefined || Object.values(found).includes('')) return NOTHING
  return { session: found, cursor: textOf(cursor), contexts: new Map(entries) }
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

/** Whole or not at all: a crash leaves the old file or the new one. */
const replace = async (path: string, text: string): Promise<void> => {
  const next = `${path}.new`
  await rm(next, { force: true })
  await syncAndClose(next, 'wx', (file) => file.writeFile(text), 0o600)
  await rename(next, path)
  await syncAndClose(dirname(path), constants.O_RDONLY, async () => undefined)
}

/** The session with WeChat, kept in one file that only the gate can read; without a path it lives as long as the process. */
export const createCard = (
  path: string | undefined,
  failed: (what: string, error: unknown) => void,
): MemoryCard => {
  let memory = NOTHING
  let writing = Promise.resolve()
  let isWaiting = false
  const write = async (): Promise<void> => {
    // Whoever asked meanwhile is served by this write.
    isWaiting = false
    if (path === undefined) return
    try {
      await replace(path, JSON.stringify({ ...memory, contexts: Object.fromEntries(memory.contexts) }))
    } catch (error) {
      failed('the login could not be kept; a restart may ask for it again', error)
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
          failed('the login could not be read; somebody has to log in again', error)
      }
    },
    memory: () => memory,
    keep: (change) => {
      const {
        session,
        cursor = memory.cursor,
        contexts = memory.contexts,
      } = { session: memory.session, ...change }
      const latest = [...contexts].sort(([, a], [, b]) => a.atMs - b.atMs).slice(-MAX_CONTEXTS)
      memory = { ...(session === undefined ? {} : { session }), cursor, contexts: new Map(latest) }
      if (!isWaiting) {
        isWaiting = true
        writing = writing.then(write)
      }
      return writing
    },
  }
}
