import type { Ending, Question, Resume } from '../model/permission.ts'
import type { EventRecord } from '../model/record.ts'
import type { Fired, Patience, Step } from '../model/step.ts'
import type { Verdict } from '../model/verdict.ts'
import { createAllowances } from './allowances.ts'
import { createBoard, type BoardPorts } from './board.ts'
import { callOf, doubtOf, toolOf, type Call, type Doubt } from './call.ts'
import { decided, type Decision } from './decision.ts'
import { createDoubts } from './doubts.ts'
import { createQuestions, type QuestionsPorts } from './questions.ts'
import { createSeats, type Seat } from './seats.ts'

/** `resume`: its caller can be told to end, and to make this call again. */
export type Asking = Step & Patience & { readonly resume?: Resume }

export interface PermissionsPorts extends BoardPorts, Omit<QuestionsPorts, 'show' | 'hasOwners' | 'ended'> {
  fire(step: Step): Promise<Fired>
  /** The tools that do not run without a person's word. */
  listed(agentId: string): readonly string[]
  /** Equal values are equal texts. */
  canonical(value: unknown): string
  isOwner(id: string): boolean
  gate(): { readonly revision: number; readonly lockdown?: string }
  record(record: EventRecord): void
}

/** Of one agent, at once. */
export const maxWaiting = 32
/** So long a caller's answer waits for the hooks that only hear of a decision, so that no caller outruns them. In milliseconds. */
const hearingMs = 1000

type About = Pick<Question, 'by' | 'why' | 'event_id' | 'untilMs'>

/** A person said so before, and the gate has changed since. */
const said: Decision = { isAllowed: true, source: 'person', outcome: 'allowed', how: 'as was said' }

const answered = ({ isAllowed, reason, by, source }: Decision, settled: Verdict, asked: Verdict): Fired => {
  const { reason: _why, by: _who, ...verdict } = settled
  return {
    kind: 'verdict',
    verdict: {
      ...verdict,
      ...(isAllowed
        ? { verdict: 'allow' }
        : { verdict: 'block', reason: reason ?? 'denied', by: by ?? 'hookgate' }),
      // Silence would leave the question where it is: at the client's own terminal.
      ...(isAllowed && verdict.payload.event === 'on_permission_request' ? { isConsent: true } : {}),
      ...(source === 'parked' ? { isParked: true } : {}),
      ...(verdict.stopsTurn === true || asked.stopsTurn === true ? { stopsTurn: true } : {}),
      notes: [...new Set([...verdict.notes, ...asked.notes])],
    },
  }
}

/** Only a person's word is an owner's act: what ends without one, an agent can bring about as often as it likes. */
const recordKind = (source: Decision['source']): 'gate' | 'question' =>
  source === 'person' ? 'gate' : 'question'

