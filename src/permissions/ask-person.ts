import { createBoundedMap } from '../core/model/base/bounded-map.ts'
import type { Step } from '../core/model/events/step.ts'
import type { Patience } from '../shared/events/patience.ts'
import type { Question, Resume, AskedCall } from '../shared/gate/permission.ts'
import type { SettledCall } from './call.ts'
import { decided, type Decision } from './decision.ts'
import type { Ended } from './questions/waiting-question.ts'
import type { createQuestions } from './questions/questions.ts'
import type { Permit } from './semaphore.ts'

/**
 * A step whose caller may wait for a person. `resume`: how the caller can end now and make the same call
 * later.
 */
export type AskingStep = Step & Patience & { readonly resume?: Resume }

/** When there are more, the oldest allowances are forgotten, and their calls are asked about again. */
const maxAllowances = 1000

/**
 * What people allowed for a whole session. Each allowance is for exactly one call, by its digest. In memory.
 */
const createAllowances = (mayAnswer: (id: string, asked: AskedCall) => boolean) => {
  const allowed = createBoundedMap<string, { readonly session: string; readonly by: string }>(maxAllowances)
  const sessionOf = (caller: string, sessionId: string): string => JSON.stringify([caller, sessionId])
  return {
    add: (digest: string, caller: string, sessionId: string, by: string): void =>
      allowed.set(digest, { session: sessionOf(caller, sessionId), by }),
    /**
     * The person who allowed the call. Undefined when nobody did, or when that person may not answer for such
     * calls any more.
     */
    by: (digest: string, asked: AskedCall): string | undefined => {
      const by = allowed.get(digest)?.by
      return by !== undefined && mayAnswer(by, asked) ? by : undefined
    },
    endSession: (caller: string, sessionId: string): void => {
      const ended = sessionOf(caller, sessionId)
      for (const [digest, { session }] of allowed.entries()) if (session === ended) allowed.delete(digest)
    },
  }
}

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
    return decided(ending)
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
