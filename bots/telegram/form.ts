import type { Api } from 'grammy'
import type { Parcel } from '../../src/model/push.ts'
import type { ChatAddress } from './chat-id.ts'

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

/** One call of the Bot API, not yet minted. */
export type Rendered = {
  readonly [M in FormMethod]: { readonly method: M; readonly payload: Parameters<Raw[M]>[0] }
}[FormMethod]

/** A push in the form that Telegram has for it, made of its text, marks, parts and files alone; or in words why it cannot be. */
export type RenderForm = (parcel: Parcel, chat: ChatAddress) => Rendered | string | Promise<Rendered | string>
