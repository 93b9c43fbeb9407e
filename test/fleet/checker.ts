/** Finds what a history shows that no run may show. It is pure. */
import type { ActName, Arrival, Call, EventCall, History, OwnerAct, PromptCall, PushCall } from './history.ts'

export const laws = {
  verdict: 'Nothing leaves, and nothing is blocked, by a verdict older than an acknowledged act.',
  once: 'No message arrives twice, unless its outcome was told as unknown.',
  kept: 'What was acknowledged is not lost, and no prompt is done twice, unless it was told.',
  chain: 'The ledger never forks, and an acknowledged act is in it.',
  off: 'An acknowledged turn of the switch counts for every gate that answers afterwards.',
} as const

export interface Violation {
  readonly law: keyof typeof laws
  readonly what: string
}

/** A message that left before an act was acknowledged may arrive so much later. */
export const onItsWayMs = 500

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const ofKind = <Kind extends Call['kind']>(
  { calls }: History,
  kind: Kind,
): readonly Extract<Call, { kind: Kind }>[] =>
  calls.filter((call): call is Extract<Call, { kind: Kind }> => call.kind === kind)

/**
 * The act of these names that counted during the whole span. Undefined where that is not certain: an act was
 * on its way, or the end of the last one is unknown. A later act that was acknowledged makes it certain
 * again, because the acts of one chat are done in their order.
 */
const counted = (
  acts: readonly OwnerAct[],
  names: readonly ActName[],
  { fromMs, toMs }: Span,
): ActName | undefined => {
  const begun = acts.filter(
    ({ act, ending, startMs }) => names.includes(act) && ending !== 'failed' && startMs <= toMs,
  )
  const last = begun.toSorted((a, b) => a.startMs - b.startMs).at(-1)
  return last?.ending === 'ok' && last.endMs <= fromMs ? last.act : undefined
}

const guards = (history: History) => {
  const acts = ofKind(history, 'act')
  const switchIn = (span: Span): ActName | undefined => counted(acts, ['on', 'off'], span)
  const approvalIn = (span: Span): ActName | undefined => counted(acts, ['approve', 'revoke'], span)
  return {
    switchIn,
    isGuarding: (span: Span): boolean => switchIn(span) === 'on' && approvalIn(span) === 'approve',
    isIdle: (span: Span): boolean => switchIn(span) === 'off' || approvalIn(span) === 'revoke',
  }
}

const spanOf = ({ startMs, endMs }: Call): Span => ({ fromMs: startMs, toMs: endMs })
const times = (atMs: number): string => `${atMs.toFixed(0)} ms`

type Law = (history: History) => readonly Violation[]

const verdictLaw: Law = (history) => {
  const { isGuarding, isIdle, switchIn } = guards(history)
  const pushes = ofKind(history, 'push').filter(({ isForbidden }) => isForbidden)
  const leaks = pushes.flatMap(({ text, startMs }) =>
    history.arrivals
      .filter((arrival) => arrival.text === text)
      .filter(({ atMs }) => isGuarding({ fromMs: Math.max(startMs, atMs - onItsWayMs), toMs: atMs }))
      .map(({ atMs }) => `“${text}” arrived at ${times(atMs)}, although the guard counted`),
  )
  const heldBack = pushes
    .filter((push) => push.told === 'withheld' && isIdle(spanOf(push)))
    .map(({ text }) => `“${text}” was withheld, although the guard did not count`)
  const wrong = (call: EventCall): string | undefined => {
    const { gate, verdict, isForbidden, startMs } = call
    const at = `an event on ${gate} at ${times(startMs)}`
    const turned = switchIn(spanOf(call))
    if (isForbidden && verdict === 'allowed' && turned === 'on')
      return `${at} was allowed while hooks were on`
    if (verdict === 'blocked' && turned === 'off') return `${at} was blocked while hooks were off`
    return undefined
  }
  const events = ofKind(history, 'event').flatMap((call) => wrong(call) ?? [])
  return [...leaks, ...heldBack, ...events].map((what) => ({ law: 'verdict', what }))
}

