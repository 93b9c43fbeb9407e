import type { Api } from 'grammy'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import type { ChatAddress } from '../chat-id.ts'

type Raw = Api['raw']
export type FormMethod =
  | 'sendMessage'
  | 'editMessageText'
  | 'sendMessageDraft'
  | 'sendPhoto'
  | 'sendDocument'
  | 'sendVoice'
  | 'sendMediaGroup'
  | 'sendPoll'
  | 'sendLocation'
  | 'sendVenue'
  | 'sendContact'
  | 'createForumTopic'
  | 'setMessageReaction'

/** One call of the Bot API before its payload is minted. */
export type Rendered = {
  readonly [M in FormMethod]: { readonly method: M; readonly payload: Parameters<Raw[M]>[0] }
}[FormMethod]

/**
 * Makes the Bot API call for a push. It uses only the text, marks, parts and files of the push. It gives a
 * text that says why when Telegram has no such call for the push.
 */
export type RenderForm = (
  outgoing: OutgoingMessage,
  chat: ChatAddress,
) => Rendered | string | Promise<Rendered | string>
