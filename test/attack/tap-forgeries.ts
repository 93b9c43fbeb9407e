import type { Message } from 'grammy/types'
import type { BotApi } from '../fixtures/bot-api/server.ts'

/** A button as an owner's phone shows it, and as its client would send it. */
export interface Shown {
  readonly message: Message
  readonly data: string
}

/**
 * A running gate whose owners are 7 and 8 on Telegram, with cards of many ages in their chats. Whoever else
 * there is, is a stranger.
 */
export interface TapWorld {
  readonly api: BotApi
  /** The buttons of a card for the owner that waits now. None of them was tapped. */
  readonly approve: Shown
  readonly close: Shown
  readonly wait: Shown
  /** The same hook's card in the other owner's chat. */
  readonly theirs: Shown
  /** From before hookgate was started anew. */
  readonly older: Shown
  /** Of a card that the owner approved, and of one that they put off. */
  readonly answered: { readonly approve: Shown; readonly wait: Shown; readonly put: Shown }
  /** That tap as it came, when it was carried out. */
  readonly carriedOut: Readonly<Record<string, unknown>>
  /** Under the list, from before hooks were switched on by a command. */
  readonly on: Shown
  /** Of an approval that has ended since, and is in force again. */
  readonly revoke: Shown
  /** Of cards whose scripts were changed since: of one that waits, and of one whose older bytes run on. */
  readonly stale: {
    readonly approve: Shown
    readonly close: Shown
    readonly wait: Shown
    readonly changed: Shown
    readonly changedClose: Shown
  }
  /** A message of the agent's, which the bot sent. */
  readonly spoken: Message
  /** The handle and the fingerprint under which the owner was shown what waits. */
  readonly handle: string
  readonly fingerprint: string
}

/** One way to have the gate take for an owner's answer what is none. */
export interface TapForgery {
  readonly what: string
  send(world: TapWorld): unknown
  /** The code in the record, and who it names there; the owner unless another is said. */
  readonly reason: string
  readonly who?: string
  /** What the real owner reads; absent: nobody reads anything. */
  readonly told?: RegExp
}

const nowS = (): number => Math.floor(Date.now() / 1000)
const group = { id: -1_009_000_000_001, type: 'supergroup', title: 'A group' } as const
const channel = { id: -1_001_000_000_001, type: 'channel', title: 'A channel' } as const
const stranger = { id: 66, first_name: 'Olive', username: 'olive' }
const other = { id: 88, is_bot: true, first_name: 'Helper', username: 'helper_bot' }
const botNoCount = /Your tap had no effect: A message made by another bot does not count/
const unknown = /Nothing was changed: hookgate does not know this button/

/** A tap on the owner's own live button, but under a message that is not simply the one it stands under. */
const under =
  (fields: Readonly<Record<string, unknown>>, extra = {}) =>
  ({ api, approve }: TapWorld) =>
    api.press(approve.data, { ...approve.message, ...fields }, 7, extra)
/** What a client of the owner's sends of its own accord under a card that is there. */
const data = (make: (world: TapWorld) => string) => (world: TapWorld) =>
  world.api.press(make(world), world.approve.message)
const tap =
  (pick: (world: TapWorld) => Shown, from: Parameters<BotApi['press']>[2] = 7) =>
  (world: TapWorld) =>
    world.api.press(pick(world).data, pick(world).message, from)

