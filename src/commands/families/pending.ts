import { prose, proseLines, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import { refusal, saidAfter, type Notice, type NoticeText } from '../../core/model/chat/notice.ts'
import type { ListedHook } from '../../shared/gate/catalogue.ts'
import type { CardButtons, CardPlace } from '../cards/card-buttons.ts'
import { asHandle, findByHandle } from '../find.ts'
import { handlerWords } from '../cards/handler.ts'
import { foldTypography } from '../../core/commands/parse.ts'
import type { Command, CommandPorts } from '../ports.ts'
import { isProtectionProposed, protectCard, standingGuards } from './shipped/protect.ts'
import { changedWords, eventWords, isWaiting, troublesOf } from '../cards/row.ts'
import { sourceLine } from './list.ts'
import { hookName, shippedIn, type FindShipped } from './shipped/shipped.ts'
import { oneLine, shorten } from '../words.ts'

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

/** The hooks that need the same program. */
const lackingText = (program: string, rows: readonly ListedHook[], ours: FindShipped): Prose =>
  proseLines(
    rows.length === 1
      ? prose`1 hook needs ${oneLine(program)}, which is not installed. Install it for the whole system:`
      : prose`${rows.length} hooks need ${oneLine(program)}, which is not installed. Install it for the whole system:`,
    ...rows.map((row) => hookName(row, ours(row))),
  )

/** The hooks that the gate has not checked yet. This is no problem of theirs. */
const unseenText = (rows: readonly ListedHook[], ours: FindShipped): Prose =>
  proseLines(
    rows.length === 1
      ? prose`1 hook more is still being checked. Ask again in a few seconds:`
      : prose`${rows.length} hooks more are still being checked. Ask again in a few seconds:`,
    ...rows.map((row) => hookName(row, ours(row))),
  )

/** What waits for an owner, one page each: what changed, then what is new, then what cannot be approved. */
const pagesOf = (
  rows: readonly ListedHook[],
  ofGuards: readonly ListedHook[],
  ours: FindShipped,
  place: CardPlace,
  cardButtons: CardButtons,
): readonly (() => Notice)[] => {
  const waiting = rows.filter((row) => isWaiting(row) && !ofGuards.includes(row))
  const { toFix, idle, unseen } = troublesOf(rows)
  const inOrder = waiting.toSorted((a, b) => Number(b.status === 'changed') - Number(a.status === 'changed'))
  return [
    ...[...inOrder, ...toFix].map((row) => () => cardButtons.card(row, rows, place, false)),
    ...[...Map.groupBy(idle, ({ problem }) => problem?.lacks ?? '')].map(([program, some]) => () => ({
      text: lackingText(program, some, ours),
    })),
    ...(unseen.length === 0 ? [] : [() => ({ text: unseenText(unseen, ours) })]),
  ]
}

/** One card with the way to the others. In a chat with buttons they take its place. */
const paged = (
  card: Notice,
  number: number,
  of: number,
  place: CardPlace,
  cardButtons: CardButtons,
): Notice => {
  if (of === 1) return card
  const next = number < of ? number + 1 : 1
  const where = place.canTap
    ? prose`${number} of ${of}`
    : prose`${number} of ${of}, the next one:\n→ /hooks pending ${next}`
  const turn = (label: string, to: number) => ({ act: 'turn' as const, label, words: `/hooks pending ${to}` })
  const { buttons = [] } = cardButtons.under(place, [
    [turn('‹', number > 1 ? number - 1 : of), turn('›', next)],
  ])
  return {
    ...card,
    text: [...card.text, ...prose`\n`, ...where],
    buttons: [...(card.buttons ?? []), ...buttons],
  }
}

/** What waits, one card at a time. The guards of hookgate have one card, and the others come after it. */
export const pendingCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks pending',
  usage: '/hooks pending [number]',
  summary: 'what waits for you, one card at a time',
  need: 'owner',
  needsRefresh: true,
  run: (rest, context) => {
    const asked = foldTypography(rest)
    if (!/^\d{0,4}$/.test(asked))
      return refusal(prose`Expected the number of a card, got ${shorten(oneLine(rest))}.\n→ /hooks pending`)
    const rows = ports.rows()
    const guards = standingGuards(rows, ports)
    const place = cardButtons.place(context)
    const isProposed = isProtectionProposed(guards)
    const ofGuards = isProposed ? guards.flatMap((guard) => guard.waiting) : []
    const protect = isProposed ? [() => protectCard(ports, place, cardButtons)] : []
    const pages = [...protect, ...pagesOf(rows, ofGuards, shippedIn(ports), place, cardButtons)]
    const number = Math.min(pages.length, Math.max(1, Number(asked === '' ? 1 : asked)))
    const page = pages[number - 1]
    if (page === undefined) return proseLines(sourceLine(ports), prose`Nothing waits for you.\n→ /hooks`)
    return paged(page(), number, pages.length, place, cardButtons)
  },
})

const whichCard = (typed: '/y' | '/n'): Notice =>
  refusal(
    prose`Name the card: type ${verbatim(typed)} and the five characters at its top.\n→ /hooks pending\n→ /asks`,
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
    const receipt = prose`Not now: ${eventWords(row.event)}\n  ${handlerWords(row, 120)}\n${effect} It stays pending, and you are not asked again.\n→ /hooks pending`
    return isQuiet
      ? saidAfter(
          receipt,
          prose`\nYou said “not now” several times. For an hour, new proposals come together in one message.`,
        )
      : receipt
  },
})
