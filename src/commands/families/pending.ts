import { prose, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import { refusal, saidAfter, type Notice, type NoticeText } from '../../core/model/chat/notice.ts'
import type { ListedHook } from '../../shared/gate/catalogue.ts'
import type { CardButtons, CardPlace } from '../cards/card-buttons.ts'
import { asHandle, findByHandle } from '../find.ts'
import { handlerLine } from '../cards/handler.ts'
import { foldTypography } from '../../core/commands/parse.ts'
import type { Command, CommandPorts } from '../ports.ts'
import { isProtectionProposed, protectCard, standingGuards } from './shipped/protect.ts'
import { changedWords, eventWords, isWaiting } from '../cards/row.ts'

const maxCards = 5

/** The hooks that wait now, for an owner whose answer was late: the only card, or the way to several. */
export const waitingNow = (
  rows: readonly ListedHook[],
  place: CardPlace,
  cardButtons: CardButtons,
): NoticeText => {
  const waiting = rows.filter(isWaiting)
  const [first] = waiting
  if (first === undefined) return prose`Nothing waits for you.\n→ /hooks`
  return waiting.length === 1
    ? cardButtons.card(first, rows, place, false)
    : cardButtons.waiting(waiting.length, place)
}

const moreText = (left: number): Prose =>
  left === 1
    ? prose`… and 1 more waits. Answer some, then look again.\n→ /hooks pending more`
    : prose`… and ${left} more wait. Answer some, then look again.\n→ /hooks pending more`

/** The cards of what waits. The guards of hookgate have one card, and `more` brings those of the others. */
export const pendingCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks pending',
  usage: '/hooks pending',
  summary: 'a card for each hook that waits',
  need: 'owner',
  needsRefresh: true,
  run: (rest, context) => {
    const rows = ports.rows()
    const guards = standingGuards(rows, ports)
    const place = cardButtons.place(context)
    const isProposed = isProtectionProposed(guards)
    const isMore = foldTypography(rest).toLowerCase() === 'more'
    if (isProposed && !isMore) return protectCard(ports, place, cardButtons)
    const ofGuards = isProposed ? guards.flatMap((guard) => guard.waiting) : []
    const waiting = rows.filter((row) => isWaiting(row) && !ofGuards.includes(row))
    const cards = waiting.slice(0, maxCards).map((row) => cardButtons.card(row, rows, place, false))
    const left = waiting.length - cards.length
    const last: Notice | undefined =
      left > 0
        ? {
            text: moreText(left),
            ...cardButtons.under(place, [[{ act: 'pending', label: 'Show pending', words: 'more' }]]),
          }
        : cards.pop()
    for (const notice of cards) context.progress(notice)
    return last ?? prose`Nothing waits for you.\n→ /hooks`
  },
})

const whichCard = (typed: '/y' | '/n'): Notice =>
  refusal(
    prose`Name the card: type ${verbatim(typed)} and the five characters at its top.\n→ /hooks pending\n→ /hooks asks`,
  )

/** `/y <handle>`: says yes to a card. */
export const yesCommand = (approve: Command): Command => ({
  path: 'y',
  usage: '/y <handle> [session]',
  summary: 'say yes to a card: approve the hook, or let the tool run',
  need: 'approver',
  needsRefresh: true,
  run: (rest, context) => {
    const handle = asHandle(rest)
    if (handle !== undefined) return approve.run(handle, context)
    return whichCard('/y')
  },
})

/** `/n <handle>`: not now. The gate does not change. The hook stays pending, and is not announced again. */
export const noCommand = (ports: CommandPorts): Command => ({
  path: 'n',
  usage: '/n <handle> [words]',
  summary: 'say no to a card: leave the hook waiting, or deny the tool',
  need: 'approver',
  run: (rest, context) => {
    const handle = asHandle(rest)
    if (handle === undefined) return whichCard('/n')
    const found = findByHandle(handle, ports.rows(), ports, context)
    if ('wrong' in found) return found.wrong
    const [row] = found.rows
    if (row === undefined || !isWaiting(row))
      return refusal(prose`It does not wait for an approval.\n→ /hooks`)
    const { isQuiet } = ports.answered(row, false)
    const effect =
      row.status === 'changed'
        ? prose`It changed since approval; ${changedWords(row)}.`
        : prose`It does not fire.`
    const receipt = prose`Not now: ${eventWords(row.event)}\n  ${handlerLine(row, 120)}\n${effect} It stays pending, and you are not asked again.\n→ /hooks pending`
    return isQuiet
      ? saidAfter(
          receipt,
          prose`\nYou said “not now” several times. For an hour, new proposals come together in one message.`,
        )
      : receipt
  },
})