/** Asks the owners about a tool call where a hook, the list "ask" of gate.yaml or a foreign client wants a person's word. */
export const createPermissions = (ports: PermissionsPorts) => {
  /** What owners said while nobody waited for it, or did not say. */
  const ended = ({ event_id, agent_id, session_id, tool_name, address }: Question, ending: Ending): void => {
    const { outcome, how, source } = decided(ending, maxWaiting)
    const reason = `${tool_name.slice(0, 100)} ${how}, for when it comes again`
    const what = { kind: recordKind(source), subject: 'permission', outcome, reason }
    ports.record({ event_id, atMs: ports.now(), ...what, agent_id, session_id, ...address })
  }
  const questions = createQuestions({
    ...ports,
    ended,
    show: createBoard(ports),
    hasOwners: () => ports.chats().length > 0,
  })
  const allowances = createAllowances(ports.isOwner)
  const seatOf = createSeats(maxWaiting)
  const doubts = createDoubts()

  const ask = async (
    { agentId, caller = agentId, sessionId, cwd, address, resume, signal, waits }: Asking,
    seat: Seat,
    call: Call,
    about: About,
  ): Promise<Decision> => {
    if (!seat.sit()) return decided({ kind: 'full' }, maxWaiting)
    waits?.()
    const ending = await questions.ask(
      {
        ...call,
        ...about,
        agent_id: agentId,
        caller,
        session_id: sessionId,
        cwd,
        ...(address === undefined ? {} : { address }),
        ...(resume === undefined ? {} : { resume }),
      },
      signal,
    )
    if (ending.kind === 'session') allowances.add(call.digest, caller, sessionId, ending.by)
    return decided(ending, maxWaiting)
  }

  /** The hooks of on_permission_request come before any person. */
  const decide = (
    asked: Verdict,
    { digest }: Call,
    askPerson: () => Promise<Decision>,
  ): Decision | Promise<Decision> => {
    if (asked.verdict === 'block')
      return {
        isAllowed: false,
        source: 'hook',
        outcome: 'denied',
        how: `by ${asked.by ?? 'hookgate'}`,
        reason: asked.reason ?? 'blocked by hook',
        by: asked.by ?? 'hookgate',
      }
    if (asked.isConsent) return { isAllowed: true, source: 'hook', outcome: 'allowed', how: 'by a hook' }
    const by = allowances.by(digest)
    return by === undefined
      ? askPerson()
      : { isAllowed: true, source: 'session', outcome: 'allowed', how: `for this session by ${by}` }
  }

  const requestOf = (step: Step, { tool_name, tool_input }: Call, { payload }: Verdict): Step => {
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

  const tell = async (
    step: Step,
    { tool_name, tool_input }: Call,
    { isAllowed, source, outcome, how }: Decision,
    event_id: string,
  ): Promise<void> => {
    const { agentId, sessionId, address } = step
    const what = {
      kind: recordKind(source),
      subject: 'permission',
      outcome,
      reason: `${tool_name.slice(0, 100)} ${how}`,
    }
    ports.record({
      event_id,
      atMs: ports.now(),
      ...what,
      agent_id: agentId,
      session_id: sessionId,
      ...address,
    })
    // Nothing is decided yet.
    if (source === 'parked') return
    const heard = ports.fire({
      ...step,
      event: 'on_permission_decision',
      fields: { tool_name, tool_input, decision: isAllowed ? 'allow' : 'deny', source },
    })
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const cancel = ports.after(hearingMs, resolve)
    await Promise.race([heard, late])
    cancel()
  }

  /** Without a person: a listed tool is a question, which its caller has to take for a no. */
  const leaveOpen = (step: Step, verdict: Verdict, { why, by }: Doubt): Verdict => {
    if (verdict.verdict === 'ask') return verdict
    const { agentId, sessionId, address } = step
    ports.record({
      event_id: verdict.payload.event_id,
      atMs: ports.now(),
      kind: 'question',
      subject: 'permission',
      outcome: 'ask',
      reason: `${toolOf(verdict).slice(0, 100)}: ${why}, and its caller does not wait for a person`,
      agent_id: agentId,
      session_id: sessionId,
      ...address,
    })
    return { ...verdict, verdict: 'ask', reason: why, by: by ?? 'hookgate' }
  }

  const judge = async (request: Asking, seat: Seat): Promise<Fired> => {
    const { askMs, signal: _, waits: __, resume: ___, ...step } = request
    const { agentId, caller = agentId, sessionId } = step
    const isRequest = step.event === 'on_permission_request'
    const untilMs = ports.now() + (askMs ?? 0)
    /** The call that a person said yes to under a gate that has changed since. */
    let consent: Call | undefined
    for (;;) {
      const fired = await ports.fire(step)
      if (step.event === 'on_session_end') {
        allowances.endSession(caller, sessionId)
        questions.endSession(caller, sessionId)
      }
      if (fired.kind === 'loop') return fired
      const { verdict } = fired
      const doubt = doubtOf(step, verdict, ports.listed(agentId))
      if (askMs === undefined) {
        if (isRequest || doubt === undefined) return fired
        doubts.keep(callOf(step, verdict, ports.canonical).digest, doubt)
        return { kind: 'verdict', verdict: leaveOpen(step, verdict, doubt) }
      }
      if (doubt === undefined && !isRequest) return fired

      const call = callOf(step, verdict, ports.canonical)
      const why = (isRequest ? doubts.take(call.digest) : undefined) ?? doubt
      const isSaid = consent?.digest === call.digest
      const asked = isRequest ? fired : await ports.fire(requestOf(step, call, verdict))
      if (asked.kind === 'loop') return asked
      const { event_id } = verdict.payload
      const decision = await decide(asked.verdict, call, async () =>
        isSaid ? said : ask(request, seat, call, { ...why, why: why?.why ?? '', event_id, untilMs }),
      )
      if (decision !== said) await tell(step, call, decision, event_id)
      const { revision, lockdown } = ports.gate()
      if (!decision.isAllowed || (revision === verdict.revision && lockdown === undefined))
        return answered(decision, verdict, asked.verdict)
      // What was said under another gate is judged once more; a person's word holds for exactly the call that it was about.
      if (decision.source === 'person') consent = call
    }
  }

  const fire = async (request: Asking): Promise<Fired> => {
    const seat = seatOf(request.caller ?? request.agentId)
    try {
      return await judge(request, seat)
    } finally {
      seat.leave()
    }
  }

  return {
    /** Puts an event to the hooks and, where a person has to say, to the owners. Never rejects. */
    fire,
    answer: questions.answer,
    waiting: (): readonly Question[] => questions.waiting(),
    showAgain: questions.showAgain,
    /** Every question that waits is over. */
    stop: questions.stop,
  }
}

export type Permissions = ReturnType<typeof createPermissions>
