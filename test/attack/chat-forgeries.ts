import type { BotApi } from '../fixtures/bot-api/server.ts'

/**
 * A running gate with hooks on, one approved and one waiting, whose owner is 7 on Telegram. Whoever else
 * there is, is a stranger.
 */
export interface ChatWorld {
  readonly api: BotApi
  /** A one-time code that the owner got with `/pair` for somebody else, and that nobody has used. */
  readonly invited: string
  /** The handle under which the owner's list shows the waiting hook. */
  readonly handle: string
  /** A message of the owner's that was carried out: `/hooks off`, before hooks were switched on again. */
  readonly carriedOut: ReturnType<BotApi['say']>
}

/** One way to have the gate take for an owner's word what is none. */
export interface ChatForgery {
  readonly what: string
  send(world: ChatWorld): unknown
  /** The code in the record, and who it names there; the owner unless another is said. */
  readonly reason: string
  readonly who?: string
  /** What the real owner reads; absent: nobody reads anything. */
  readonly told?: RegExp
}

const nowS = (): number => Math.floor(Date.now() / 1000)
const group = { chat: { id: -1_009_000_000_001, type: 'supergroup', title: 'A group' } }
const stranger = { id: 66, first_name: 'Olive', username: 'olive' }
const other = { id: 88, is_bot: true, first_name: 'Helper', username: 'helper_bot' }
const channel = { id: -1_001_000_000_001, type: 'channel', title: 'A channel' }
const off = '/hooks off'
const approve = '/hooks approve on_stop ./waiting.sh'
const revoke = '/hooks revoke ./guard.sh'
const blockquote = (text: string, type: string): Readonly<Record<string, unknown>> => ({
  entities: [{ type, offset: 0, length: text.length }],
})

