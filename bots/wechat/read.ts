import type { InboundFile, Message, Origin } from '../../src/model/channel.ts'
import type { MessageInterface } from 'wechaty/impls'

/** WeChat shows at most 64 characters of a name; the rest would only be somebody's noise. */
const MAX_NAME_UNITS = 128

/** The types of message, as wechaty-puppet numbers them. Its table is an import that this file does without. */
const TEXT = 7
const ORIGINS: Readonly<Record<number, Origin>> = {
  2: 'voice',
  // Several messages forwarded as one.
  4: 'forwarded',
  13: 'recalled',
}

/** What stands between a quoted message and the answer to it. */
const RULE = /\n[ \t]*(?:[-—][ \t]*){3,}\n/

/**
 * A quoted message is plain text: `「name：words」`, a line of dashes, and the answer. Only when the answer looks like a
 * command does it stand alone, so that it is refused as what it is instead of being read to the agent.
 */
const quoteIn = (text: string): { readonly origin: Origin; readonly text: string } | undefined => {
  if (!text.startsWith('「')) return undefined
  const rule = RULE.exec(text)
  const answer = rule === null ? '' : text.slice(rule.index + rule[0].length).trimStart()
  return { origin: 'quoted', text: /^[`~]*[/／]/.test(answer) ? answer : text }
}

const contentOf = (message: MessageInterface): { readonly origin: Origin; readonly text: string } => {
  const type: number = message.type()
  if (type !== TEXT) return { origin: ORIGINS[type] ?? 'not_text', text: '' }
  const text = message.text()
  return quoteIn(text) ?? { origin: 'plain', text }
}

/**
 * Translates one message; `selfId` is the account that the bot runs as, unknown when nobody is logged in. `files` are what it brings along.
 * wechaty's own `self()` answers "no" when it cannot tell. Here a message of which nobody can tell counts as our own.
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
    isPrivate: room === undefined,
    origin: isSelf ? 'self' : origin,
    sentAtMs: message.date().getTime(),
    text,
    ...(isSelf || files.length === 0 ? {} : { files }),
  }
}
