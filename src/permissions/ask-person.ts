import type { Patience, Step } from '../core/model/events/step.ts'
import type { Question, Resume } from '../core/model/gate/permission.ts'
import type { AskedCall } from '../core/model/gate/person.ts'
import { createAllowances } from './allowances.ts'
import type { SettledCall } from './call.ts'
import { decided, type Decision } from './decision.ts'
import type { Ended } from './questions/waiting-question.ts'
import type { createQuestions } from './questions/questions.ts'
import type { Permit } from './semaphore.ts'

/** One agent may have so many questions at once. */
export const maxWaiting = 32

/**
 * A step whose caller may wait for a person. `resume`: how the caller can end now and make the same call
 * later.
 */
export type AskingStep = Step & Patience & { readonly resume?: Resume }

type About = Pick<Question, 'by' | 'why' | 'event_id' | 'canBeGranted' | 'form'> & {
  readonly endsAtMs: number
}

/** Asks people about a call, and remembers what they allowed for a session. */
export const createAskPerson = (
  questions: Pick<ReturnType<typeof createQuestions>, 'ask'>,
  mayAnswer: (id: string, asked: AskedCall) => boolean,
) => {
  const allowances = createAllowances(mayAnswer)

  const put = async (
    { agentId, caller = agentId, sessionId, cwd, address, signal, waits, ...step }: AskingStep,
    permit: Permit,
    call: SettledCall,
    about: About,
  ): Promise<Ended> => {
    if (!permit.acquire()) return { kind: 'full' }
    waits?.()
    const { resume, takesChange, canAskItself } = step
    const isForm = about.form !== undefined
    return questions.ask(
      {
        ...call,
        ...about,
        agent_id: agentId,
        caller,
        session_id: sessionId,
        cwd,
        address,
        resume,
        takesChange: isForm ? undefined : takesChange,
        canAskItself: isForm ? canAskItself : undefined,
      },
      signal,
    )
  }

  const ask = async (
    step: AskingStep,
    permit: Permit,
    call: SettledCall,
    about: Omit<About, 'form'>,
  ): Promise<Decision> => {
    const { agentId, caller = agentId, sessionId } = step
    const ending = await put(step, permit, call, about)
    if (ending.kind === 'session') allowances.add(call.digest, caller, sessionId, ending.by)
    return decided(ending, maxWaiting)
  }

  const decidedBySession = (
    call: SettledCall,
    agent: Pick<AskedCall, 'agent_id' | 'caller'>,
  ): Decision | undefined => {
    const by = allowances.by(call.digest, { ...agent, tool_name: call.tool_name })
    return by === undefined
      ? undefined
      : { isAllowed: true, source: 'session', outcome: 'allowed', how: `for this session by ${by}` }
  }

  return { ask, askForm: put, decidedBySession, endSession: allowances.endSession }
}
