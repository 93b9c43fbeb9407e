import { z } from 'zod'
import { createBoundedMap } from '../../../src/core/model/base/bounded-map.ts'
import type { Sender } from '../http/exit.ts'
import { idForm } from '../http/methods.ts'

/** So many people and chats are remembered. */
const maxKnown = 2000
/** A name that could not be read is asked for again after this time. */
const againAfterMs = 10 * 60_000
/** A message waits no longer for the name of its sender, because Feishu sends it again after 3 seconds. */
const maxWaitMs = 1500
/** So many questions run at once. More people at that moment have no name. */
const maxUnderway = 10
/** A name is longer only in an attack. */
const maxNameUnits = 200

const userSchema = z.object({ data: z.object({ user: z.object({ name: z.string() }) }) })
const membersSchema = z.object({
  data: z.object({ items: z.array(z.object({ member_id: z.string(), name: z.string() })) }),
})
const chatSchema = z.object({ data: z.object({ chat_mode: z.string() }) })

export interface Directory {
  /** The name of a person. Empty when the app may not read it, or when it takes too long. Never rejects. */
  nameOf(openId: string, chatId: string): Promise<string>
  /**
   * True when only one person and the bot are in the chat. False also when Feishu does not say so in time.
   * Never rejects.
   */
  isPrivate(chatId: string): Promise<boolean>
  /** A message showed what kind of chat it is. */
  noteChat(chatId: string, isPrivate: boolean): void
}

/** Asks Feishu about people and chats, and remembers what it said. */
export const createDirectory = (sender: Sender, elapsedMs: () => number): Directory => {
  const names = createBoundedMap<string, { readonly name: string; readonly untilMs: number }>(maxKnown)
  const chats = createBoundedMap<string, boolean>(maxKnown)
  const asked = new Map<string, Promise<unknown>>()

  const get = async (url: string, params: Readonly<Record<string, string>>): Promise<unknown> =>
    sender.request({ method: 'GET', url, params })

  /** The contact API needs a permission of its own. The members of a chat have names without it. */
  const askName = async (openId: string, chatId: string): Promise<string> => {
    const user = await get(`/open-apis/contact/v3/users/${openId}`, { user_id_type: 'open_id' }).catch(
      () => undefined,
    )
    const named = userSchema.safeParse(user).data?.data.user.name ?? ''
    if (named !== '') return named
    const members = await get(`/open-apis/im/v1/chats/${chatId}/members`, {
      member_id_type: 'open_id',
      page_size: '100',
    }).catch(() => undefined)
    const found = membersSchema
      .safeParse(members)
      .data?.data.items.find(({ member_id }) => member_id === openId)
    return found?.name ?? ''
  }

  const learnName = async (openId: string, chatId: string): Promise<string> => {
    const name = (await askName(openId, chatId)).slice(0, maxNameUnits).toWellFormed()
    names.set(openId, { name, untilMs: name === '' ? elapsedMs() + againAfterMs : Infinity })
    return name
  }

  const learnMode = async (chatId: string): Promise<boolean> => {
    const mode = chatSchema.safeParse(await get(`/open-apis/im/v1/chats/${chatId}`, {})).data?.data.chat_mode
    if (mode !== undefined) chats.set(chatId, mode === 'p2p')
    return mode === 'p2p'
  }

  /**
   * Waits a short time for an answer. The messages of one person wait for the same answer, so they stay in
   * order.
   */
  const within = async <T>(key: string, ask: () => Promise<T>, otherwise: T): Promise<T> => {
    const running = asked.get(key) as Promise<T> | undefined
    if (running === undefined && asked.size >= maxUnderway) return otherwise
    const answer =
      running ??
      ask()
        .catch(() => otherwise)
        .finally(() => asked.delete(key))
    asked.set(key, answer)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<T>((resolve) => (timer = setTimeout(resolve, maxWaitMs, otherwise)))
    return await Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }

  return {
    nameOf: async (openId, chatId) => {
      const known = names.get(openId)
      if (known !== undefined && elapsedMs() < known.untilMs) return known.name
      return idForm.test(openId) ? within(openId, () => learnName(openId, chatId), '') : ''
    },
    isPrivate: async (chatId) => chats.get(chatId) ?? within(chatId, () => learnMode(chatId), false),
    noteChat: (chatId, isPrivate) => chats.set(chatId, isPrivate),
  }
}
