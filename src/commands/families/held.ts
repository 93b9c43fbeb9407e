import { readable } from '../../core/model/chat/content.ts'
import { refusal, type Notice, type NoticeText } from '../../core/model/chat/notice.ts'
import {
  heading,
  joinProse,
  named,
  ofHook,
  prose,
  spoiler,
  verbatim,
  type Prose,
  proseLines,
} from '../../core/model/chat/prose.ts'
import type { HeldPush } from '../../core/model/chat/push.ts'
import type { CardButtons, CardPlace } from '../cards/card-buttons.ts'
import { reasonProse } from '../../shared/hooks/guard-words.ts'
import { asHandle } from '../find.ts'
import { hiddenRefusal } from '../cards/hidden.ts'
import type { Command, CommandContext, CommandPorts } from '../ports.ts'
import { agoWords, kilobytes } from '../words.ts'
import { labelWords } from '../../shared/said/our-words.ts'

const maxCards = 5

/** The kind and size of a message, never its text, because bystanders and the messenger could read it. */
export const sizeWords = ({ content }: HeldPush): Prose => {
  const { type, files } = content
  const units = readable(content).length
  const bytes = verbatim(kilobytes(files.reduce((sum, { size }) => sum + size, 0)))
  const ofFiles = files.length === 1 ? prose`1 file of ${bytes}` : prose`${files.length} files of ${bytes}`
  return joinProse(
    [
      verbatim(type),
      units === 1 ? prose`1 character` : prose`${units} characters`,
      files.length > 0 && ofFiles,
    ],
    ' · ',
  )
}

/** The most of a held message that a card shows, in UTF-16 units. A messenger shows it in one piece. */
const maxShownUnits = 2500

/** The text of a held message with all its parts, behind a spoiler where the messenger has one. */
const shownText = ({ content }: HeldPush): Prose => {
  const text = readable(content)
  const left = text.length - maxShownUnits
  const shown = prose`It says:\n${spoiler(text.slice(0, maxShownUnits).toWellFormed())}`
  return left <= 0 ? shown : prose`${shown}\n… and ${left} more characters. The web page shows all of it.`
}

/** The way to the text of a held message, which no chat shows unasked. */
const textWay = (handle: string, { address, canTap }: CardPlace, isPrivate: boolean): Prose => {
  if (address.channel === 'web') return prose`Preferences shows its text.`
  if (!isPrivate) return prose`Its text is shown only in a private chat.`
  return canTap
    ? prose`Its text is not shown before you ask for it.`
    : prose`Its text is not shown before you ask for it:\n→ /hooks held ${verbatim(handle)}`
}

/** How a card of a held message is shown. `isPrivate`: in an owner's own chat. `isAsked`: for its text. */
interface HeldLook {
  readonly isPrivate: boolean
  readonly isAsked?: boolean
}

/** The card for a push that waits for an owner's decision. */
export const heldCard = (
  held: HeldPush,
  place: CardPlace,
  cardButtons: Pick<CardButtons, 'under'>,
  ports: CommandPorts,
  { isPrivate, isAsked = false }: HeldLook = { isPrivate: true },
): Notice => {
  const handle = ports.handle(place.owner, place.address.chat_id, held.key)
  const isShown = isPrivate && (isAsked || ports.showsHeldText) && place.address.channel !== 'web'
  const text = proseLines(
    prose`${heading(handle, '')} Held: a message from ${named(held.agent_id)} to ${named(held.channel)}, ${agoWords(held.sinceMs, ports.now())}. It waits for your decision.`,
    ofHook(held.hook, prose`${labelWords(held.by)}: ${reasonProse(held.why)}`),
    sizeWords(held),
    isShown ? shownText(held) : textWay(handle, place, isPrivate),
    prose`Later messages to that chat wait behind it for up to a minute. Without an answer it ends within a day.`,
    !place.canTap && prose`→ /hooks release ${verbatim(handle)}\n→ /hooks withhold ${verbatim(handle)}`,
  )
  const canShow = isPrivate && !isShown && place.address.channel !== 'web'
  return {
    text,
    ...cardButtons.under(place, [['release', 'withhold'], canShow ? ['show_held'] : []], { about: held.key }),
  }
}

