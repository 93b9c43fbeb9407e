import { answersInWords } from '../shared/gate/form.ts'
import type { Step } from '../core/model/events/step.ts'
import type { Unanswered, Verdict } from '../core/model/hooks/verdict.ts'
import type { AskingStep, createAskPerson } from './ask-person.ts'
import type { AskReason } from './ask-reasons.ts'
import type { AskedForm } from './asked-form.ts'
import { afterAnswers, callOf } from './call.ts'
import { decided, type Decision } from './decision.ts'
import type { createDecisionRecord } from './decision-record.ts'
import type { Permit } from './semaphore.ts'
import type { Ended } from './questions/waiting-question.ts'

interface Asked {
  /** The event as hooks settled it. */
  readonly verdict: Verdict
  readonly form: AskedForm
  /** Why a person has to allow the call, too. */
  readonly reason: AskReason | undefined
  readonly endsAtMs: number
}

/** What the questions of a step led to. */
interface Answered {
  /** The verdict on the step, or on the call with the answers before hooks judged it. */
  readonly verdict: Verdict
  /** The call with the answers, which hooks judge now. Absent: nothing is left to judge. */
  readonly step?: Step
  /** Adds to a verdict that a person answered. */
  readonly withPerson: (verdict: Verdict) => Verdict
}

const asIs = (verdict: Verdict): Verdict => verdict

const open: readonly unknown[] = [
  'elsewhere',
  'expired',
  'gone',
  'full',
  'nobody',
] satisfies readonly Unanswered[]

/** Nobody decided anything, so the caller may ask by itself. */
const isOpen = (ended: Ended): ended is Ended & { readonly kind: Unanswered } => open.includes(ended.kind)

/** The reason for the agent when a person does not want to answer. */
const refusalOf = (ended: Ended, { reason = 'denied' }: Decision): string => {
  if (ended.kind !== 'deny') return reason
  return `The person does not want to answer${ended.words === '' ? '.' : `: ${ended.words}`}`
}

const refused = (verdict: Verdict, reason: string, { by, source, stopsTurn }: Decision): Verdict => ({
  ...verdict,
  verdict: 'block',
  reason,
  by: by ?? 'hookgate',
  ...(source === 'parked' ? { isParked: true } : {}),
  ...(stopsTurn === true ? { stopsTurn } : {}),
})

/** Puts the questions of a step to the people who may answer for its agent. */
export const createAskForm =
  (
    ask: ReturnType<typeof createAskPerson>['askForm'],
    record: ReturnType<typeof createDecisionRecord>['unjudged'],
    canonical: (value: unknown) => string,
  ) =>
  async (
    request: AskingStep,
    step: Step,
    permit: Permit,
    { verdict, form: { form, asked, filled, isCall }, reason, endsAtMs }: Asked,
  ): Promise<Answered> => {
    const call = callOf(step, asked, canonical)
    const { event_id } = verdict.payload
    const { why = '', by } = reason ?? {}
    const ended = await ask(request, permit, call, {
      why,
      by,
      event_id,
      endsAtMs,
      form,
    })
    const decision = decided(ended)
    record(step, call, decision, event_id)
    if (ended.kind !== 'form')
      return isOpen(ended) && reason === undefined
        ? { verdict: { ...verdict, unanswered: ended.kind }, withPerson: asIs }
        : { verdict: refused(verdict, refusalOf(ended, decision), decision), withPerson: asIs }
    const words = answersInWords(form, ended.answers)
    const fields = filled(ended.answers)
    return {
      verdict: { ...verdict, payload: { ...verdict.payload, ...fields } },
      ...(isCall ? { step: { ...step, fields } } : {}),
      withPerson: (judged) => afterAnswers(judged, words),
    }
  }
