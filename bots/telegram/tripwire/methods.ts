import type { RawApi } from 'grammy'

/**
 * - `free`: the bot itself needs the method. The tripwire allows only payloads that cannot carry an agent's
 *   text.
 * - `minted`: the method sends a form of a push. The tripwire allows only a payload that `deliver` minted for
 *   this method.
 */
export type MethodClass = 'free' | 'minted'

/**
 * The methods that the bot uses. The tripwire refuses all others, and so those that an upgrade brings. Code
 * that needs one has to name it here and say which payloads it may have.
 */
export const methods = {
  // The bot itself needs these.
  getUpdates: 'free',
  getMe: 'free',
  setMyCommands: 'free',
  sendChatAction: 'free',
  getChat: 'free',
  answerCallbackQuery: 'free',
  getFile: 'free',
  // It takes down a card that waits no more, and names it by its number.
  unpinChatMessage: 'free',
  // These say where Telegram sends the updates.
  setWebhook: 'free',
  deleteWebhook: 'free',
  getWebhookInfo: 'free',

  // These send a form of a push or pin a notice.
  sendMessage: 'minted',
  editMessageText: 'minted',
  sendMessageDraft: 'minted',
  sendPhoto: 'minted',
  sendDocument: 'minted',
  sendVoice: 'minted',
  sendMediaGroup: 'minted',
  sendLocation: 'minted',
  sendVenue: 'minted',
  sendContact: 'minted',
  sendPoll: 'minted',
  setMessageReaction: 'minted',
  createForumTopic: 'minted',
  pinChatMessage: 'minted',
} as const satisfies Partial<Record<keyof RawApi, MethodClass>>

export type MethodName = keyof typeof methods
export type FreeMethod = { [M in MethodName]: (typeof methods)[M] extends 'free' ? M : never }[MethodName]

export const isMethod = (name: unknown): name is MethodName =>
  typeof name === 'string' && Object.hasOwn(methods, name)
