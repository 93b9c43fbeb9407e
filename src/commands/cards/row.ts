import { statusWords, type ListedHook } from '../../shared/gate/catalogue.ts'
import { blocksBeforehand, contractOf, isEventName } from '../../core/model/events/event.ts'
import { trialProblem } from '../../shared/hooks/evidence.ts'
import { problemWords } from '../../shared/said/our-words.ts'
import {
  fromTable,
  heading,
  joinProse,
  ofHook,
  prose,
  type Prose,
  verbatim,
} from '../../core/model/chat/prose.ts'
import type { CommandPorts } from '../ports.ts'
import { oneLine, shorten } from '../words.ts'

/** The name of an event. A text of a file that is not an event's name is shown as a quote. */
export const eventWords = (event: string): Prose =>
  isEventName(event) ? verbatim(event) : prose`${shorten(oneLine(event), 60)}`

/** True when an owner could approve the hook in its current state. */
export const isWaiting = (row: ListedHook): boolean =>
  (row.status === 'waiting' || row.status === 'changed') && row.problem === undefined

/** What of the proposals cannot be approved as it is, by what the owner can do about it. */
export const troublesOf = (
  rows: readonly ListedHook[],
): Readonly<Record<'toFix' | 'idle' | 'unseen', readonly ListedHook[]>> => {
  const found = rows.filter(({ live, problem }) => live === undefined && problem !== undefined)
  return {
    /** Its file has to be mended. */
    toFix: found.filter(({ problem }) => problem?.lacks === undefined && problem?.code !== 'program.later'),
    /** A program that it needs is not installed. */
    idle: found.filter(({ problem }) => problem?.lacks !== undefined),
    /** Its check comes later, because checks that take long are spread over time. */
    unseen: found.filter(({ problem }) => problem?.code === 'program.later'),
  }
}

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

/** When a hook is asked, in words. Undefined for an event that there is not. */
export const whenWords = ({ event, entry }: ListedHook): Prose | undefined => {
  if (!isEventName(event)) return undefined
  const when = fromTable(contractOf(event).when)
  const isNarrowed = entry?.matcher !== undefined || entry?.condition !== undefined
  return isNarrowed ? prose`${when}, where its pattern fits` : when
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

/** The status of a row after its handle. `isAll`: what follows shows enough for a yes. */
export const statusOf = (row: ListedHook, handle: string, isAll: boolean): Prose =>
  handle === ''
    ? statusWords(row)
    : prose`${heading(handle, '', isAll ? undefined : true)} ${statusWords(row)}`

/** The sign of a hook's health, and what is the matter with it. Undefined: all is well. */
const healthOf = (row: ListedHook): { readonly sign: string; readonly why?: Prose } => {
  const { status, problem, isStopped, isUnheard, isShadow } = row
  if (isStopped === true) return { sign: '⚠', why: changedWords(row) }
  if (isUnheard === true) return { sign: '⚠', why: prose`its node is not connected` }
  if (problem !== undefined) return { sign: '⚠', why: problemWords(problem) }
  const sign = isShadow === true ? '~' : '✓'
  if (status === 'changed') return { sign, why: prose`its file changed` }
  return status === 'gone' ? { sign, why: prose`no file proposes it any longer` } : { sign }
}

/**
 * An approved hook on one line of the list: a sign of its health, its name, and what is the matter with it.
 * `handle`: for a chat without buttons, where somebody types it.
 */
export const listLine = (row: ListedHook, name: Prose, handle: string, ports: CommandPorts): Prose => {
  const { sign, why } = healthOf(row)
  const more = why ?? shadowWords(row, ports)
  const head = handle === '' ? verbatim(sign) : prose`${verbatim(sign)} ${heading(handle, '', true)}`
  return ofHook(ownHook(row), more === undefined ? prose`${head} ${name}` : prose`${head} ${name}: ${more}`)
}

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
