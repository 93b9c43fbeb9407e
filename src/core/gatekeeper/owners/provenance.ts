import type { Message, Origin } from '../../model/chat/channel.ts'
import { roleGives, type Need, type Role } from '../../model/gate/person.ts'
import { fixed, prose, type Prose, verbatim } from '../../model/chat/prose.ts'
import { senderOf } from './owners.ts'

/**
 * The kinds of what people send. `message`: a text of an owner to the agent. `tap`: a button that a person
 * tapped; the command behind it needs its own right. The others are commands, by the right that they need.
 */
export type CommandKind = 'message' | 'tap' | Need

export type RefusalCode =
  | 'not_owner'
  | 'login_changed'
  | 'role'
  | 'not_private'
  | Exclude<Origin, 'plain'>
  | 'too_old'
  | 'in_future'

export type Admission =
  | { readonly ok: true }
  /** `words` explain the refusal to an owner. A stranger gets none. */
  | { readonly ok: false; readonly code: RefusalCode; readonly words?: Prose }

const maxAgeMs = 5 * 60 * 1000

const originWords: Readonly<Record<Exclude<Origin, 'plain'>, Prose>> = {
  edited: fixed('An edited message does not count. Send the command as a new message.'),
  forwarded: fixed('A forwarded message does not count. Type the command yourself.'),
  quoted: fixed('A message with a quote does not count. Send the command without it.'),
  captioned: fixed('A caption does not count. Send the command as a plain text message.'),
  via_bot: fixed('A message made by another bot does not count. Type the command yourself.'),
  sender_chat: fixed('A message in the name of a chat does not count. Send the command as yourself.'),
  automatic: fixed('An automatic message does not count. Send the command yourself.'),
  offline: fixed('A scheduled message does not count. Send the command now.'),
  business: fixed('A message through a business account does not count. Write to the bot itself.'),
  channel_post: fixed('A channel post does not count. Write to the bot itself.'),
  from_bot: fixed('A message from a bot does not count. Send the command yourself.'),
  self: fixed('A message that hookgate sent itself does not count.'),
  voice: fixed('A voice message does not count. Type the command.'),
  recalled: fixed('A message that was taken back does not count, and taking it back undoes nothing.'),
  not_text: fixed('That is not a plain text message. Type the command.'),
}

/** The text for a person whose id belongs to an owner of another login. They can pair again. */
const loginWords = fixed(
  'This messenger has a new login, so you are not an owner in this chat until you pair again.\nSend /pair in another chat of yours with hookgate, or on its web page. Then send the code that it shows in this chat.',
)

const [dayMs, hourMs, minuteMs] = [86_400_000, 3_600_000, 60_000]

/** `62 minutes`, `3 hours`, `2 days`. */
const span = (ms: number): Prose => {
  if (ms >= 2 * dayMs) return prose`${Math.floor(ms / dayMs)} days`
  return ms >= 2 * hourMs
    ? prose`${Math.floor(ms / hourMs)} hours`
    : prose`${Math.floor(ms / minuteMs)} minutes`
}

/** The time of the machine's clock. */
const clockWords = (now: number): Prose =>
  verbatim(`${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`)

/**
 * Either the message was delayed, or the two clocks differ. Only the person knows which, so the text helps
 * with both.
 */
const ageRefusal = (
  message: Message,
  now: number,
): { readonly code: RefusalCode; readonly words: Prose } | undefined => {
  const ageMs = now - message.sentAtMs
  // A tap that arrives before the messenger has confirmed that it holds no older ones.
  if (Number.isNaN(ageMs) || message.sentAtMs === 0)
    return { code: 'too_old', words: fixed('hookgate does not know when you did that. Do it again.') }
  if (ageMs > maxAgeMs) {
    return {
      code: 'too_old',
      words: prose`That message is ${span(ageMs)} old, and a command is valid for 5 minutes. Send it again.\nIf you sent it just now, set this machine's clock, which says ${clockWords(now)}.`,
    }
  }
  if (ageMs < -maxAgeMs) {
    return {
      code: 'in_future',
      words: prose`That message is dated ${span(-ageMs)} ahead. Set this machine's clock, which says ${clockWords(now)}, then send it again.\n/hooks off works anyway.`,
    }
  }
  return undefined
}

/**
 * Checks the form of a message, whoever sent it: private, plain and (unless `isAgeless`) recent by the
 * messenger's clock.
 */
export const formRefusal = (
  message: Message,
  now: number,
  isAgeless = false,
): { readonly code: RefusalCode; readonly words: Prose } | undefined => {
  if (message.origin !== 'plain') return { code: message.origin, words: originWords[message.origin] }
  if (!message.isPrivate) {
    return {
      code: 'not_private',
      words: fixed('Others can read and write here. Send the command in the private chat with the bot.'),
    }
  }
  return isAgeless ? undefined : ageRefusal(message, now)
}

/** For a person whose role does not give the right. */
const roleWords: Readonly<Record<Exclude<Role, 'owner'>, Prose>> = {
  approver: fixed(
    'You are an approver of this gate: you answer the tool calls that you are asked about, and nothing else.\n→ /asks',
  ),
  viewer: fixed('You are a viewer of this gate: you can read and change nothing.\n→ /hooks'),
}

/** Why a person below an owner may not do this. Undefined: their role gives the right. */
const roleRefusal = (message: Message, kind: CommandKind, role: Role): Admission | undefined => {
  if (role === 'owner') return undefined
  if (kind === 'tap') return undefined
  if (kind !== 'message')
    return roleGives(role, kind) ? undefined : { ok: false, code: 'role', words: roleWords[role] }
  // Others talk in a group, too, and a hint at each of their messages would disturb them.
  return message.isPrivate
    ? { ok: false, code: 'role', words: prose`Your message did not reach the agent. ${roleWords[role]}` }
    : { ok: false, code: 'role' }
}

/** Decides whether a message may give a command of this kind. Pure. */
export const admits = (
  message: Message,
  kind: CommandKind,
  gate: {
    readonly isOwner: (id: string) => boolean
    /** True also for an owner of another login. */
    readonly isKnown?: (id: string) => boolean
    /** The role of somebody who is not an owner. */
    readonly roleOf?: (id: string) => Role | undefined
    readonly now: number
  },
): Admission => {
  const sender = senderOf(message)
  if (sender === undefined) return { ok: false, code: 'not_owner' }
  const role = gate.isOwner(sender) ? 'owner' : gate.roleOf?.(sender)
  if (role === undefined) {
    const isKnown = gate.isKnown?.(sender) === true && message.isPrivate
    return isKnown
      ? { ok: false, code: 'login_changed', words: loginWords }
      : { ok: false, code: 'not_owner' }
  }
  const low = roleRefusal(message, kind, role)
  if (low !== undefined) return low
  switch (kind) {
    case 'message':
    case 'person':
      return { ok: true }
    case 'viewer':
    case 'owner': {
      /*
       * The command does not change the gate, so its form does not matter. An old one is refused, because it
       * was not meant for now.
       */
      const age = ageRefusal(message, gate.now)
      return age?.code === 'too_old' ? { ok: false, ...age } : { ok: true }
    }
    case 'tap':
    case 'approver':
    case 'privileged':
    case 'off': {
      const refusal = formRefusal(message, gate.now, kind === 'off')
      return refusal === undefined ? { ok: true } : { ok: false, ...refusal }
    }
  }
}
