import type { Api } from 'grammy'
import type { ChannelPorts, MenuItem } from '../../../src/core/model/chat/channel.ts'
import type { Language } from '../../../src/core/model/chat/language.ts'
import { failureFields } from '../../../src/shared/chat/connection.ts'
import { readChatId } from '../chat-id.ts'
import { readFailure } from '../failure.ts'
import type { Identity } from '../identity.ts'
import type { Me } from '../read/message.ts'
import { type CallSignal, type Timers, within } from '../timers.ts'
import { chatMenuCall, menuCalls, type MenuCall } from './menus.ts'

export const callTimeoutMs = 15_000

/** So many chats whose people chose a language get their menu anew with each connection. */
const maxChatMenus = 20

export interface MenuPorts extends Pick<ChannelPorts, 'log'> {
  readonly api: Api
  readonly token: string
  readonly menu: readonly MenuItem[]
  readonly timers: Timers
}

export interface IntroducePorts extends MenuPorts {
  readonly identity: Identity
  /** Tells the bot's username. */
  named(username: string): void
  /** The chats whose people chose a language, the latest first. */
  languages(): readonly ChosenLanguage[]
}

/** A chat, and the language that its people chose. */
export interface ChosenLanguage {
  readonly chat_id: string
  readonly language: Language
}

/**
 * Sets one menu. Commands work without it, so a failure is logged and ends nothing. False: Telegram did not
 * answer, so further calls would only wait.
 */
const setMenu = async (ports: MenuPorts, call: MenuCall, signal?: AbortSignal): Promise<boolean> => {
  try {
    const set = (limited: CallSignal) => ports.api.raw.setMyCommands({ ...call }, limited)
    await within(ports.timers, callTimeoutMs, set, signal)
    return true
  } catch (error) {
    const failure = readFailure(error, [ports.token])
    ports.log('warn', 'telegram menu not set', { method: 'setMyCommands', ...failureFields(failure) })
    return failure.kind === 'refused'
  }
}

/** Sets the menu of a chat whose people chose a language. A topic has no menu of its own. Never rejects. */
export const setChatMenu = async (
  ports: MenuPorts,
  { chat_id, language }: ChosenLanguage,
  signal?: AbortSignal,
): Promise<boolean> => {
  const chat = readChatId(chat_id)
  if (chat === undefined || chat.message_thread_id !== undefined) return true
  return setMenu(ports, chatMenuCall(ports.menu, chat.chat_id, language), signal)
}

/**
 * Begins a connection: it asks Telegram who the bot is and sets the menus. Rejects when Telegram does not
 * name the bot.
 */
export const introduce = async (ports: IntroducePorts, signal: AbortSignal): Promise<Me> => {
  const self = await ports.identity.ask(signal)
  if (self.username !== undefined) ports.named(self.username)
  let isSet = true
  for (const call of menuCalls(ports.menu)) isSet &&= await setMenu(ports, call, signal)
  for (const chosen of ports.languages().slice(0, maxChatMenus))
    isSet &&= await setChatMenu(ports, chosen, signal)
  ports.log('info', 'telegram connected', { bot_id: self.id })
  return self
}
