import { z } from 'zod'
import { createBoundedMap, type BoundedMap } from '../../../src/core/model/base/bounded-map.ts'
import { id } from '../read/message.ts'

/** hookgate writes to fewer people in private than this. */
const maxKnown = 500

const keptSchema = z.array(z.tuple([id, id]))

/** Keeps a text for the next start. */
export interface ChatMemory {
  recall(): Promise<string | undefined>
  remember(text: string): Promise<void>
}

/** Feishu's own ids of the private chats that hookgate wrote to, by the person. */
export interface PrivateChats {
  /** Undefined: nothing was sent there yet. Rejects when the memory cannot be read. */
  idOf(openId: string): Promise<string | undefined>
  /** Never rejects. */
  note(openId: string, chatId: string): Promise<void>
}

/** True for a person, who in hookgate stands for the private chat with them. A group begins with `oc_`. */
export const isPerson = (chatId: string): boolean => chatId.startsWith('ou_')

/**
 * In hookgate a private chat has the id of its person, as with other messengers. So an owner whom the
 * environment names gets notices before they have written. Feishu lists pinned messages by its own id of the
 * chat, which it tells with each message that is sent.
 */
export const createPrivateChats = (memory: ChatMemory): PrivateChats => {
  let known: BoundedMap<string, string> | undefined
  const load = async (): Promise<BoundedMap<string, string>> => {
    const text = known === undefined ? await memory.recall() : undefined
    if (known !== undefined) return known
    known = createBoundedMap(maxKnown)
    try {
      for (const [person, chat] of keptSchema.parse(JSON.parse(text ?? '[]'))) known.set(person, chat)
    } catch {
      // What cannot be read is learnt again with the next message.
    }
    return known
  }
  return {
    idOf: async (openId) => (await load()).get(openId),
    note: async (openId, chatId) => {
      try {
        const chats = await load()
        if (chats.get(openId) === chatId) return
        chats.set(openId, chatId)
        await memory.remember(JSON.stringify([...chats.entries()]))
      } catch {
        // It is noted with the next message.
      }
    },
  }
}