const countOf = (arrivals: readonly Arrival[], text: string): number =>
  arrivals.filter((arrival) => arrival.text === text).length

const onceLaw: Law = (history) => {
  const isTwice = ({ text }: PushCall | PromptCall): boolean => countOf(history.arrivals, text) > 1
  return [
    ...ofKind(history, 'push').filter((push) => push.told !== 'unknown' && isTwice(push)),
    ...ofKind(history, 'prompt').filter((prompt) => !prompt.isTold && isTwice(prompt)),
  ].map(({ text }) => ({ law: 'once', what: `“${text}” arrived ${countOf(history.arrivals, text)} times` }))
}

const keptLaw: Law = (history) => {
  const pushProblem = ({ text, told, ending }: PushCall): string | undefined => {
    const count = countOf(history.arrivals, text)
    const wasAcknowledged = ending === 'ok' && (told === 'delivered' || told === 'queued')
    if (wasAcknowledged && count === 0) return `“${text}” was told as ${told}, and did not arrive`
    const wasEnded = ending === 'ok' && (told === 'withheld' || told === 'failed')
    return wasEnded && count > 0 ? `“${text}” was told as ${told}, and arrived` : undefined
  }
  const promptProblem = ({ text, ending, timesDone, isTold }: PromptCall): string | undefined => {
    if (isTold) return undefined
    if (timesDone > 1) return `the agent did “${text}” ${timesDone} times`
    return ending === 'ok' && timesDone === 1 ? undefined : `“${text}” was lost, and nobody was told`
  }
  return [
    ...ofKind(history, 'push').flatMap((call) => pushProblem(call) ?? []),
    ...ofKind(history, 'prompt').flatMap((call) => promptProblem(call) ?? []),
  ].map((what) => ({ law: 'kept', what }))
}

/** The first of the acknowledged acts that the lines do not hold, in the order of the acts. */
const missingAct = (history: History): OwnerAct | undefined => {
  const lines = history.chain.slice(history.linesBefore).map(({ act }) => act)
  let at = 0
  return ofKind(history, 'act')
    .filter(({ ending, isChange }) => ending === 'ok' && isChange)
    .toSorted((a, b) => a.endMs - b.endMs)
    .find(({ act }) => {
      const found = lines.indexOf(act, at)
      at = found + 1
      return found === -1
    })
}

const chainLaw: Law = (history) => {
  const { chain, sightings } = history
  const breaks = chain.flatMap(({ previous }, at) =>
    at === 0 || chain[at - 1]?.head === previous ? [] : `line ${at + 1} does not follow line ${at}`,
  )
  const forks = sightings
    .filter(({ revision, head }) => revision > 0 && chain[revision - 1]?.head !== head)
    .map(({ by, revision }) => `${by} saw another line ${revision} than the database has`)
  const missing = missingAct(history)
  const lost =
    missing === undefined ? [] : [`“${missing.act}” of ${times(missing.startMs)} is not in the ledger`]
  return [...breaks, ...forks, ...lost].map((what) => ({ law: 'chain', what }))
}

const offLaw: Law = (history) => {
  const { switchIn } = guards(history)
  return ofKind(history, 'read').flatMap((call) => {
    const turned = switchIn(spanOf(call))
    if (call.isOn === undefined || turned === undefined || call.isOn === (turned === 'on')) return []
    const what = `the list at ${times(call.startMs)} says ${call.isOn ? 'on' : 'off'} after “${turned}”`
    return [{ law: 'off', what }]
  })
}

const byLaw: Readonly<Record<Violation['law'], Law>> = {
  verdict: verdictLaw,
  once: onceLaw,
  kept: keptLaw,
  chain: chainLaw,
  off: offLaw,
}

/** All violations of a history, law by law. */
export const violationsOf = (history: History): readonly Violation[] =>
  Object.values(byLaw).flatMap((law) => law(history))
