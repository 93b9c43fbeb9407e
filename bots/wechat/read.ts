import type { InboundFile, Message, Origin } from '../../src/core/model/chat/channel.ts'
import type { MessageInterface } from 'wechaty/impls'

/** WeChat shows at most 64 characters of a name, so the rest is cut off. */
const MAX_NAME_UNITS = 128

/**
 * wechaty-puppet's numbers for the types of message. They are copied here so that this file needs no import
 * of it.
 */
const TEXT = 7
const ORIGINS: Readonly<Record<number, Origin>> = {
  2: 'voice',
  // This is a message that holds several forwarded messages.
  4: 'forwarded',
  13: 'recalled',
}

/** The line of dashes between a quoted message and the answer to it. */
const QUOTE_END = /\n[ \t]*(?:[-—][ \t]*){3,}\n/

/**
 * Reads an answer to a quoted message. WeChat sends it as plain text: `「name：words」`, a line of dashes, and
 * the answer. When the answer looks like a command, only the answer is returned. It is then refused as a
 * command and does not reach the agent.
 */
const quoteIn = (text: string): { readonly origin: Origin; readonly text: string } | undefined => {
  if (!text.startsWith('「')) return undefined
  const quoteEnd = QUOTE_END.exec(text)
  const answer = quoteEnd === null ? '' : text.slice(quoteEnd.index + quoteEnd[0].length).trimStart()
  return { origin: 'quoted', text: /^[`~]*[/／]/.test(answer) ? answer : text }
}

const contentOf = (message: MessageInterface): { readonly origin: Origin; readonly text: string } => {
  const type: number = message.type()
  if (type !== TEXT) return { origin: ORIGINS[type] ?? 'not_text', text: '' }
  const text = message.text()
  return quoteIn(text) ?? { origin: 'plain', text }
}

/**
 * Translates one message. `selfId` is the bot's account. It is undefined when nobody is logged in, and then
 * every
 * message counts as the bot's own, which is never a command. wechaty's own `self()` would answer "no" in that
 * case.
 * `files` are the files of the message.
 */
export const readMessage = (
  message: MessageInterface,
  selfId: string | undefined,
  files: readonly InboundFile[] = [],
): Message => {
  const talker = message.talker()
  const room = message.room()
  const isSelf = selfId === undefined || talker.id === selfId
  const partnerId = isSelf ? (message.payload?.listenerId ?? talker.id) : talker.id
  const { origin, text } = contentOf(message)
  return {
    channel: 'wechat',
    chat_id: room?.id ?? partnerId,
    message_id: message.id,
    sender_id: talker.id,
    sender_name: talker.name().slice(0, MAX_NAME_UNITS).toWellFormed(),
    // WeChat reports no language.
    language: 'zh',
    isPrivate: room === undefined,
    origin: isSelf ? 'self' : origin,
    sentAtMs: message.date().getTime(),
    text,
    ...(isSelf || files.length === 0 ? {} : { files }),
  }
}
