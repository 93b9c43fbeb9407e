import type { ReactionTypeEmoji } from 'grammy/types'
import { numbered, partNamed } from '../../../src/core/model/chat/content.ts'
import type { RenderForm } from './form.ts'
import { firstOf, refuseLength } from './payload.ts'
import { targetOf } from './text.ts'

/**
 * Telegram's limits, in characters. Here UTF-16 units are counted; a text never has fewer units than
 * characters.
 */
const maxQuestion = 300
const maxOption = 100
const maxTopic = 128

export const poll: RenderForm = ({ text, parts }, chat) => {
  const options = numbered(parts, 'option').map(({ text }) => ({ text }))
  const refused = firstOf([
    refuseLength('a question', text, maxQuestion),
    ...options.map((option) => refuseLength('an option', option.text, maxOption)),
  ])
  return refused ?? { method: 'sendPoll', payload: { ...chat, question: text, options, is_anonymous: false } }
}

export const location: RenderForm = ({ parts }, chat) => {
  const [title, address] = [partNamed(parts, 'title'), partNamed(parts, 'address')]
  const at = {
    latitude: Number(partNamed(parts, 'latitude')),
    longitude: Number(partNamed(parts, 'longitude')),
  }
  if (title !== undefined && address !== undefined)
    return { method: 'sendVenue', payload: { ...chat, ...at, title, address } }
  if (title === address) return { method: 'sendLocation', payload: { ...chat, ...at } }
  return 'Expected both a title and an address of a place or neither, got only one of them. Send both, or neither.'
}

export const contact: RenderForm = ({ parts }, chat) => {
  const last_name = partNamed(parts, 'last_name')
  return {
    method: 'sendContact',
    payload: {
      ...chat,
      phone_number: partNamed(parts, 'phone') ?? '',
      first_name: partNamed(parts, 'first_name') ?? '',
      ...(last_name === undefined ? {} : { last_name }),
    },
  }
}

export const topic: RenderForm = ({ text }, { chat_id }) =>
  refuseLength("a topic's name", text, maxTopic) ?? {
    method: 'createForumTopic',
    payload: { chat_id, name: text },
  }

const isEmoji = (text: string): boolean =>
  [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].length === 1 &&
  /\p{Extended_Pictographic}/u.test(text)

export const reaction: RenderForm = (outgoing, { chat_id }) => {
  // Telegram's list of reactions has the emoji without the variation selector U+FE0F.
  const emoji = outgoing.text.trim().replaceAll('\uFE0F', '')
  const message_id = targetOf(outgoing)
  if (!isEmoji(emoji)) return 'Expected one emoji as a reaction, got something else. Send one, or a text.'
  if (typeof message_id === 'string') return message_id
  return {
    method: 'setMessageReaction',
    payload: {
      chat_id,
      message_id,
      reaction: [{ type: 'emoji', emoji: emoji as ReactionTypeEmoji['emoji'] }],
    },
  }
}
