import type { Message, Origin } from '../model/channel.ts'
import { senderOf } from './owners.ts'

/** `owner`: any command of an owner. `privileged`: one that changes the gate. `off`: `/hooks off`, which has no age. */
export type CommandKind = 'owner' | 'privileged' | 'off'

export type RefusalCode = 'not_owner' | 'not_private' | Exclude<Origin, 'plain'> | 'too_old' | 'in_future'

export type Admission =
  | { readonly ok: true }
  /** `words` help an owner; a stranger gets none. */
  | { readonly ok: false; readonly code: RefusalCode; readonly words?: string }

const maxAgeMs = 5 * 60 * 1000

const originWords: Readonly<Record<Exclude<Origin, 'plain'>, string>> = {
  edited: 'An edited message does not count. Send the command as a new message.',
  forwarded: 'A forwarded message does not count. Type the command yourself.',
  quoted: 'A message with a quote does not count. Send the command without it.',
  captioned: 'A caption does not count. Send the command as a plain text message.',
  via_bot: 'A message made by another bot does not count. Type the command yourself.',
  sender_chat: 'A message in the name of a chat does not count. Send the command as yourself.',
  automatic: 'An automatic message does not count. Send the command yourself.',
  offline: 'A scheduled message does not count. Send the command now.',
  business: 'A message over a business account does not count. Write to the bot itself.',
  channel_post: 'A channel post does not count. Write to the bot itself.',
  from_bot: 'A message from a bot does not count. Send the command yourself.',
  self: 'A message that hookgate sent itself does not count.',
  not_text: 'Only text counts. Type the command as a plain message.',
}

/** The message's form alone, whoever sent it: private, plain and (unless `isAgeless`) fresh by the platform's clock. */
export const formRefusal = (
  message: Message,
  now: number,
  isAgeless = false,
): { readonly code: RefusalCode; readonly words: string } | undefined => {
  if (message.origin !== 'plain') return { code: message.origin, words: originWords[message.origin] }
  if (!message.isPrivate) {
    return { code: 'not_private', words: 'Others can read and write here. Send the command in the private chat with the bot.' }
  }
  if (isAgeless) return undefined
  const ageMs = now - message.sentAtMs
  // Written so that a time that is no number is refused.
  if (!(ageMs <= maxAgeMs)) return { code: 'too_old', words: 'That message is more than 5 minutes old. Send the command again.' }
  if (!(ageMs >= -maxAgeMs)) {
    return { code: 'in_future', words: "That message is dated in the future. Set this machine's clock, then send the command again." }
  }
  return undefined
}

/** Whether a message may give a command of this kind. Pure. */
export const admits = (
  message: Message,
  kind: CommandKind,
  gate: { readonly isOwner: (id: string) => boolean; readonly now: number },
): Admission => {
  const sender = senderOf(message)
  if (sender === undefined || !gate.isOwner(sender)) return { ok: false, code: 'not_owner' }
  const refusal = kind === 'owner' ? undefined : formRefusal(message, gate.now, kind === 'off')
  return refusal === undefined ? { ok: true } : { ok: false, ...refusal }
}
