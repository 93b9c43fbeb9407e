import { rowKey, statusWords, type Row } from '../model/catalogue.ts'
import { refusal } from '../model/notice.ts'
import { formatProblem } from '../model/problem.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import type { Deck, Place } from './deck.ts'
import { differenceOf, type Side } from './difference.ts'
import { findShown } from './find.ts'
import { handlerLine } from './handler.ts'
import type { Command, CommandPorts } from './ports.ts'
import { eventWords, isWaiting } from './row.ts'
import type { Shown } from './shown.ts'

/** Of more rows than this only how to ask for each is said. */
const maxWhole = 3

const proposedSide = (row: Row, ports: CommandPorts): Side | undefined =>
  row.entry === undefined ? undefined : { ...row, entry: row.entry, bytes: ({ path }) => ports.proposedBytes(path) }

const approvedSide = (fingerprint: string, ports: CommandPorts): Side | undefined => {
  const approved = ports.approved(fingerprint)
  return approved === undefined ? undefined : { ...approved, bytes: ({ path }) => ports.sealedBytes(fingerprint, path) }
}

/** Of what has a problem nothing was read but the entry. */
const optionsOnly = ({ entry, bytes }: Side): Side => ({ entry, bytes, files: [], unsealed: [] })

const compare = (row: Row, ports: CommandPorts): readonly Prose[] => {
  if (row.live === undefined) return [fixed('It is not approved, so there is nothing to compare it with.')]
  if (row.status === 'gone') return [fixed('No file proposes it any more; what you approved runs on.')]
  const [before, after] = [approvedSide(row.live, ports), proposedSide(row, ports)]
  if (before === undefined || after === undefined) return [fixed('It cannot be compared.')]
  const problem = row.problem === undefined ? [] : [prose`⚠ ${formatProblem(row.problem)}`]
  const lines = row.problem === undefined ? differenceOf(before, after) : differenceOf(optionsOnly(before), optionsOnly(after))
  if (lines.length > 0 || problem.length > 0) return [fixed('Approved → proposed now'), ...lines, ...problem]
  return [fixed('Nothing changed: what the file proposes is what you approved.')]
}

/** What changed since a row was approved, whole or in part; and how to approve exactly that. */
export const diffOf = (row: Row, ports: CommandPorts, { owner, address, canTap }: Place): Prose => {
  const key = rowKey(row)
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key)
  return joinProse([
    prose`${fixed(`${handle} ${statusWords[row.status]}`.trim())}  ${eventWords(row.event)}\n  ${handlerLine(row)}`,
    ...compare(row, ports),
    ...(row.proposed === undefined || row.live === undefined || row.proposed === row.live ? [] : [fixed(`fingerprint ${row.proposed.slice(0, 16)}`)]),
    ...(row.live === undefined && handle !== '' ? [fixed(`→ /hooks show ${handle}`)] : isWaiting(row) && !canTap ? [fixed(`→ /hooks approve ${handle}`)] : []),
  ], '\n')
}

/** What this owner was shown last for a row, against what it is now; undefined when that is not known any more. */
export const driftOf = (row: Row, shown: Shown, ports: CommandPorts, owner: string): readonly Prose[] => {
  const seen = shown.lastSeen(owner, row)
  const [before, after] = [seen?.entry === undefined ? undefined : { ...seen, entry: seen.entry, bytes: shown.bytes }, proposedSide(row, ports)]
  return before === undefined || after === undefined ? [] : differenceOf(before, after)
}

export const diffCommand = (ports: CommandPorts, shown: Shown, deck: Deck): Command => ({
  path: 'hooks diff', usage: '/hooks diff <handle>', summary: 'what changed since you approved it', need: 'owner',
  run: (rest, context) => {
    if (rest === '') return refusal(fixed('Say which: /hooks diff <handle>, as /hooks lists it.'))
    const rows = ports.rows()
    const found = findShown(rest, rows, ports, context)
    if ('wrong' in found) return found.wrong
    const whole = found.rows.slice(0, maxWhole)
    shown.note(context.owner, whole, rows)
    const place = deck.place(context)
    const [only, ...others] = whole
    // What was just looked at can be answered at once.
    if (only !== undefined && others.length === 0 && isWaiting(only)) return { text: diffOf(only, ports, place), ...deck.answers(only, place, 'difference') }
    const more = found.rows.slice(maxWhole).flatMap((row) => {
      const key = rowKey(row)
      return key === undefined ? [] : [fixed(`→ /hooks diff ${ports.handle(context.owner, context.address.chat_id, key)}`)]
    })
    return joinProse([...whole.map((row) => diffOf(row, ports, { ...place, canTap: false })), ...(more.length === 0 ? [] : [joinProse(more, '\n')])], '\n\n')
  },
})
