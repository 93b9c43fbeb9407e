import { z } from 'zod'
import { createBoundedMap } from '../../../src/model/base/bounded-map.ts'
import type { Sender } from '../http/exit.ts'
import { idForm } from '../http/methods.ts'

/** So many people and chats are remembered. */
const maxKnown = 2000
/** A name that could not be read is asked for again after this time. */
const againAfterMs = 10 * 60_000
/** A message does not wait longer for the name of its sender, because Feishu sends it again after 3 seconds. */
const maxWaitMs = 1500
/** So many questions run at once. More people at that moment have no name. */
const maxUnderway = 10

const userSchema = z.object({ data: z.object({ user: z.object({ name: z.string() }) }) })
const membersSchema = z.object({
  data: z.object({ items: z.array(z.object({ member_id: z.string(), name: z.string() })) }),
})
const chatSchema = z.object({ data: z.object({ chat_mode: z.string() }) })

export interface Directory {
  /** The name of a person. Empty when the app may not read it, or when it takes too long. Never rejects. */
  nameOf(openId: string, chatId: string): Promise<string>
  /** True when only one person and the bot are in the chat. False also when Feishu does not say. Never rejects. */
  isPrivate(chatId: string): Promise<boolean>
  /** A message showed what kind of chat it is. */
  noteChat(chatId: string, isPrivate: boolean): void
}

/** Asks Feishu about people and chats, and remembers what it said. */
export const createDirectory = (sender: Sender, elapsedMs: () => number): Directory => {
  const names = createBoundedMap<string, { readonly name: string; readonly untilMs: number }>(maxKnown)
  const chats = createBoundedMap<string, boolean>(maxKnown)
  let underway = 0

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
    underway += 1
    try {
      const name = await askName(openId, chatId)
      names.set(openId, { name, untilMs: name === '' ? elapsedMs() + againAfterMs : Infinity })
      return name
    } finally {
      underway -= 1
    }
  }

  return {
    nameOf: async (openId, chatId) => {
      const known = names.get(openId)
      if (known !== undefined && elapsedMs() < known.untilMs) return known.name
      if (underway >= maxUnderway || !idForm.test(openId)) return ''
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<string>((resolve) => (timer = setTimeout(resolve, maxWaitMs, '')))
      return await Promise.race([learnName(openId, chatId), late]).finally(() => clearTimeout(timer))
    },
    isPrivate: async (chatId) => {
      const known = chats.get(chatId)
      if (known !== undefined) return known
      const chat = await get(`/open-apis/im/v1/chats/${chatId}`, {}).catch(() => undefined)
      const mode = chatSchema.safeParse(chat).data?.data.chat_mode
      if (mode === undefined) return false
      chats.set(chatId, mode === 'p2p')
      return mode === 'p2p'
    },
    noteChat: (chatId, isPrivate) => chats.set(chatId, isPrivate),
  }
}