export const tapForgeries: readonly TapForgery[] = [
  // By somebody else.
  {
    what: "a stranger on an owner's card",
    send: tap(({ approve }) => approve, stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: 'a stranger on it in a chat of their own',
    send: ({ api, approve }) =>
      api.press(
        approve.data,
        { ...approve.message, chat: { id: 66, type: 'private', first_name: 'Olive' } },
        stranger,
      ),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: 'a stranger on it in a group',
    send: ({ api, approve }) => api.press(approve.data, { ...approve.message, chat: group }, stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: "a stranger whose name is the owner's id",
    send: tap(({ close }) => close, { id: 67, first_name: 'telegram:7', username: 'telegram7' }),
    reason: 'not_owner',
    who: '67',
  },
  {
    what: "a bot with the owner's number",
    send: tap(({ approve }) => approve, { id: 7, is_bot: true, first_name: 'Olive' }),
    reason: 'from_bot',
    told: /A message from a bot does not count/,
  },
  {
    what: "the gate's own bot",
    send: (world) => tap(({ approve }) => approve, world.api.bot)(world),
    reason: 'not_owner',
    who: '123456',
  },
  { what: 'another bot', send: tap(({ approve }) => approve, other), reason: 'not_owner', who: '88' },
  {
    what: 'an anonymous administrator of a group',
    send: ({ api, approve }) =>
      api.press(
        approve.data,
        { ...approve.message, chat: group },
        { id: 1_087_968_824, is_bot: true, first_name: 'Group' },
      ),
    reason: 'not_owner',
    who: '1087968824',
  },
  {
    what: "another owner on this owner's card",
    send: ({ api, approve, theirs }) => api.press(approve.data, theirs.message, 8),
    reason: 'elsewhere',
    who: '8',
  },
  {
    what: "this owner on another owner's card",
    send: ({ api, approve, theirs }) => api.press(theirs.data, approve.message),
    reason: 'elsewhere',
    told: /this button was made for another owner or another chat/,
  },

  // Somewhere else, or under what the bot did not say to them.
  { what: 'the owner in a group', send: under({ chat: group }), reason: 'not_private' },
  {
    what: "the owner under a channel's post",
    send: under({ chat: channel, from: undefined, sender_chat: channel }),
    reason: 'sender_chat',
  },
  { what: 'under a post that names the bot', send: under({ chat: channel }), reason: 'channel_post' },
  {
    what: "in somebody else's private chat",
    send: under({ chat: { id: 66, type: 'private', first_name: 'Olive' } }),
    reason: 'business',
  },
  { what: "under another bot's message", send: under({ from: other }), reason: 'via_bot', told: botNoCount },
  {
    what: "under a person's message",
    send: under({ from: { id: 7, is_bot: false, first_name: 'Olive' } }),
    reason: 'via_bot',
    told: botNoCount,
  },
  {
    what: "under a person with the bot's number",
    send: under({ from: { id: 123_456, is_bot: false, first_name: 'Gate' } }),
    reason: 'via_bot',
    told: botNoCount,
  },
  {
    what: 'under a message that names nobody',
    send: under({ from: undefined }),
    reason: 'via_bot',
    told: botNoCount,
  },
  {
    what: 'under a result of inline mode',
    send: under({ via_bot: other }),
    reason: 'via_bot',
    told: botNoCount,
  },
  {
    what: 'under a message in the name of a chat',
    send: under({ sender_chat: channel }),
    reason: 'sender_chat',
    told: /in the name of a chat does not count/,
  },
  {
    what: 'under a card that was forwarded',
    send: under({ forward_origin: { type: 'user', sender_user: other, date: nowS() } }),
    reason: 'forwarded',
    told: /A forwarded message does not count/,
  },
  {
    what: 'under an automatic forward',
    send: under({ is_automatic_forward: true }),
    reason: 'automatic',
    told: /An automatic message does not count/,
  },
  {
    what: 'over a business account',
    send: under({ business_connection_id: 'b1' }),
    reason: 'business',
    told: /through a business account does not count/,
  },
  {
    what: 'under a scheduled message',
    send: under({ is_from_offline: true }),
    reason: 'offline',
    told: /A scheduled message does not count/,
  },
  { what: 'without a message', send: under({}, { message: undefined }), reason: 'via_bot', told: botNoCount },
  {
    what: 'under a message that cannot be read',
    send: under({}, { message: { text: 'a card' } }),
    reason: 'via_bot',
    told: botNoCount,
  },
  {
    what: 'under a message that is out of reach',
    send: ({ api, approve: { data, message } }) =>
      api.press(data, { chat: message.chat, message_id: message.message_id, date: 0 }),
    reason: 'not_text',
    told: /Your tap had no effect: /,
  },
  {
    what: 'of inline mode',
    send: under({}, { message: undefined, inline_message_id: 'AAAA' }),
    reason: 'via_bot',
    told: botNoCount,
  },
  {
    what: 'of inline mode and of a message at once',
    send: under({}, { inline_message_id: 'AAAA' }),
    reason: 'via_bot',
    told: botNoCount,
  },
  {
    what: 'of a game',
    send: under({}, { data: undefined, game_short_name: 'approve' }),
    reason: 'not_text',
    told: /Your tap had no effect: /,
  },
  {
    what: 'of a game and of a button at once',
    send: under({}, { game_short_name: 'approve' }),
    reason: 'not_text',
    told: /Your tap had no effect: /,
  },

  // With other words than the button's.
  { what: 'nothing at all', send: data(() => ''), reason: 'not_text', told: /Your tap had no effect: / },
  {
    what: 'data that are no text',
    send: under({}, { data: { approve: true } }),
    reason: 'not_text',
    told: /Your tap had no effect: /,
  },
  {
    what: 'data longer than Telegram carries',
    send: data(({ approve }) => approve.data.padEnd(65, 'A')),
    reason: 'not_text',
    told: /Your tap had no effect: /,
  },
  {
    what: 'sixty-four bytes',
    send: data(({ approve }) => approve.data.padEnd(64, 'A')),
    reason: 'unknown',
    told: unknown,
  },
  { what: 'something random', send: data(() => 'AAAAAAAAAAAAAAAA'), reason: 'unknown', told: unknown },
  {
    what: "the button's data cut short",
    send: data(({ approve }) => approve.data.slice(0, -1)),
    reason: 'unknown',
    told: unknown,
  },
  {
    what: "the button's data with a blank",
    send: data(({ approve }) => `${approve.data} `),
    reason: 'unknown',
    told: unknown,
  },
  {
    what: "the button's data in other letters",
    send: data(({ approve }) =>
      approve.data.replace(/[a-z]/gi, (char) =>
        char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase(),
      ),
    ),
    reason: 'unknown',
    told: unknown,
  },
  {
    what: 'the data of two buttons',
    send: data(({ approve, close }) => `${approve.data}${close.data}`),
    reason: 'unknown',
    told: unknown,
  },
  { what: 'a command', send: data(() => '/hooks off'), reason: 'unknown', told: unknown },
  { what: 'a command without its slash', send: data(() => 'hooks off'), reason: 'unknown', told: unknown },
  {
    what: 'an answer by handle',
    send: data(({ handle }) => `/y ${handle}`),
    reason: 'unknown',
    told: unknown,
  },
  { what: 'a handle', send: data(({ handle }) => handle), reason: 'unknown', told: unknown },
  {
    what: 'a handle in capitals',
    send: data(({ handle }) => handle.toUpperCase()),
    reason: 'unknown',
    told: unknown,
  },
  {
    what: 'the fingerprint that the card shows',
    send: data(({ fingerprint }) => fingerprint),
    reason: 'unknown',
    told: unknown,
  },
  { what: 'what a button could mean', send: data(() => 'approve'), reason: 'unknown', told: unknown },
  { what: 'what a table could hold', send: data(() => '__proto__'), reason: 'unknown', told: unknown },
  {
    what: 'a card in JSON',
    send: data(({ fingerprint }) => JSON.stringify({ act: 'approve', fingerprint })),
    reason: 'unknown',
    told: unknown,
  },
  {
    what: 'a button that an agent put under its own message',
    send: ({ api, spoken }) =>
      api.press('Approve', {
        ...spoken,
        reply_markup: { inline_keyboard: [[{ text: 'Approve', callback_data: 'Approve' }]] },
      }),
    reason: 'unknown',
    told: unknown,
  },

  // At another time.
  {
    what: 'a button from before hookgate was started anew',
    send: tap(({ older }) => older),
    reason: 'unknown',
    told: unknown,
  },
  {
    what: 'the very tap that was carried out, once more',
    send: ({ api, carriedOut }) => api.inject({ callback_query: carriedOut }),
    reason: 'repeated',
  },
  {
    what: 'its button, tapped again',
    send: tap(({ answered }) => answered.approve),
    reason: 'used',
    told: /you answered this card already/,
  },
  {
    what: 'Not now on what was approved',
    send: tap(({ answered }) => answered.wait),
    reason: 'used',
    told: /you answered this card already/,
  },
  {
    what: 'Not now, tapped again',
    send: tap(({ answered }) => answered.put),
    reason: 'used',
    told: /you answered this card already/,
  },
  {
    what: 'Turn hooks on, after a command did',
    send: tap(({ on }) => on),
    reason: 'used',
    told: /you answered this card already/,
  },
  {
    what: 'Revoke of what was revoked and approved anew',
    send: tap(({ revoke }) => revoke),
    reason: 'used',
    told: /you answered this card already/,
  },
  {
    what: 'Approve on a card whose script was changed',
    send: tap(({ stale }) => stale.approve),
    reason: 'stale',
    told: /the hook has changed since this card was shown/,
  },
  {
    what: 'Approve and fail closed on it',
    send: tap(({ stale }) => stale.close),
    reason: 'stale',
    told: /the hook has changed since this card was shown/,
  },
  {
    what: 'Not now on it',
    send: tap(({ stale }) => stale.wait),
    reason: 'stale',
    told: /the hook has changed since this card was shown/,
  },
  {
    what: 'Approve of a change that was changed again',
    send: tap(({ stale }) => stale.changed),
    reason: 'stale',
    told: /the hook has changed since this card was shown/,
  },
  {
    what: 'Approve and fail closed of that change',
    send: tap(({ stale }) => stale.changedClose),
    reason: 'stale',
    told: /the hook has changed since this card was shown/,
  },
]
