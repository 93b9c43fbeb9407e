import { createBoundedMap } from '../core/model/base/bounded-map.ts'
import { isQuestionTool } from '../shared/gate/form.ts'
import type { Grant } from '../core/model/gate/grant.ts'
import type { Fired, Step } from '../core/model/events/step.ts'
import type { Verdict } from '../core/model/hooks/verdict.ts'
import { createAskPerson, type AskingStep } from './ask-person.ts'
import { askReasonOf, type AskReason } from './ask-reasons.ts'
import { createAskForm } from './ask-form.ts'
import { formAskedBy, withoutOwnAnswers } from './asked-form.ts'
import { afterChange, callOf, changedInput, toolOf, type SettledCall } from './call.ts'
import { decidedByGrant, maxWaiting, type Decision } from './decision.ts'
import { createDecisionRecord, type DecisionRecordPorts } from './decision-record.ts'
import { createGrants, type GrantPorts } from './grants.ts'
import { createQuestionCards, type CardPorts } from './questions/question-cards.ts'
import { createQuestionStore, type QuestionStorePorts } from './questions/question-store.ts'
import { createQuestions, type QuestionsPorts } from './questions/questions.ts'
import { createSemaphore, type Permit } from './semaphore.ts'

export type PermissionRequest = AskingStep

export interface PermissionsPorts
  extends
    CardPorts,
    DecisionRecordPorts,
    GrantPorts,
    Omit<QuestionsPorts, 'show' | 'store' | 'hasPeople' | 'ended'> {
  readonly stored: Omit<QuestionStorePorts, 'now' | 'elapsedMs'>
  /** The tools that do not run before a person has said yes. */
  listed(agentId: string): readonly string[]
  gate(): { readonly revision: number; readonly lockdown?: string }
}

/** A copy without these fields. */
const omit = <T extends object, K extends keyof T>(value: T, names: readonly K[]): Omit<T, K> => {
  const left: readonly PropertyKey[] = names
  return Object.fromEntries(Object.entries(value).filter(([name]) => !left.includes(name))) as Omit<T, K>
}

/** What a caller says beside the step: how it waits for a person. */
const patience = [
  'askMs',
  'signal',
  'waits',
  'resume',
  'takesChange',
  'takesAnswers',
  'canAskItself',
] as const

/** A person said yes to this very call already, and the gate has changed since. */
const saidBefore: Decision = { isAllowed: true, source: 'person', outcome: 'allowed', how: 'as was said' }

/** A change that the call cannot take. The call must not run without it. */
const noSuchChange: Decision = {
  isAllowed: false,
  source: 'person',
  outcome: 'denied',
  how: 'because its arguments cannot be changed so',
  reason: 'The person changed the call, and its arguments cannot be changed so.',
}

const answered = (
  { isAllowed, reason, by, source, stopsTurn }: Decision,
  settled: Verdict,
  asked: Verdict,
): Fired => {
  const { reason: _why, by: _who, ...verdict } = settled
  return {
    kind: 'verdict',
    verdict: {
      ...verdict,
      ...(isAllowed
        ? { verdict: 'allow' }
        : { verdict: 'block', reason: reason ?? 'denied', by: by ?? 'hookgate' }),
      // Without an explicit yes the client would ask the person once more, at its own terminal.
      ...(isAllowed && verdict.payload.event === 'on_permission_request' ? { isConsent: true } : {}),
      ...(source === 'parked' ? { isParked: true } : {}),
      ...(asked.isTold === true ? { isTold: true } : {}),
      ...([verdict.stopsTurn, asked.stopsTurn, stopsTurn].includes(true) ? { stopsTurn: true } : {}),
      notes: [...new Set([...verdict.notes, ...asked.notes])],
    },
  }
}

/** What the hooks of on_permission_request are asked, before any person is. */
const permissionRequestOf = (
  step: Step,
  { tool_name, tool_input }: SettledCall,
  { payload }: Verdict,
): Step => {
  const id = payload['tool_use_id']
  return {
    ...step,
    event: 'on_permission_request',
    fields: {
      tool_name,
      tool_input,
      suggestions: [],
      ...(typeof id === 'string' ? { tool_use_id: id } : {}),
    },
  }
}

/** What the hooks of on_permission_request decided. Undefined: they left it to a person. */
const decidedByHooks = (asked: Verdict): Decision | undefined => {
  if (asked.verdict === 'block') {
    const by = asked.by ?? 'hookgate'
    const reason = asked.reason ?? 'blocked by hook'
    return { isAllowed: false, source: 'hook', outcome: 'denied', how: `by ${by}`, reason, by }
  }
  return asked.isConsent
    ? { isAllowed: true, source: 'hook', outcome: 'allowed', how: 'by a hook' }
    : undefined
}

/**
 * Asks the owners about a tool call when a hook, the list "ask" of gate.yaml or a foreign client wants a
 * person's answer.
 */
