import { rename } from 'node:fs/promises'
import { isObject, type Json } from '../../model/base/json.ts'
import { readText, writeText } from '../tools/files.ts'

const maxChats = 200
const maxIdLength = 200

/** One conversation: by our name, and by the agent's. */
export interface Remembered {
  readonly session: string
  readonly acp: string
  /** The person began another: it is not taken up again. */
  readonly isOver?: true
}

/** Which session of the agent belongs to which chat, in a file of the agent's own, so that a restart forgets none. */
export interface ChatMemory {
  get(chat: string): Promise<Remembered | undefined>
  set(chat: string, remembered: Remembered): Promise<void>
  /** What the chat has is over. Never rejects. */
  end(chat: string): Promise<void>
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxIdLength

const read = async (path: string): Promise<Map<string, Remembered>> => {
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
    // Not there yet, or not ours any more: each chat begins a new session, and is told so.
    return new Map()
  }
}

export const createMemory = (path: string): ChatMemory => {
  const loaded = read(path)
  let written: Promise<unknown> = Promise.resolve()
  const write = async (chats: ReadonlyMap<string, Remembered>): Promise<void> => {
    await writeText(`${path}.new`, JSON.stringify(Object.fromEntries(chats)))
    await rename(`${path}.new`, path)
  }
  const set: ChatMemory['set'] = async (chat, remembered) => {
    const chats = await loaded
    chats.delete(chat)
    chats.set(chat, remembered)
    for (const oldest of chats.keys().take(Math.max(0, chats.size - maxChats))) chats.delete(oldest)
    // What cannot be kept is forgotten at the next start; the conversation goes on now.
    written = written.then(() => write(chats)).catch(() => undefined)
    await written
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
