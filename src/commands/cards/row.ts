import { rowKey, failsHow, statusWords, type ListedHook } from '../../shared/gate/catalogue.ts'
import { blocksBeforehand, contractOf, isEventName } from '../../core/model/events/event.ts'
import { trialProblem } from '../../shared/hooks/evidence.ts'
import { formatProblem } from '../../shared/base/problem.ts'
import {
  heading,
  joinProse,
  named,
  ofHook,
  prose,
  proseText,
  type Prose,
  verbatim,
} from '../../core/model/chat/prose.ts'
import { foreignOrigin, handlerLine } from './handler.ts'
import type { CommandContext, CommandPorts } from '../ports.ts'
import { agoWords, gap, oneLine, shorten } from '../words.ts'

/** The limit of a name, in characters: it fills a line of a phone. */
const maxNameChars = 40
/** The limit of a path, in characters: it fills two lines of a phone. */
const maxOriginChars = 80

/** The name of an event. A text of a file that is not an event's name is shown as a quote. */
export const eventWords = (event: string): Prose =>
  isEventName(event) ? verbatim(event) : prose`${shorten(oneLine(event), 60)}`

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
export const canOpen = ({ event, entry, hasNoVeto }: ListedHook): boolean =>
  entry !== undefined &&
  hasNoVeto !== true &&
  entry.onError !== 'block' &&
  !entry.isAsync &&
  isEventName(event) &&
  blocksBeforehand(event)

/** True when an owner could ask it about events of the past. */
export const canTry = ({ entry, proposed, live, problem }: ListedHook): boolean =>
  entry !== undefined &&
  (proposed ?? live) !== undefined &&
  problem === undefined &&
  trialProblem(entry) === undefined

/** A key of the place that proposes the hook. It stays the same when the hook's bytes or options change. */
export const placeKey = ({ event, command, entry }: ListedHook): string =>
  JSON.stringify([event, command.slice(0, 2000), entry?.origin])

/** The state of an approval whose file has changed since. */
export const changedWords = ({ isStopped, isShadow }: ListedHook): Prose => {
  if (isStopped === true) return prose`it stopped, because a file it uses changed`
  return isShadow === true
    ? prose`the earlier version is still asked as a shadow`
    : prose`the approved version keeps running`
}

/** What a shadow would have done since the gate started. Undefined for a hook that is none. */
export const shadowWords = (
  { live, isShadow }: ListedHook,
  { shadowCounts }: Pick<CommandPorts, 'shadowCounts'>,
): Prose | undefined => {
  if (live === undefined || isShadow !== true) return undefined
  const counts = shadowCounts(live)
  if (counts === undefined) return prose`since the start: not asked yet`
  const { asked, blocked, rewritten, questions, failed, missed } = counts
  const parts = [
    prose`since the start: asked ${asked}`,
    ...(blocked === 0 ? [] : [prose`would have blocked ${blocked}`]),
    ...(rewritten === 0 ? [] : [prose`would have rewritten ${rewritten}`]),
    ...(questions === 0 ? [] : [prose`would have asked you ${questions}`]),
    ...(failed === 0 ? [] : [prose`failed ${failed}`]),
    ...(missed === 0 ? [] : [prose`had no room for ${missed}`]),
    ...(blocked + rewritten + questions + failed === 0 ? [prose`would have changed nothing`] : []),
  ]
  return joinProse(parts, ' · ')
}

/** The fingerprint of the approved hook whose own words a row shows. Undefined: they are its file's. */
export const ownHook = ({ status, live }: ListedHook): string | undefined =>
  status === 'approved' || status === 'gone' ? live : undefined

/** The status of a row after its handle. */
export const statusOf = (row: ListedHook, handle: string): Prose =>
  handle === '' ? statusWords(row) : prose`${heading(handle, '')} ${statusWords(row)}`

const watchedWords = (count: number): Prose =>
  count === 1 ? prose`1 file watched` : prose`${count} files watched`

const remarkWords = (count: number): Prose => (count === 1 ? prose`1 remark` : prose`${count} remarks`)

