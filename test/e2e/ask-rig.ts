import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Message } from 'grammy/types'
import type { StandingCard } from '../../src/permissions/questions/question-store.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { startProgram, until, type Program } from './program.ts'
import { arm, openPhone, ownedEnv, put, token, type Chat } from './rig.ts'

/** A gate with two owners, 7 and 8, whose hook asks about each call of touch. */
export const startAsking = async (): Promise<{
  readonly api: BotApi
  readonly program: Program
  readonly phone: Chat
}> => {
  const api = await startBotApi({ token })
  const program = await startProgram({ ...ownedEnv(api), HOOKGATE_OWNERS: 'telegram:7,telegram:8' })
  const phone = openPhone(api)
  await put(
    program,
    'asks.sh',
    `#!/bin/sh\nprintf '%s' '{"decision": "ask", "reason": "it touches a file"}'\n`,
  )
  await arm(program, phone, [{ event: 'pre_tool_call', matcher: 'touch', command: './asks.sh' }])
  return { api, program, phone }
}

export const isCard = (text = ''): boolean => /^🛡 [a-z0-9]{5} [^]*\nmain · bash · denied at /.test(text)

/** The newest message of a chat as it stands now. */
export const last = (api: BotApi, chatId: number): string => api.texts(chatId).at(-1) ?? ''

/** The card of the question that waits, in the chats of both owners. Other news can come after it. */
export const cards = (api: BotApi): Promise<{ readonly mine: Message; readonly theirs: Message }> =>
  until('the cards', () => {
    const [mine, theirs] = [7, 8].map((chatId) => api.sent(chatId).findLast(({ text }) => isCard(text)))
    return mine !== undefined && theirs !== undefined && { mine, theirs }
  })

/** Opens the other answers of the card that was sent last, and waits until they can be tapped. */
export const openMore = async (api: BotApi, chatId = 7): Promise<void> => {
  await api.read()
  api.tap('More…', chatId)
  await until('the other answers', () =>
    api
      .sent(chatId)
      .some(({ reply_markup }) => reply_markup?.inline_keyboard.flat().some(({ text }) => text === 'Back')),
  )
  await api.read()
}

/** What stands where this message was sent. */
export const standsAt = (api: BotApi, { chat, message_id }: Message): string =>
  api.sent(chat.id).find((message) => message.message_id === message_id)?.text ?? ''

const isStoredTwice = ({ state }: Record<string, unknown>): boolean => {
  const { cards } = JSON.parse(String(state)) as { readonly cards: readonly StandingCard[] }
  return cards.filter(({ address }) => address.channel === 'telegram').length === 2
}

/** After a kill the gate shows a card anew when it had not stored the card's message yet. */
export const storedCards = ({ gate }: Program): Promise<unknown> =>
  until('both cards to be stored', () => {
    const store = new DatabaseSync(join(gate, 'state.db'), { readOnly: true })
    try {
      return store.prepare('SELECT state FROM question').all().some(isStoredTwice)
    } finally {
      store.close()
    }
  })
