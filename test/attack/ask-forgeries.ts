import type { Message } from 'grammy/types'
import type { BotApi } from '../fixtures/bot-api/server.ts'
import type { Shown } from './tap-forgeries.ts'

/** The buttons of one card of a tool call. */
export interface AskCard {
  readonly once: Shown
  readonly session: Shown
  readonly deny: Shown
}

/**
 * A running gate whose owners are 7 and 8 on Telegram. A tool call and a message wait for their word, and
 * each of them has a card of both.
 */
export interface AskWorld {
  readonly api: BotApi
  /** The first owner's cards, and the handles on them. */
  readonly asked: AskCard & { readonly handle: string }
  readonly held: { readonly release: Shown; readonly withhold: Shown; readonly handle: string }
  /** The second owner's. */
  readonly theirs: { readonly once: Shown; readonly release: Shown }
  /**
   * What the first owner answered before: by a tap, which came like this, and in words, which came like this.
   */
  readonly answered: {
    readonly asked: AskCard
    readonly held: { readonly release: Shown; readonly withhold: Shown }
    readonly tap: Readonly<Record<string, unknown>>
    readonly words: Message
  }
  /** The first owner's card of a call that the second one answered, and of one whose agent has gone. */
  readonly elsewhere: AskCard
  readonly gone: AskCard
  /** The card of a call that the first owner allowed: a hook has rewritten it since, and it waits anew. */
  readonly rewritten: AskCard
}

/** One way to have the gate take for an owner's answer to a card what is none. */
export interface AskForgery {
  readonly what: string
  send(world: AskWorld): unknown
  /** The code in the record; absent: an owner's own words, which name nothing that waits. */
  readonly reason?: string
  /** Who the record names, and who is told; the first owner unless another is said. */
  readonly who?: string
  /** What they read; absent: nobody reads anything. */
  readonly told?: RegExp
}

const nowS = (): number => Math.floor(Date.now() / 1000)
const group = { chat: { id: -1_009_000_000_001, type: 'supergroup', title: 'A group' } }
const channel = { id: -1_001_000_000_001, type: 'channel', title: 'A channel' }
const stranger = { id: 66, first_name: 'Olive', username: 'olive' }
const other = { id: 88, is_bot: true, first_name: 'Helper', username: 'helper_bot' }
const forwardedBy = { forward_origin: { type: 'user', sender_user: stranger, date: nowS() } }

const lines = {
  yes: ({ asked: { handle } }: AskWorld): string => `/y ${handle}`,
  session: ({ asked: { handle } }: AskWorld): string => `/y ${handle} session`,
  no: ({ asked: { handle } }: AskWorld): string => `/n ${handle} because it is late`,
  release: ({ held: { handle } }: AskWorld): string => `/hooks release ${handle}`,
  withhold: ({ held: { handle } }: AskWorld): string => `/hooks withhold ${handle}`,
}
type Line = keyof typeof lines
const say =
  (line: Line, extra: Readonly<Record<string, unknown>> = {}, from: Parameters<BotApi['say']>[1] = 7) =>
  (world: AskWorld) =>
    world.api.say(lines[line](world), from, extra)
const quoted = (line: Line, type: string) => (world: AskWorld) =>
  world.api.say(lines[line](world), 7, { entities: [{ type, offset: 0, length: lines[line](world).length }] })

