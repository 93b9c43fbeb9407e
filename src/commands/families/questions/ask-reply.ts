import { refusal, type Notice, type NoticeText } from '../../../core/model/chat/notice.ts'
import type { Prose } from '../../../core/model/chat/prose.ts'
import type { CardForm, OwnerSpeaking } from '../../../shared/gate/permission.ts'
import type { CommandContext, CommandPorts } from '../../ports.ts'

/** The person who answers with this message, where, and under which card. */
export const speakerIn = ({ owner, address, message: { press } }: CommandContext): OwnerSpeaking => ({
  owner,
  address,
  on_message_id: press?.on_message_id,
})

/** Shows the card of a question in another form: in the place of the tapped one, or as a new message. */
export const showCard = (
  key: string,
  form: CardForm,
  { asks }: Pick<CommandPorts, 'asks'>,
  { address, message: { press } }: CommandContext,
): NoticeText => {
  asks.showAgain(key, address, form, press?.on_message_id)
  return []
}

/**
 * Asks for words, which the person writes as a reply. `about`: the key under which the words come back.
 * `typed`: the line to type where nothing can be replied to.
 */
export const askForReply = (
  about: string,
  text: Prose,
  typed: Prose,
  { handle }: Pick<CommandPorts, 'handle'>,
  { owner, address, message }: CommandContext,
): Notice => {
  // Only a messenger with buttons gives ids of messages, by which a reply is known.
  if (message.press === undefined) return refusal(typed)
  return {
    // The message stands for this handle, so that a reply to it is known. Nobody has to type it.
    text: [...text, { fixed: '', handle: handle(owner, address.chat_id, about) }],
    asksReply: true,
  }
}
