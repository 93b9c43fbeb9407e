import type { MessageEntity } from 'grammy/types'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { anchorEntities, entitiesOf } from './entities.ts'
import type { RenderForm } from './form.ts'
import { keyboardOf } from './keyboard.ts'
import { maxUnits, readId } from './payload.ts'

/**
 * The content of a text message. It has no parse_mode, so Telegram shows the text as it is and interprets no
 * markup.
 */
export type Content = ReturnType<typeof keyboardOf> & {
  readonly text: string
  readonly entities: MessageEntity[]
  readonly link_preview_options: { readonly is_disabled: true }
}

/** Makes the content of a text message from a message. Gives a text that says why when it cannot. */
export const contentOf = (outgoing: OutgoingMessage): Content | string => {
  const { text } = outgoing
  const isAnchor = outgoing.isAnchor === true
  if (text.length > maxUnits)
    return `Expected at most ${maxUnits} UTF-16 units of text, got ${text.length}. Split the text before it is delivered.`
  const own = entitiesOf(outgoing, isAnchor ? 2 : 0)
  const entities = isAnchor ? anchorEntities(text, own) : own
  if (entities === undefined)
    return 'Expected a pinned message to begin with a line of text, got a command or an empty text. Begin it with a line of text.'
  return {
    text,
    entities: [...entities],
    link_preview_options: { is_disabled: true },
    ...keyboardOf(outgoing),
  }
}

/** The id of the message that a push refers to. Gives a text that says why when there is none. */
export const targetOf = ({ target = '' }: OutgoingMessage): number | string => {
  const id = readId(target)
  return id !== undefined && id > 0
    ? id
    : 'Expected the number of a message in this chat, got something else. Name the push_id of a message that you sent, or the id of a message that you received.'
}

export const message: RenderForm = (outgoing, chat) => {
  const content = contentOf(outgoing)
  return typeof content === 'string' ? content : { method: 'sendMessage', payload: { ...chat, ...content } }
}

export const edit: RenderForm = (outgoing, { chat_id }) => {
  const [content, message_id] = [contentOf(outgoing), targetOf(outgoing)]
  if (typeof content === 'string') return content
  if (typeof message_id === 'string') return message_id
  return { method: 'editMessageText', payload: { chat_id, message_id, ...content } }
}

/** Each chat has one draft. The next draft replaces it, and so does the finished message. */
const draftId = 1

export const draft: RenderForm = (outgoing, chat) => {
  if (chat.chat_id < 0)
    return 'Expected a private chat for a draft, got a group. Send the text when it is complete.'
  const content = contentOf(outgoing)
  return typeof content === 'string'
    ? content
    : {
        method: 'sendMessageDraft',
        payload: { ...chat, draft_id: draftId, text: content.text, entities: content.entities },
      }
}