/** A summary of what only the whole card shows: the shell, watched or unsealed files, and remarks. */
const moreWords = ({
  unsealed,
  under,
  watched = [],
  remarks = [],
  missing = [],
}: ListedHook): Prose | undefined => {
  const parts = [
    ...(under === undefined ? [] : [prose`under ${verbatim(under)}`]),
    ...(watched.length > 0
      ? [watchedWords(watched.length)]
      : unsealed.length > 0 && under === undefined
        ? [prose`not all is sealed`]
        : []),
    ...(remarks.length + missing.length === 0 ? [] : [remarkWords(remarks.length + missing.length)]),
  ]
  return parts.length === 0 ? undefined : joinProse(parts, ' · ')
}

/** Two pieces with a separator between them, or on two lines when they do not fit on one. */
const besides = (before: Prose, separator: string, after: Prose): Prose => [
  ...before,
  ...verbatim(gap(proseText(before), separator, proseText(after))),
  ...after,
]

/** The command to type for a row. */
const wayLine = (word: 'approve' | 'promote' | 'revoke', handle: string): Prose =>
  verbatim(`\n  → /hooks ${word} ${handle}`.trimEnd())

const rowWords = (row: ListedHook, ports: CommandPorts, { owner, address }: CommandContext): Prose => {
  const key = rowKey(row)
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key)
  const status = statusOf(row, handle)
  const more = moreWords(row)
  const whole = prose`→ /hooks show ${verbatim(handle)}`
  const origin = foreignOrigin(row)
  // The name of an unapproved hook stays a quote, because its file may choose any name.
  const name = row.live === undefined ? handlerLine(row) : named(handlerLine(row))
  const from = origin === undefined ? [] : prose`\n  from ${shorten(oneLine(origin), maxOriginChars)}`
  const indented = (text: Prose): Prose => prose`  ${text}`
  const called = row.name === undefined ? [] : prose`\n  ${shorten(oneLine(row.name), maxNameChars)}`
  const seeMore =
    more === undefined ? [] : prose`\n${handle === '' ? indented(more) : besides(indented(more), ' ', whole)}`
  const separator = verbatim(gap(proseText(status), '  ', row.event))
  const head = prose`${status}${separator}${eventWords(row.event)}\n  ${name}${called}${from}${seeMore}`
  const problem = row.problem === undefined ? [] : prose`\n  ${formatProblem(row.problem)}`
  const firedMs = row.live === undefined ? undefined : ports.lastFiredMs(row.live)
  const fired = firedMs === undefined ? undefined : prose`last fired ${agoWords(firedMs, ports.now())}`
  const line = (words: Prose): Prose =>
    prose`\n${fired === undefined ? indented(words) : besides(indented(words), ' · ', fired)}`
  const fails = line(row.entry === undefined ? prose`approved` : prose`if it fails: ${failsHow(row) ?? []}`)
  const shadow = shadowWords(row, ports)
  const would = shadow === undefined ? [] : prose`\n${indented(shadow)}`
  switch (row.status) {
    case 'approved':
      return shadow === undefined
        ? prose`${head}${fails}`
        : prose`${head}${fails}${would}${wayLine('promote', handle)}`
    case 'gone':
      return prose`${head}${fails}${would}${wayLine('revoke', handle)}`
    case 'changed':
      return prose`${head}${line(changedWords(row))}${would}${problem}${wayLine(row.problem === undefined ? 'approve' : 'revoke', handle)}`
    case 'waiting':
      return row.problem === undefined
        ? prose`${head}${wayLine('approve', handle)}`
        : prose`${head}${problem}`
    case 'invalid':
      return prose`${head}${problem}`
  }
}

/** One hook in the list: its state, its handler, and the commands that apply to it. */
export const rowLines = (row: ListedHook, ports: CommandPorts, context: CommandContext): Prose =>
  ofHook(ownHook(row), rowWords(row, ports, context))

/**
 * A digest of all that an approval would bind, with the shell and interpreter. A shadow that no file proposes
 * any longer can still be promoted. Undefined when nothing can be approved.
 */
export const digestOf = ({
  proposed,
  under,
  interpreter,
  status,
  live,
  isShadow,
}: ListedHook): string | undefined => {
  const bound = status === 'gone' && isShadow === true ? live : proposed
  return bound === undefined ? undefined : JSON.stringify([bound, under, interpreter])
}
