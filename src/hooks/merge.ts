import type { Answer } from '../model/answer.ts'
import { labelOf } from '../model/entry.ts'
import { contractOf, type EventName, type GateVerdict } from '../model/event.ts'
import type { Verdict } from '../model/verdict.ts'
import { blocks, traceOf, type Settlement, type Standing } from './settle.ts'

const faultWarning = ({ hook, answer }: Standing, canBlock: boolean): readonly string[] => {
  if (answer?.fault === undefined || hook.entry.onError === 'ignore') return []
  const consequence = hook.entry.onError === 'block' && canBlock ? 'it fails closed, so the step was blocked' : 'the step went on without it'
  return [`${labelOf(hook.entry)} failed (${answer.fault.kind}): ${answer.fault.detail} On this fault ${consequence}.`]
}

/** A verdict that the event cannot honour is told, never dropped. */
const unhonoured = ({ hook, answer }: Standing, event: EventName, gate: readonly GateVerdict[]): readonly string[] => {
  if (answer === undefined || answer.kind === 'abstain' || answer.kind === 'allow' || answer.kind === 'fault') return []
  return gate.includes(answer.kind) ? [] : [`${labelOf(hook.entry)} answered "${answer.kind}", which ${event} cannot honour; the step went on.`]
}

const reasonOf = (answer: Answer): string =>
  answer.reason ?? (answer.fault === undefined ? 'blocked by hook' : `the hook failed (${answer.fault.kind}) and fails closed: ${answer.fault.detail}`)

/** All answers of one event as one verdict: block over ask over allow over abstain, the reason that of the strongest. */
export const mergeVerdict = (settlement: Settlement, revision: number): Verdict => {
  const { payload, standings, blocker, unsettled } = settlement
  const { gate, contextTo } = contractOf(payload.event)
  const canBlock = gate.includes('block')
  const strongest = blocker ?? standings.find((standing) => blocks(standing, canBlock))
  const asker = gate.includes('ask') ? standings.find(({ answer }) => answer?.kind === 'ask') : undefined
  const isUnsettled = unsettled.length > 0
  const base = {
    payload,
    isConsent: standings.some(({ answer }) => answer?.kind === 'allow'),
    contexts: contextTo === undefined ? [] : standings.flatMap(({ contexts }) => contexts),
    notes: standings.flatMap(({ notes }) => notes),
    warnings: [
      ...settlement.warnings,
      ...standings.flatMap((standing) => [...faultWarning(standing, canBlock), ...unhonoured(standing, payload.event, gate)]),
      ...(isUnsettled && !canBlock ? [`${unsettled.join(' and ')} could not agree on what ${payload.event} should carry.`] : []),
    ],
    hooks: standings.map(traceOf),
    revision,
  }
  if (strongest?.answer !== undefined) {
    return { ...base, verdict: 'block', reason: reasonOf(strongest.answer), by: labelOf(strongest.hook.entry) }
  }
  if (isUnsettled && canBlock) {
    return { ...base, verdict: 'block', reason: `unsettled: ${unsettled.join(' and ')} could not agree in time`, by: unsettled.join(' and ') }
  }
  if (asker?.answer !== undefined) {
    return { ...base, verdict: 'ask', reason: asker.answer.reason ?? 'a hook asks for the person', by: labelOf(asker.hook.entry) }
  }
  return { ...base, verdict: 'allow' }
}
