import type { Ending, Question } from '../shared/gate/permission.ts'
import type { EventRecord } from '../core/model/events/record.ts'
import type { Fired, Step } from '../core/model/events/step.ts'
import type { Verdict } from '../core/model/hooks/verdict.ts'
import type { AskReason } from './ask-reasons.ts'
import { toolOf, type SettledCall } from './call.ts'
import { decided, type Decision } from './decision.ts'

export interface DecisionRecordPorts {
  fire(step: Step): Promise<Fired>
  record(record: EventRecord): void
  /** The returned function cancels it. */
  after(delayMs: number, run: () => void): () => void
  now(): number
}

/**
 * A caller's answer waits at most so long for the hooks that only hear of a decision, so that the caller is
 * not ahead of them. In milliseconds.
 */
const hearingMs = 1000
const maxNameUnits = 100

/**
 * Only a person's answer is an owner's act. An agent can bring about every other end as often as it likes.
 */
const recordKind = (source: Decision['source']): 'gate' | 'question' =>
  source === 'person' ? 'gate' : 'question'

/** Writes down what became of questions, and tells it to hooks. */
export const createDecisionRecord = (ports: DecisionRecordPorts) => {
  const write = (
    { agentId, sessionId, address }: Pick<Step, 'agentId' | 'sessionId' | 'address'>,
    what: Pick<EventRecord, 'event_id' | 'kind' | 'outcome' | 'reason'>,
  ): void =>
    ports.record({
      ...what,
      atMs: ports.now(),
      subject: 'permission',
      agent_id: agentId,
      session_id: sessionId,
      ...address,
    })
  const toolText = (name: string, what: string): string => `${name.slice(0, maxNameUnits)}${what}`

  return {
    /** A question ended while its caller was away. */
    endedParked: ({ event_id, agent_id, session_id, tool_name, address }: Question, ending: Ending): void => {
      const { outcome, how, source } = decided(ending)
      const reason = toolText(tool_name, ` ${how}, for when it comes again`)
      write(
        { agentId: agent_id, sessionId: session_id, address },
        { event_id, kind: recordKind(source), outcome, reason },
      )
    },

    /** A decision was made. Resolves when the hooks that hear of decisions have heard, or after a second. */
    decided: async (
      step: Step,
      { tool_name, tool_input }: SettledCall,
      { isAllowed, source, outcome, how }: Decision,
      event_id: string,
    ): Promise<void> => {
      write(step, { event_id, kind: recordKind(source), outcome, reason: toolText(tool_name, ` ${how}`) })
      // A parked question is not decided yet.
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
    },

    /** The questions of a call came to an end. No permission was decided, so no hook hears of it. */
    unjudged: (
      step: Step,
      { tool_name }: SettledCall,
      { source, outcome, how }: Decision,
      event_id: string,
    ): void =>
      write(step, { event_id, kind: recordKind(source), outcome, reason: toolText(tool_name, ` ${how}`) }),

    /**
     * Nobody is asked, since the caller does not wait for a person. The caller has to take the question for a
     * no.
     */
    leftOpen: (step: Step, verdict: Verdict, { why }: AskReason): void => {
      const how = `${why}, and its caller does not wait for a person`
      const reason = toolText(toolOf(verdict), `: ${how}`)
      write(step, { event_id: verdict.payload.event_id, kind: 'question', outcome: 'ask', reason })
    },
  }
}
