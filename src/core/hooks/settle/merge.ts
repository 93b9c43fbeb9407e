import type { Answer } from '../../model/hooks/answer.ts'
import { labelOf } from '../../model/hooks/entry.ts'
import { contractOf, type EventName, type GateVerdict } from '../../model/events/event.ts'
import type { Verdict } from '../../model/hooks/verdict.ts'
import { closedBy, failsClosed, traceOf, type Settlement, type HookRun } from './settle.ts'

/** Each distinct fault once, with its consequence. */
const faultWarnings = (run: HookRun, verdict: Verdict['verdict'], canBlock: boolean): readonly string[] => {
  const { hook, faults, answer } = run
  if (faults.length === 0) return []
  const isClosed = failsClosed(run)
  if (hook.entry.onError === 'ignore' && !isClosed) return []
  const why = closedBy(run)
  const consequence =
    isClosed && canBlock
      ? ` On this fault it fails closed${why === undefined ? '' : `, since ${why}`}, so the step was blocked.`
      : verdict === 'allow'
        ? ' On this fault the step went on without it.'
        : answer?.kind === 'ask'
          ? ' Its question to the person remains.'
          : ''
  return [
    ...new Set(
      faults.map(({ kind, detail }) => `${labelOf(hook.entry)} failed (${kind}): ${detail}${consequence}`),
    ),
  ]
}

/** Reports an answer that the event cannot apply. It is never dropped silently. */
const unhonoured = (
  { hook, answer }: HookRun,
  event: EventName,
  gate: readonly GateVerdict[],
): readonly string[] => {
  if (answer?.kind !== 'block' && answer?.kind !== 'ask') return []
  return gate.includes(answer.kind)
    ? []
    : [`${labelOf(hook.entry)} answered "${answer.kind}", which ${event} cannot apply; the step went on.`]
}

const reasonOf = (run: HookRun, { kind, reason, fault }: Answer): string => {
  if (kind === 'block' || fault === undefined) return reason ?? 'blocked by hook'
  const why = closedBy(run)
  return `the hook failed (${fault.kind}) and fails closed${why === undefined ? '' : ` (${why})`}: ${fault.detail}`
}

type Merged = Pick<Verdict, 'verdict' | 'reason' | 'by' | 'fingerprint'>

const from = ({ hook }: HookRun): Pick<Verdict, 'by' | 'fingerprint'> => ({
  by: labelOf(hook.entry),
  fingerprint: hook.fingerprint,
})

const merge = ({ payload, runs, blocker, unsettled }: Settlement): Merged => {
  const { gate } = contractOf(payload.event)
  if (blocker?.answer !== undefined)
    return { verdict: 'block', reason: reasonOf(blocker, blocker.answer), ...from(blocker) }
  const names = unsettled.join(' and ')
  if (unsettled.length > 0 && gate.includes('block'))
    return { verdict: 'block', reason: `unsettled: ${names} could not agree in time`, by: names }
  const asker = gate.includes('ask') ? runs.find(({ answer }) => answer?.kind === 'ask') : undefined
  if (asker?.answer !== undefined)
    return { verdict: 'ask', reason: asker.answer.reason ?? 'the hook asks the person', ...from(asker) }
  return { verdict: 'allow' }
}

/**
 * Merges all answers of one event into one verdict. Block wins over ask, ask over allow, and allow over
 * abstain. The reason is that of the strongest answer. `inForce`: the number of hooks of the event.
 */
export const mergeVerdict = (settlement: Settlement, inForce: number, revision: number): Verdict => {
  const { payload, runs, unsettled } = settlement
  const { gate, contextTo } = contractOf(payload.event)
  const canBlock = gate.includes('block')
  const merged = merge(settlement)
  return {
    ...merged,
    payload,
    isConsent: runs.some(({ answer }) => answer?.kind === 'allow'),
    stopsTurn: runs.some(({ answer }) => answer?.stopsTurn === true) || undefined,
    contexts: contextTo === undefined ? [] : runs.flatMap(({ contexts }) => contexts),
    notes: runs.flatMap(({ notes }) => notes),
    warnings: [
      ...settlement.warnings,
      ...runs.flatMap((run) => [
        ...faultWarnings(run, merged.verdict, canBlock),
        ...unhonoured(run, payload.event, gate),
      ]),
      ...(unsettled.length > 0 && !canBlock
        ? [`${unsettled.join(' and ')} could not agree on what ${payload.event} should carry.`]
        : []),
    ],
    hooks: runs.map(traceOf),
    missed: inForce - runs.length,
    revision,
  }
}