export const createPermissions = (ports: PermissionsPorts) => {
  const record = createDecisionRecord(ports)
  const questions = createQuestions({
    ...ports,
    ended: record.endedParked,
    show: createQuestionCards(ports),
    store: createQuestionStore({ ...ports, ...ports.stored }),
    hasPeople: (asked) => ports.chats(asked).length > 0,
  })
  const people = createAskPerson(questions, ports.mayAnswer)
  const askForm = createAskForm(people.askForm, record.unjudged, ports.canonical)
  const grants = createGrants(ports)
  const permitOf = createSemaphore(maxWaiting)
  /** Why a person has to be asked about a call whose caller does not wait for one, by its digest. */
  const askReasons = createBoundedMap<string, AskReason>(1000)

  const judge = async (request: PermissionRequest, permit: Permit): Promise<Fired> => {
    const { askMs, takesChange, takesAnswers } = request
    const asIs: Step = omit(request, patience)
    const { agentId, caller = agentId, sessionId } = asIs
    let step: Step = asIs
    /** Adds what a person changed or answered to the verdict of the call. */
    let withPerson = (verdict: Verdict): Verdict => verdict
    const told = (fired: Fired): Fired =>
      fired.kind === 'loop' ? fired : { kind: 'verdict', verdict: withPerson(fired.verdict) }
    const isRequest = step.event === 'on_permission_request'
    const endsAtMs = ports.elapsedMs() + (askMs ?? 0)
    /** The call that a person said yes to under a gate that has changed since. */
    let consent: SettledCall | undefined
    /** The call as it was judged first. What was rewritten after that is covered by no grant. */
    let first: SettledCall | undefined
    let granted: Grant | undefined
    for (;;) {
      const takesForm = takesAnswers === true && consent === undefined
      const judged = await ports.fire(step)
      const fired = takesForm ? withoutOwnAnswers(step, judged) : judged
      if (step.event === 'on_session_end') {
        people.endSession(caller, sessionId)
        questions.endSession(caller, sessionId)
      }
      if (fired.kind === 'loop') return fired
      const { verdict } = fired
      const reason = askReasonOf(step, verdict, ports.listed(agentId))
      if (askMs === undefined) {
        if (isRequest || reason === undefined) return fired
        const left = callOf(step, verdict, ports.canonical)
        const canBeGranted = grants.canAnswer({ ...left, agent_id: agentId, cwd: step.cwd }, verdict)
        askReasons.set(left.digest, { ...reason, ...(canBeGranted ? { canBeGranted } : {}) })
        if (verdict.verdict === 'ask') return fired
        record.leftOpen(step, verdict, reason)
        const { why, by = 'hookgate' } = reason
        return { kind: 'verdict', verdict: { ...verdict, verdict: 'ask', reason: why, by } }
      }
      const form = takesForm ? formAskedBy(step, verdict) : undefined
      if (form !== undefined) {
        const end = await askForm(request, step, permit, { verdict, form, reason, endsAtMs })
        withPerson = end.withPerson
        if (end.step === undefined) return told({ kind: 'verdict', verdict: end.verdict })
        step = end.step
        consent = callOf(step, end.verdict, ports.canonical)
        continue
      }
      if (reason === undefined && !isRequest) return told(fired)
      // The client puts a question that was left to it in its own way. A yes of ours would answer nothing.
      if (
        isRequest &&
        takesAnswers === true &&
        isQuestionTool(toolOf(verdict)) &&
        !decidedByHooks(fired.verdict)
      )
        return told(fired)

      const call = callOf(step, verdict, ports.canonical)
      const asked = isRequest ? fired : await ports.fire(permissionRequestOf(step, call, verdict))
      if (asked.kind === 'loop') return asked
      const { event_id } = verdict.payload
      const before = isRequest ? askReasons.take(call.digest) : undefined
      const { canBeGranted: couldBeGranted, ...why }: Partial<AskReason> = before ?? reason ?? {}
      first ??= call
      const grantable = { ...call, agent_id: agentId, cwd: step.cwd }
      const canBeGranted =
        first.digest === call.digest &&
        (before === undefined || couldBeGranted === true) &&
        grants.canAnswer(grantable, verdict, asked.verdict)
      const decision =
        decidedByHooks(asked.verdict) ??
        people.decidedBySession(call, { agent_id: agentId, caller }) ??
        (consent?.digest === call.digest ? saidBefore : undefined) ??
        decidedByGrant((granted = canBeGranted ? await grants.take(grantable, granted?.id) : undefined)) ??
        (await people.ask(request, permit, call, {
          why: '',
          ...why,
          ...(canBeGranted ? { canBeGranted } : {}),
          event_id,
          endsAtMs,
        }))
      if (decision.change !== undefined) {
        const input = takesChange === true ? changedInput(call.tool_input, decision.change) : undefined
        if (input === undefined) return answered(noSuchChange, verdict, asked.verdict)
        // The call as the person wrote it is judged like any other. A block stops it, and a question about
        // exactly this call is answered already.
        const { change } = decision
        withPerson = (judged) => afterChange(judged, change)
        step = { ...step, fields: { ...step.fields, tool_input: input } }
        const { payload } = verdict
        consent = callOf(step, { ...verdict, payload: { ...payload, tool_input: input } }, ports.canonical)
        await record.decided(step, consent, decision, event_id)
        continue
      }
      if (decision !== saidBefore) await record.decided(step, call, decision, event_id)
      // Everything from here to the answer is one step, so nothing can be revoked in between.
      const { revision, lockdown } = ports.gate()
      const stands = decision.source !== 'grant' || (granted !== undefined && grants.isStanding(granted))
      if (!decision.isAllowed || (stands && revision === verdict.revision && lockdown === undefined))
        return told(answered(decision, verdict, asked.verdict))
      // The gate changed meanwhile, so the step is judged once more. A person's yes holds for exactly this
      // call.
      if (decision.source === 'person') consent = call
    }
  }

  const fire = async (request: PermissionRequest): Promise<Fired> => {
    const permit = permitOf(request.caller ?? request.agentId)
    try {
      return await judge(request, permit)
    } finally {
      permit.release()
    }
  }

  return {
    /** Puts an event to the hooks and, when a person has to decide, to the owners. Never rejects. */
    fire,
    // People answer them; they outlive the gate.
    ...omit(questions, ['ask', 'endSession']),
    /** The uses of the grants. */
    grants: {
      begin: grants.begin,
      usesLeft: grants.usesLeft,
      isSpent: grants.isSpent,
      restore: grants.restore,
    },
  }
}

export type Permissions = ReturnType<typeof createPermissions>