export const chatForgeries: readonly ChatForgery[] = [
  {
    what: 'a forwarded command',
    send: ({ api }) =>
      api.say(off, 7, { forward_origin: { type: 'user', sender_user: stranger, date: nowS() } }),
    reason: 'forwarded',
    told: /forwarded message does not count/,
  },
  {
    what: 'one whose first sender is hidden',
    send: ({ api }) =>
      api.say(approve, 7, {
        forward_origin: { type: 'hidden_user', sender_user_name: 'Olive', date: nowS() },
      }),
    reason: 'forwarded',
    told: /forwarded message does not count/,
  },
  {
    what: 'one forwarded out of a channel',
    send: ({ api }) =>
      api.say(revoke, 7, { forward_origin: { type: 'channel', chat: channel, message_id: 1, date: nowS() } }),
    reason: 'forwarded',
    told: /forwarded message does not count/,
  },
  {
    what: 'one with the marks of an older Bot API',
    send: ({ api }) => api.say(off, 7, { forward_date: nowS() }),
    reason: 'forwarded',
    told: /forwarded message does not count/,
  },
  {
    what: 'a message edited into a command',
    send: ({ api, carriedOut }) => api.edit(carriedOut, approve),
    reason: 'edited',
    told: /edited message does not count/,
  },
  {
    what: 'a caption',
    send: ({ api }) =>
      api.say('', 7, { caption: off, photo: [{ file_id: 'x', file_unique_id: 'x', width: 1, height: 1 }] }),
    reason: 'captioned',
    told: /caption does not count/,
  },
  {
    what: "a document's caption that approves",
    send: ({ api }) => api.say('', 7, { caption: approve, document: { file_id: 'x', file_unique_id: 'x' } }),
    reason: 'captioned',
    told: /caption does not count/,
  },
  {
    what: 'a result of inline mode',
    send: ({ api }) => api.say(off, 7, { via_bot: other }),
    reason: 'via_bot',
    told: /made by another bot does not count/,
  },
  {
    what: "one of the gate's own inline mode",
    send: ({ api }) => api.say(approve, 7, { via_bot: api.bot }),
    reason: 'via_bot',
    told: /made by another bot does not count/,
  },
  {
    what: 'one in the name of a chat',
    send: ({ api }) => api.say(off, 7, { sender_chat: channel }),
    reason: 'sender_chat',
    told: /in the name of a chat does not count/,
  },
  {
    what: "one that names nobody, in the owner's own chat",
    send: ({ api }) => api.say(off, 7, { from: undefined }),
    reason: 'sender_chat',
    told: /in the name of a chat does not count/,
  },
  {
    what: 'an automatic forward into a discussion',
    send: ({ api }) => api.say(off, 7, { is_automatic_forward: true }),
    reason: 'automatic',
    told: /automatic message does not count/,
  },
  {
    what: 'one over a business account',
    send: ({ api }) => api.say(off, 7, { business_connection_id: 'b1' }),
    reason: 'business',
    told: /through a business account does not count/,
  },
  {
    what: 'a scheduled one',
    send: ({ api }) => api.say(approve, 7, { is_from_offline: true }),
    reason: 'offline',
    told: /scheduled message does not count/,
  },
  {
    what: "a bot with the owner's number",
    send: ({ api }) => api.say(off, { id: 7, is_bot: true, first_name: 'Olive' }),
    reason: 'from_bot',
    told: /from a bot does not count/,
  },
  { what: 'another bot', send: ({ api }) => api.say(off, other), reason: 'not_owner', who: '88' },
  {
    what: "the gate's own bot",
    send: ({ api }) => api.say(approve, api.bot),
    reason: 'not_owner',
    who: '123456',
  },
  { what: "a channel's post", send: ({ api }) => api.post(off), reason: 'not_owner', who: '-1001000000001' },
  {
    what: 'an anonymous administrator of a group',
    send: ({ api }) =>
      api.say(
        off,
        { id: 1_087_968_824, is_bot: true, first_name: 'Group' },
        { ...group, sender_chat: group.chat },
      ),
    reason: 'not_owner',
    who: '1087968824',
  },
  {
    what: 'somebody else in a group',
    send: ({ api }) => api.say(off, stranger, group),
    reason: 'not_owner',
    who: '66',
  },
  { what: 'the owner in a group', send: ({ api }) => api.say(off, 7, group), reason: 'not_private' },
  {
    what: 'the owner in a group, approving by handle',
    send: ({ api, handle }) => api.say(`/hooks approve ${handle}`, 7, group),
    reason: 'not_private',
  },
  {
    what: 'an approval out of a backlog',
    send: ({ api }) => api.say(approve, 7, { date: nowS() - 3600 }),
    reason: 'too_old',
    told: /60 minutes old/,
  },
  {
    what: 'a new session out of a backlog',
    send: ({ api }) => api.say('/new', 7, { date: nowS() - 3600 }),
    reason: 'too_old',
    told: /60 minutes old/,
  },
  {
    what: 'a command without a time',
    send: ({ api }) => api.say(revoke, 7, { date: 0 }),
    reason: 'too_old',
    told: /does not know when/,
  },
  {
    what: 'a command of tomorrow',
    send: ({ api }) => api.say(approve, 7, { date: nowS() + 86_400 }),
    reason: 'in_future',
    told: /dated .* ahead/,
  },
  {
    what: 'a command that stands in a quote',
    send: ({ api }) => api.say(off, 7, blockquote(off, 'blockquote')),
    reason: 'quoted',
    told: /with a quote does not count/,
  },
  {
    what: 'one in a quote that is folded away',
    send: ({ api }) => api.say(approve, 7, blockquote(approve, 'expandable_blockquote')),
    reason: 'quoted',
    told: /with a quote does not count/,
  },
  {
    what: "a stranger with the owner's name",
    send: ({ api }) => api.say(off, stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: "a stranger whose name is the owner's id",
    send: ({ api }) => api.say(off, { id: 67, first_name: 'telegram:7', username: 'telegram7' }),
    reason: 'not_owner',
    who: '67',
  },
  {
    what: "a stranger with the owner's handle",
    send: ({ api, handle }) => api.say(`/hooks approve ${handle}`, stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: 'a stranger who answers a card',
    send: ({ api, handle }) => api.say(`/y ${handle}`, stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: 'a stranger who asks for a login',
    send: ({ api }) => api.say('/login', stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: 'a stranger who asks for a code',
    send: ({ api }) => api.say('/pair', stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: 'a stranger who removes the owner',
    send: ({ api }) => api.say('/owners remove telegram:7', stranger),
    reason: 'not_owner',
    who: '66',
  },
  {
    what: 'a stranger who guesses a code',
    send: ({ api }) => api.say('/pair AAAAAAAA', stranger),
    reason: 'wrong',
    who: '66',
  },
  {
    what: 'a stranger who goes on guessing',
    send: ({ api }) => {
      for (let n = 0; n < 7; n++) api.say(`/pair AAAAAAA${n}`, { ...stranger, id: 69 })
    },
    reason: 'too_many_tries',
    who: '69',
  },
  {
    what: 'the right code in a group',
    send: ({ api, invited }) => api.say(`/pair ${invited}`, stranger, group),
    reason: 'not_private',
    who: '66',
  },
  {
    what: 'the right code forwarded',
    send: ({ api, invited }) => api.say(`/pair ${invited}`, stranger, { forward_date: nowS() }),
    reason: 'forwarded',
    who: '66',
  },
  {
    what: 'the right code of an hour ago',
    send: ({ api, invited }) => api.say(`/pair ${invited}`, stranger, { date: nowS() - 3600 }),
    reason: 'too_old',
    who: '66',
  },
  {
    what: "the owner's own code, typed by the owner",
    send: ({ api, invited }) => api.say(`/pair ${invited}`),
    reason: 'owner_already',
    told: /you are already an owner of this gate/,
  },
  {
    what: 'a tap on what looks like a command',
    send: ({ api }) => api.say('/hooks_off'),
    reason: 'unknown_command',
    told: /is not a command/,
  },
  {
    what: 'a command to another bot',
    send: ({ api }) => api.say('/hooks@helper_bot off'),
    reason: 'other_bot',
    told: /is not a command/,
  },
  {
    what: 'a link that starts the bot with words',
    send: ({ api }) => api.say('/start hooks_off'),
    reason: 'start_link',
    told: /nothing was done with it/,
  },
  {
    what: 'a line among commands that is none',
    send: ({ api }) => api.say('/hooks\nhooks off'),
    reason: 'malformed',
    told: /is not a command\. The agent did not get it/,
  },
  {
    what: 'a sticker',
    send: ({ api }) => api.say('', 7, { sticker: { file_id: 'x', file_unique_id: 'x' } }),
    reason: 'not_text',
    told: /only read text/,
  },
  {
    what: 'a command that was carried out, given again',
    send: ({ api, carriedOut }) => api.inject({ message: carriedOut }),
    reason: 'repeated',
  },
]