export const heldCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks held',
  usage: '/hooks held [handle]',
  summary: 'messages that wait for your decision, or one with its text',
  need: 'owner',
  run: (rest, context): NoticeText => {
    const { isPrivate } = context.message
    const place = cardButtons.place(context)
    if (rest !== '') {
      const held = find('held', rest, ports, context)
      return 'key' in held ? heldCard(held, place, cardButtons, ports, { isPrivate, isAsked: true }) : held
    }
    const held = ports.held()
    const cards = held
      .slice(0, maxCards)
      .map((one) => heldCard(one, place, cardButtons, ports, { isPrivate }))
    const left = held.length - cards.length
    const last =
      left > 0 ? prose`… and ${left} more. Answer some, then look again.\n→ /hooks held` : cards.pop()
    for (const card of cards) context.progress(card)
    return last ?? prose`No message waits for your decision.\n→ /hooks log`
  },
})

const none = refusal(
  prose`Nothing was changed: the message no longer waits, or it is not the one you saw.\n→ /hooks held`,
)

/** Finds the push that a handle names for this owner in this chat. */
const find = (
  path: 'release' | 'withhold' | 'held',
  rest: string,
  ports: CommandPorts,
  { owner, address }: CommandContext,
): HeldPush | Notice => {
  const handle = asHandle(rest)
  if (handle === undefined) {
    return refusal(prose`Name the message by the five characters at the top of its card.\n→ /hooks held`)
  }
  const resolved = ports.resolveHandle(owner, address.chat_id, handle)
  if ('why' in resolved) return refusal(prose`No held message has the handle ${handle}.\n→ /hooks held`)
  if (path === 'release' && resolved.hiddenBy !== undefined) return hiddenRefusal(resolved.hiddenBy)
  return ports.held().find(({ key }) => key === resolved.fingerprint) ?? none
}

interface HeldAnswer {
  readonly path: 'release' | 'withhold'
  readonly summary: string
  done(held: HeldPush): Prose
}

const answer =
  ({ path, summary, done }: HeldAnswer) =>
  (ports: CommandPorts): Command => ({
    path: `hooks ${path}`,
    usage: `/hooks ${path} <handle>`,
    summary,
    need: 'privileged',
    run: (rest, context) => {
      const held = find(path, rest, ports, context)
      if (!('key' in held)) return held
      return ports.answerHeld(held, path, context.consent) ? done(held) : none
    },
  })

/** Hooks judge the push once more. The owner's yes counts for exactly the push of their card. */
export const releaseCommand = answer({
  path: 'release',
  summary: 'send a held message',
  done: (held) =>
    prose`Released: a message from ${named(held.agent_id)} to ${named(held.channel)} (${sizeWords(held)}).\nHooks check it once more. It is sent unless one blocks it.`,
})

export const withholdCommand = answer({
  path: 'withhold',
  summary: 'drop a held message',
  done: (held) =>
    prose`Withheld: a message from ${named(held.agent_id)} to ${named(held.channel)} (${sizeWords(held)}).`,
})

/**
 * The held pushes for the owner's own page, with their whole text. `plain` puts our words into the language
 * of the page.
 */
export const heldOnPage = (
  ports: CommandPorts,
  owner: string,
  chat: string,
  plain: (words: Prose) => string,
) =>
  ports.held().map((held) => ({
    handle: ports.pageHandle(owner, chat, held.key),
    title: `${held.agent_id} → ${held.channel}:${held.chat_id}`,
    size: plain(sizeWords(held)),
    why: plain(prose`${labelWords(held.by)}: ${reasonProse(held.why)}`),
    since: plain(agoWords(held.sinceMs, ports.now())),
    text: held.content.text,
    parts: held.content.parts.map(({ field, text }) => ({ field, text })),
  }))
