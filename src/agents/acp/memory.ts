import { rename } from 'node:fs/promises'
import { isObject, type Json } from '../../core/model/base/json.ts'
import { createMutex } from '../../core/model/base/mutex.ts'
import { readText, writeText } from '../tools/files.ts'

const maxChats = 200
const maxIdLength = 200

/** The session id of one conversation at hookgate, and the agent's id for it. */
export interface StoredSession {
  readonly session: string
  readonly acp: string
  /** The person began another conversation, so this one is not resumed. */
  readonly isOver?: true
}

/** Stores in a file which session of the agent belongs to which chat, so that a restart forgets none. */
export interface ChatMemory {
  get(chat: string): Promise<StoredSession | undefined>
  set(chat: string, stored: StoredSession): Promise<void>
  /** Marks the chat's session as ended. Never rejects. */
  end(chat: string): Promise<void>
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxIdLength

const read = async (path: string): Promise<Map<string, StoredSession>> => {
  try {
    const all = JSON.parse(await readText(path)) as Json
    const entries = isObject(all) ? Object.entries(all) : []
    return new Map(
      entries.flatMap(([chat, value]) =>
        isObject(value) && isId(value['session']) && isId(value['acp'])
          ? [
              [
                chat,
                {
                  session: value['session'],
                  acp: value['acp'],
                  ...(value['isOver'] === true ? { isOver: true as const } : {}),
                },
              ] as const,
            ]
          : [],
      ),
    )
  } catch {
    // The file does not exist yet or is damaged. Each chat begins a new session and is told so.
    return new Map()
  }
}

export const createMemory = (path: string): ChatMemory => {
  const loaded = read(path)
  const inTurn = createMutex()
  const write = async (chats: ReadonlyMap<string, StoredSession>): Promise<void> => {
    await writeText(`${path}.new`, JSON.stringify(Object.fromEntries(chats)))
    await rename(`${path}.new`, path)
  }
  const set: ChatMemory['set'] = async (chat, stored) => {
    const chats = await loaded
    chats.delete(chat)
    chats.set(chat, stored)
    for (const oldest of chats.keys().take(Math.max(0, chats.size - maxChats))) chats.delete(oldest)
    // After a failed write the session is forgotten at the next start. The present conversation continues.
    await inTurn(() => write(chats)).catch(() => undefined)
  }
  return {
    get: async (chat) => (await loaded).get(chat),
    set,
    end: async (chat) => {
      const before = (await loaded).get(chat)
      if (before !== undefined) await set(chat, { ...before, isOver: true })
    },
  }
}
