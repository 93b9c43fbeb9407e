import type { Message, Origin } from '../../src/model/channel.ts'
import type { MessageInterface } from 'wechaty/impls'

/** WeChat shows at most 64 characters of a name; the rest would only be somebody's noise. */
const MAX_NAME_UNITS = 128

/** A text message, as wechaty-puppet numbers the types. Its table is an import that this file does without. */
const TEXT = 7

/**
 * Translates one message; `selfId` is the account that the bot runs as, unknown when nobody is logged in.
 * wechaty's own `self()` answers "no" when it cannot tell. Here a message of which nobody can tell counts as our own.
 * A quoted message is plain text that begins with 「 and stays as it is: a command begins with its slash.
 */
export const readMessage = (message: MessageInterface, selfId: string | undefined): Message => {
  const talker = message.talker()
  const room = message.room()
  const type: number = message.type()
  const isText = type === TEXT
  const isSelf = selfId === undefined || talker.id === selfId
  const partnerId = isSelf ? (message.payload?.listenerId ?? talker.id) : talker.id
  const origin: Origin = isSelf ? 'self' : isText ? 'plain' : 'not_text'
  return {
    channel: 'wechat',
    chat_id: room?.id ?? partnerId,
    message_id: message.id,
    sender_id: talker.id,
    sender_name: talker.name().slice(0, MAX_NAME_UNITS).toWellFormed(),
    isPrivate: room === undefined,
    origin,
    sentAtMs: message.date().getTime(),
    text: isText ? message.text() : '',
  }
}
