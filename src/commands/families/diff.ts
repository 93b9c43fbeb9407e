import { rowKey, type ListedHook } from '../../shared/gate/catalogue.ts'
import { refusal } from '../../core/model/chat/notice.ts'
import { problemWords } from '../../shared/said/our-words.ts'
import { joinProse, prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import type { Drawn } from '../cards/card.ts'
import type { CardButtons, CardPlace } from '../cards/card-buttons.ts'
import { differenceOf, showsAllOptions, type DifferenceLimits } from '../diff/difference.ts'
import { approvedSide, proposedSide, sidesOf } from '../diff/sides.ts'
import { findShown } from '../find.ts'
import { evidenceLines } from '../cards/evidence.ts'
import { handlerWords } from '../cards/handler.ts'
import type { Command, CommandPorts } from '../ports.ts'
import { digestOf, eventWords, isWaiting, statusOf } from '../cards/row.ts'

/** The number of rows that are compared. For more rows, the answer names the command for each. */
const maxWhole = 3

interface Compared {
  readonly lines: readonly Prose[]
  /** True when the difference shows every changed option in full. */
  readonly isAll: boolean
}

const compare = (row: ListedHook, ports: CommandPorts, limits?: DifferenceLimits): Compared => {
  const not = (why: Prose): Compared => ({ lines: [why], isAll: false })
  if (row.live === undefined) return not(prose`It is not approved, so there is nothing to compare it with.`)
  if (row.isUnheard === true)
    return not(
      prose`Its node is not connected, so nobody knows what it proposes now. The approved version stays in force.`,
    )
  if (row.status === 'gone')
    return not(prose`No file proposes it any longer. The approved version keeps running.`)
  const sides = sidesOf(row, ports)
  if (sides === undefined) return not(prose`It cannot be compared.`)
  const problem = row.problem === undefined ? [] : [prose`⚠ ${problemWords(row.problem)}`]
  const lines = differenceOf(...sides, limits)
  if (lines.length === 0 && problem.length === 0) {
    return not(prose`Nothing changed: what the file proposes is what you approved.`)
  }
  return { lines: [prose`Approved → proposed now`, ...lines, ...problem], isAll: showsAllOptions(...sides) }
}

/** The lines of the difference since a row was approved. */
export const differencesOf = (
  row: ListedHook,
  ports: CommandPorts,
  limits: DifferenceLimits,
): readonly Prose[] => compare(row, ports, limits).lines

/** The difference since a row was approved, and the command that approves exactly the new version. */
const diffOf = (row: ListedHook, ports: CommandPorts, { owner, address, canTap }: CardPlace): Drawn => {
  const key = rowKey(row)
  const { lines, isAll } = compare(row, ports)
  const shows = isAll ? (digestOf(row) ?? '') : undefined
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key, shows)
  const isChanged = row.proposed !== undefined && row.live !== undefined && row.proposed !== row.live
  const isShort = row.live === undefined || (isWaiting(row) && !isAll)
  const next = isShort ? 'show' : isWaiting(row) && !canTap ? 'approve' : undefined
  const text = proseLines(
    prose`${statusOf(row, handle, isAll)}  ${eventWords(row.event)}\n  ${handlerWords(row)}`,
    ...lines,
    ...evidenceLines(row, ports, handle),
    isChanged && prose`fingerprint ${verbatim(row.proposed.slice(0, 16))}`,
    next !== undefined && handle !== '' && verbatim(`→ /hooks ${next} ${handle}`),
  )
  return { text, isAll }
}

/** The difference between what this owner saw last of a row, or what was approved, and its current state. */
export const driftOf = (
  row: ListedHook,
  rows: readonly ListedHook[],
  { shown }: CardButtons,
  ports: CommandPorts,
  owner: string,
): readonly Prose[] => {
  const seen = shown.lastSeen(owner, row, rows)
  const approved = row.live === undefined ? undefined : approvedSide(row.live, ports)
  const before = seen?.entry === undefined ? approved : { ...seen, entry: seen.entry, bytes: shown.bytes }
  const after = proposedSide(row, ports)
  return before === undefined || after === undefined ? [] : differenceOf(before, after)
}

export const diffCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks diff',
  usage: '/hooks diff <name>',
  summary: 'what changed since you approved it',
  need: 'owner',
  needsRefresh: true,
  run: (rest, context) => {
    if (rest === '') return refusal(prose`Name the hook: /hooks diff <name>, as /hooks lists it.`)
    const rows = ports.rows()
    const found = findShown(rest, rows, ports, context)
    if ('wrong' in found) return found.wrong
    const whole = found.rows.slice(0, maxWhole)
    const place = cardButtons.place(context)
    const drawn = (row: ListedHook, at: CardPlace): Drawn => {
      const difference = diffOf(row, ports, at)
      if (difference.isAll) cardButtons.shown.note(context.owner, [row], rows, 'asked')
      return difference
    }
    const [only, ...others] = whole
    // A single waiting hook gets buttons under its difference.
    if (only !== undefined && others.length === 0 && isWaiting(only)) {
      const { text, isAll } = drawn(only, place)
      return { text, ...cardButtons.answers(only, place, { what: 'difference', isAll }) }
    }
    const more = found.rows.slice(maxWhole).flatMap((row) => {
      const key = rowKey(row)
      return key === undefined
        ? []
        : [prose`→ /hooks diff ${verbatim(ports.handle(context.owner, context.address.chat_id, key))}`]
    })
    return joinProse(
      [
        ...whole.map((row) => drawn(row, { ...place, canTap: false }).text),
        more.length > 0 && proseLines(...more),
      ],
      '\n\n',
    )
  },
})