const typed: readonly AskForgery[] = [
  { what: 'a stranger says yes', send: say('yes', {}, stranger), reason: 'not_owner', who: '66' },
  {
    what: 'a stranger says yes for a session',
    send: say('session', {}, stranger),
    reason: 'not_owner',
    who: '66',
  },
  { what: 'a stranger says no', send: say('no', {}, stranger), reason: 'not_owner', who: '66' },
  { what: 'a stranger releases', send: say('release', {}, stranger), reason: 'not_owner', who: '66' },
  {
    what: 'a stranger says yes in a group',
    send: say('yes', group, stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: "a stranger whose name is the owner's id",
    send: say('yes', {}, { id: 67, first_name: 'telegram:7', username: 'telegram7' }),
    reason: 'not_owner',
    who: '67',
  },
  { what: 'another bot', send: say('release', {}, other), reason: 'not_owner', who: '88' },
  {
    what: "the gate's own bot",
    send: (world) => say('yes', {}, world.api.bot)(world),
    reason: 'not_owner',
    who: '123456',
  },
  {
    what: "a bot with the owner's number",
    send: say('session', {}, { id: 7, is_bot: true, first_name: 'Olive' }),
    reason: 'from_bot',
    told: /from a bot does not count/,
  },
  {
    what: "a channel's post",
    send: (world) => world.api.post(lines.yes(world)),
    reason: 'not_owner',
    who: '-1001000000001',
  },
  {
    what: 'an anonymous administrator of a group',
    send: say(
      'yes',
      { ...group, sender_chat: group.chat },
      { id: 1_087_968_824, is_bot: true, first_name: 'Group' },
    ),
    reason: 'not_owner',
    who: '1087968824',
  },
  { what: 'the owner in a group', send: say('yes', group), reason: 'not_private' },
  { what: 'the owner, releasing in a group', send: say('release', group), reason: 'not_private' },
  {
    what: 'a yes that was forwarded',
    send: say('yes', forwardedBy),
    reason: 'forwarded',
    told: /forwarded message does not count/,
  },
  {
    what: 'a no that was forwarded',
    send: say('no', { forward_date: nowS() }),
    reason: 'forwarded',
    told: /forwarded message does not count/,
  },
  {
    what: 'a release out of a channel',
    send: say('release', { forward_origin: { type: 'channel', chat: channel, message_id: 1, date: nowS() } }),
    reason: 'forwarded',
    told: /forwarded message does not count/,
  },
  {
    what: 'a message edited into a yes',
    send: (world) => world.api.edit(world.answered.words, lines.yes(world)),
    reason: 'edited',
    told: /edited message does not count/,
  },
  {
    what: 'a caption',
    send: (world) =>
      world.api.say('', 7, {
        caption: lines.session(world),
        photo: [{ file_id: 'x', file_unique_id: 'x', width: 1, height: 1 }],
      }),
    reason: 'captioned',
    told: /caption does not count/,
  },
  {
    what: 'a result of inline mode',
    send: say('yes', { via_bot: other }),
    reason: 'via_bot',
    told: /made by another bot does not count/,
  },
  {
    what: 'one in the name of a chat',
    send: say('withhold', { sender_chat: channel }),
    reason: 'sender_chat',
    told: /in the name of a chat does not count/,
  },
  {
    what: 'an automatic forward',
    send: say('yes', { is_automatic_forward: true }),
    reason: 'automatic',
    told: /automatic message does not count/,
  },
  {
    what: 'one over a business account',
    send: say('session', { business_connection_id: 'b1' }),
    reason: 'business',
    told: /through a business account does not count/,
  },
  {
    what: 'a scheduled one',
    send: say('yes', { is_from_offline: true }),
    reason: 'offline',
    told: /scheduled message does not count/,
  },
  {
    what: 'a yes in a quote',
    send: quoted('yes', 'blockquote'),
    reason: 'quoted',
    told: /with a quote does not count/,
  },
  {
    what: 'a release in a quote that is folded away',
    send: quoted('release', 'expandable_blockquote'),
    reason: 'quoted',
    told: /with a quote does not count/,
  },
  {
    what: 'a yes out of a backlog',
    send: say('yes', { date: nowS() - 3600 }),
    reason: 'too_old',
    told: /60 minutes old/,
  },
  {
    what: 'a release without a time',
    send: say('release', { date: 0 }),
    reason: 'too_old',
    told: /does not know when/,
  },
  {
    what: 'a yes of tomorrow',
    send: say('yes', { date: nowS() + 86_400 }),
    reason: 'in_future',
    told: /dated .* ahead/,
  },
  {
    what: 'a yes that can be tapped',
    send: ({ api, asked }) => api.say(`/y_${asked.handle}`),
    reason: 'unknown_command',
    told: /is not a command/,
  },
  {
    what: 'a link that starts the bot with a yes',
    send: ({ api, asked }) => api.say(`/start y_${asked.handle}`),
    reason: 'start_link',
    told: /nothing was done with it/,
  },
  {
    what: 'a yes to another bot',
    send: ({ api, asked }) => api.say(`/y@helper_bot ${asked.handle}`),
    reason: 'other_bot',
    told: /is not a command/,
  },
  {
    what: 'words that were carried out, said again',
    send: ({ api, answered }) => api.inject({ message: answered.words }),
    reason: 'repeated',
  },
  {
    what: "another owner with this owner's handle",
    send: say('yes', {}, 8),
    who: '8',
    told: /names nothing now/,
  },
  {
    what: "another owner who releases by this owner's handle",
    send: say('release', {}, 8),
    who: '8',
    told: /No held message has the handle/,
  },
  {
    what: 'a release of what is a tool call',
    send: ({ api, asked }) => api.say(`/hooks release ${asked.handle}`),
    told: /Nothing was changed: the message no longer waits/,
  },
  {
    what: 'a yes to what is a message',
    send: ({ api, held }) => api.say(`/y ${held.handle} session`),
    told: /Name the /,
  },
  {
    what: 'an approval of what is a tool call',
    send: ({ api, asked }) => api.say(`/hooks approve ${asked.handle}`),
    told: /has changed since you saw it/,
  },
]

const tap =
  (
    pick: (world: AskWorld) => Shown,
    from: Parameters<BotApi['press']>[2] = 7,
    fields: Readonly<Record<string, unknown>> = {},
  ) =>
  (world: AskWorld) =>
    world.api.press(pick(world).data, { ...pick(world).message, ...fields }, from)
const data = (make: (world: AskWorld) => string) => (world: AskWorld) =>
  world.api.press(make(world), world.asked.once.message)
const used = /Nothing was changed: you answered this card already/
const over = /Nothing was changed: it was already answered/
const unknown = /Nothing was changed: hookgate does not know this button/
const elsewhere = /this button was made for another owner or another chat/

const taps: readonly AskForgery[] = [
  {
    what: "a stranger's tap on an owner's card",
    send: tap(({ asked }) => asked.once, stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: "a stranger's tap in a chat of their own",
    send: tap(({ asked }) => asked.session, stranger, {
      chat: { id: 66, type: 'private', first_name: 'Olive' },
    }),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: "a stranger's tap on a message that is held",
    send: tap(({ held }) => held.release, stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: "a tap of the gate's own bot",
    send: (world) => tap(({ asked }) => asked.once, world.api.bot)(world),
    reason: 'not_owner',
    who: '123456',
  },
  {
    what: "a tap of a bot with the owner's number",
    send: tap(({ held }) => held.release, { id: 7, is_bot: true, first_name: 'Olive' }),
    reason: 'from_bot',
    told: /from a bot does not count/,
  },
  {
    what: "another owner's tap with this owner's button",
    send: (world) => world.api.press(world.asked.once.data, world.theirs.once.message, 8),
    reason: 'elsewhere',
    who: '8',
  },
  {
    what: "this owner's tap with another owner's button",
    send: (world) => world.api.press(world.theirs.once.data, world.asked.once.message),
    reason: 'elsewhere',
    told: elsewhere,
  },
  {
    what: "this owner's tap with another owner's button of what is held",
    send: (world) => world.api.press(world.theirs.release.data, world.held.release.message),
    reason: 'elsewhere',
    told: elsewhere,
  },
  { what: 'a tap in a group', send: tap(({ asked }) => asked.once, 7, group), reason: 'not_private' },
  {
    what: 'a tap under a card that was forwarded',
    send: tap(({ asked }) => asked.once, 7, forwardedBy),
    reason: 'forwarded',
    told: /A forwarded message does not count/,
  },
  {
    what: 'a tap to release under a forwarded card',
    send: tap(({ held }) => held.release, 7, forwardedBy),
    reason: 'forwarded',
    told: /A forwarded message does not count/,
  },
  {
    what: "a tap under another bot's message",
    send: tap(({ asked }) => asked.session, 7, { from: other }),
    reason: 'via_bot',
    told: /made by another bot does not count/,
  },
  {
    what: 'a tap of inline mode',
    send: ({ api, asked }) =>
      api.press(asked.once.data, asked.once.message, 7, { message: undefined, inline_message_id: 'AAAA' }),
    reason: 'via_bot',
    told: /made by another bot does not count/,
  },
  {
    what: 'a tap over a business account',
    send: tap(({ asked }) => asked.once, 7, { business_connection_id: 'b1' }),
    reason: 'business',
    told: /through a business account does not count/,
  },
  {
    what: "a command in the place of a button's words",
    send: data(lines.yes),
    reason: 'unknown',
    told: unknown,
  },
  {
    what: "a handle in the place of a button's words",
    send: data(({ asked }) => asked.handle),
    reason: 'unknown',
    told: unknown,
  },
  { what: 'what a button could mean', send: data(() => 'allow_session'), reason: 'unknown', told: unknown },
  {
    what: 'two buttons at once',
    send: data(({ asked }) => `${asked.deny.data}${asked.once.data}`),
    reason: 'unknown',
    told: unknown,
  },

  {
    what: 'the very tap that was carried out, once more',
    send: ({ api, answered }) => api.inject({ callback_query: answered.tap }),
    reason: 'repeated',
  },
  {
    what: 'its button, tapped again',
    send: tap(({ answered }) => answered.asked.once),
    reason: 'used',
    told: used,
  },
  {
    what: 'Allow for this session on what was allowed once',
    send: tap(({ answered }) => answered.asked.session),
    told: over,
  },
  { what: 'Deny on what was allowed', send: tap(({ answered }) => answered.asked.deny), told: over },
  {
    what: 'Release on what was withheld',
    send: tap(({ answered }) => answered.held.release),
    told: /Nothing was changed: the message no longer waits/,
  },
  {
    what: 'Withhold, tapped again',
    send: tap(({ answered }) => answered.held.withhold),
    reason: 'used',
    told: used,
  },
  {
    what: 'Allow once on the card of before the rewrite',
    send: tap(({ rewritten }) => rewritten.once),
    reason: 'used',
    told: used,
  },
  {
    what: 'Allow for this session on the card of before the rewrite',
    send: tap(({ rewritten }) => rewritten.session),
    told: over,
  },
  {
    what: 'Deny on the card of before the rewrite',
    send: tap(({ rewritten }) => rewritten.deny),
    told: over,
  },
  {
    what: 'a tap on what another owner answered',
    send: tap(({ elsewhere: card }) => card.once),
    told: /Nothing was changed: it was already answered\. Denied by telegram:8/,
  },
  {
    what: 'a tap for the session on what another owner answered',
    send: tap(({ elsewhere: card }) => card.session),
    told: over,
  },
  {
    what: 'a tap on a call whose agent has gone',
    send: tap(({ gone }) => gone.once),
    told: /Nothing was changed: it was already answered\. Cancelled: the agent stopped waiting/,
  },
]

export const askForgeries: readonly AskForgery[] = [...typed, ...taps]
