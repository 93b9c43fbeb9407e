import type { MessageEntity } from 'grammy/types'
import type { Parcel } from '../../src/model/push.ts'
import { anchorEntities, entitiesOf } from './entities.ts'
import type { RenderForm } from './form.ts'
import { keyboardOf } from './keyboard.ts'
import { maxUnits, readId } from './payload.ts'

/** What a message of words shows. No parse_mode: what is in the text is shown, not interpreted. */
export type Content = ReturnType<typeof keyboardOf> & {
  readonly text: string
  readonly entities: MessageEntity[]
  readonly link_preview_options: { readonly is_disabled: true }
}

/** The words of a parcel as a message shows them, or in words why it cannot. */
export const contentOf = (parcel: Parcel): Content | string => {
  const { text } = parcel
  const isAnchor = parcel.isAnchor === true
  if (text.length > maxUnits)
    return `Expected at most ${maxUnits} UTF-16 units of text, got ${text.length}. Split the text before it is delivered.`
  const own = entitiesOf(parcel, isAnchor ? 2 : 0)
  const entities = isAnchor ? anchorEntities(text, own) : own
  if (entities === undefined)
    return 'Expected what is kept pinned to begin with a line of words, got a command or none. Begin it with words.'
  return { text, entities: [...entities], link_preview_options: { is_disabled: true }, ...keyboardOf(parcel) }
}

/** The message that a push is about. */
export const targetOf = ({ target = '' }: Parcel): number | string => {
  const id = readId(target)
  return id !== undefined && id > 0
    ? id
    : 'Expected the number of a message in this chat, got something else. Name the push_id of what you sent, or the id of a message that came in.'
}

export const message: RenderForm = (parcel, chat) => {
  const content = contentOf(parcel)
  return typeof content === 'string' ? content : { method: 'sendMessage', payload: { ...chat, ...content } }
}

export const edit: RenderForm = (parcel, { chat_id }) => {
  const [content, message_id] = [contentOf(parcel), targetOf(parcel)]
  if (typeof content === 'string') return content
  if (typeof message_id === 'string') return message_id
  return { method: 'editMessageText', payload: { chat_id, message_id, ...content } }
}

/** One draft a chat: the next one takes its place, and so does the message that it becomes. */
const draftId = 1

export const draft: RenderForm = (parcel, chat) => {
  if (chat.chat_id < 0)
    return 'Expected a private chat for a draft, got a group. Send the text when it is whole.'
  const content = contentOf(parcel)
  return typeof content === 'string'
    ? content
    : {
        method: 'sendMessageDraft',
        payload: { ...chat, draft_id: draftId, text: content.text, entities: content.entities },
      }
}
