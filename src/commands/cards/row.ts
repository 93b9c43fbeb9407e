import { failsHow, rowKey, statusWords, type ListedHook } from '../../model/gate/catalogue.ts'
import { blocksBeforehand, contractOf, isEventName } from '../../model/events/event.ts'
import { formatProblem } from '../../model/gate/problem.ts'
import { fixed, heading, named, prose, proseText, type Prose } from '../../model/chat/prose.ts'
import { foreignOrigin, handlerLine } from './handler.ts'
import type { CataloguePorts, CommandContext, HandlePorts, TimePorts } from '../ports.ts'
import { ago, gap, oneLine, plural, shorten } from '../words.ts'

/** The limit of a path, in characters: it fills two lines of a phone. */
const maxOriginChars = 80

/** The name of an event. A text of a file that is not an event's name is shown as a quote. */
export const eventWords = (event: string): Prose =>
  isEventName(event) ? fixed(event) : prose`${shorten(oneLine(event), 60)}`

/** True when an owner could approve the hook in its current state. */
export const isWaiting = (row: ListedHook): boolean =>
  (row.status === 'waiting' || row.status === 'changed') && row.problem === undefined

/** True when an owner could choose that its failures block, though its file does not say so. */
export const canClose = ({ event, entry }: ListedHook): boolean =>
  entry !== undefined &&
  entry.onError !== 'block' &&
  !entry.isAsync &&
  isEventName(event) &&
  contractOf(event).gate.includes('block')

/** True when an owner could choose that failures which the agent can cause do not block. */
export const canOpen = ({ event, entry }: ListedHook): boolean =>
  entry !== undefined &&
  entry.onError !== 'block' &&
  !entry.isAsync &&
  isEventName(event) &&
  blocksBeforehand(event)

/** A key of the place that proposes the hook. It stays the same when the hook's bytes or options change. */
export const placeKey = ({ event, command, entry }: ListedHook): string =>
  JSON.stringify([event, command.slice(0, 2000), entry?.origin])

/** The state of an approval whose file has changed since. */
export const changedWords = ({ isStopped }: ListedHook): string =>
  isStopped === true ? 'it stopped, because a file it uses changed' : 'the approved version keeps running'

/** A summary of what only the whole card shows: the shell, watched or unsealed files, and remarks. */
const moreWords = ({
  unsealed,
  under,
  watched = [],
  remarks = [],
  missing = [],
}: ListedHook): string | undefined => {
  const parts = [
    ...(under === undefined ? [] : [`under ${under}`]),
    ...(watched.length > 0
      ? [`${plural(watched.length, 'file')} watched`]
      : unsealed.length > 0 && under === undefined
        ? ['not all is sealed']
        : []),
    ...(remarks.length + missing.length === 0 ? [] : [plural(remarks.length + missing.length, 'remark')]),
  ]
  return parts.length === 0 ? undefined : parts.join(' · ')
}

/** One hook in the list: its state, its handler, and the commands that apply to it. */
export const rowLines = (
  row: ListedHook,
  ports: CataloguePorts & HandlePorts & TimePorts,
  { owner, address }: CommandContext,
): Prose => {
  const key = rowKey(row)
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key)
  const status = heading(handle, statusWords[row.status])
  const more = moreWords(row)
  const whole = `→ /hooks show ${handle}`
  const origin = foreignOrigin(row)
  // The name of an unapproved hook stays a quote, because its file may choose any name.
  const name = row.live === undefined ? handlerLine(row) : named(handlerLine(row))
  const head = prose`${status}${fixed(gap(proseText(status), '  ', row.event))}${eventWords(row.event)}\n  ${name}${origin === undefined ? [] : prose`\n  from ${shorten(oneLine(origin), maxOriginChars)}`}${fixed(more === undefined ? '' : `\n  ${more}${handle === '' ? '' : gap(`  ${more}`, ' ', whole) + whole}`)}`
  const problem = row.problem === undefined ? [] : prose`\n  ${formatProblem(row.problem)}`
  const firedMs = row.live === undefined ? undefined : ports.lastFiredMs(row.live)
  const fired = firedMs === undefined ? '' : `last fired ${ago(firedMs, ports.now())}`
  const line = (words: string): string =>
    `\n  ${words}${fired === '' ? '' : gap(`  ${words}`, ' · ', fired) + fired}`
  const fails = line(row.entry === undefined ? 'approved' : `if it fails: ${failsHow(row)}`)
  switch (row.status) {
    case 'approved':
      return prose`${head}${fixed(fails)}`
    case 'gone':
      return prose`${head}${fixed(`${fails}\n  → /hooks revoke ${handle}`.trimEnd())}`
    case 'changed':
      return prose`${head}${fixed(line(changedWords(row)))}${problem}${fixed(`\n  → /hooks ${row.problem === undefined ? 'approve' : 'revoke'} ${handle}`.trimEnd())}`
    case 'waiting':
      return row.problem === undefined
        ? prose`${head}${fixed(`\n  → /hooks approve ${handle}`.trimEnd())}`
        : prose`${head}${problem}`
    case 'invalid':
      return prose`${head}${problem}`
  }
}

/**
 * A digest of all that an approval would bind, with the shell and interpreter. Undefined when nothing can be
 * approved.
 */
export const digestOf = ({ proposed, under, interpreter }: ListedHook): string | undefined =>
  proposed === undefined ? undefined : JSON.stringify([proposed, under, interpreter])
