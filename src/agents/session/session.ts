import { randomUUID } from 'node:crypto'
import type { ToolUse } from '../../shared/events/evidence.ts'
import type { ModelMessage } from '../../shared/chat/message.ts'
import type { Reporter } from '../reporter.ts'

/** The state of one conversation, from its start or from the last `new`. */
export interface Session {
  readonly id: string
  readonly startedAtMs: number
  /** Texts from on_session_start, which last as long as the session. */
  readonly contexts: string[]
  readonly tools: ToolUse[]
  /** The whole conversation, for a decider that remembers it. */
  readonly messages: ModelMessage[]
  /** The tokens of the last model call, and those of its answer among them. 0 when they are not known. */
  usedTokens: number
  answerTokens: number
  /** How many of the messages are saved on disk. 0 after they were replaced. */
  savedMessages: number
  /** The task that the person set last. */
  goal: string
  /** True when the person set it with /goal. Later messages do not replace it. */
  isGoalSet: boolean
  /** The push_id of the last message, which `edit` changes when it names none. */
  lastMessage?: string
  /** True when the next message of the person answers a question of the agent. */
  isAsking: boolean
  /** How many claims in a row were refused. */
  refusedClaims: number
  steps: number
}

export const newSession = (): Session => ({
  id: randomUUID(),
  startedAtMs: Date.now(),
  contexts: [],
  tools: [],
  messages: [],
  usedTokens: 0,
  answerTokens: 0,
  savedMessages: 0,
  goal: '',
  isGoalSet: false,
  isAsking: false,
  refusedClaims: 0,
  steps: 0,
})

/** Why a hook blocked a session. `isTold`: hookgate told the person in the chat already. */
export interface SessionRefusal {
  readonly reason: string
  readonly isTold: boolean
}

/**
 * Opens a session, or goes on with it after its conversation was compacted. Returns the reason when a hook
 * blocks it, and undefined when it is open.
 */
export const openSession = async (
  session: Session,
  reporter: Reporter,
  {
    source,
    model,
    prompt,
  }: {
    readonly source: 'startup' | 'clear' | 'resume' | 'compact'
    readonly model: string
    readonly prompt: string
  },
  signal: AbortSignal,
): Promise<SessionRefusal | undefined> => {
  const ruling = await reporter.fire(
    'on_session_start',
    { status: 'started', source, model, initial_prompt: prompt },
    signal,
  )
  if (ruling.verdict !== 'allow') return { reason: ruling.reason, isTold: ruling.isTold }
  if (ruling.context !== '') session.contexts.push(ruling.context)
  return undefined
}

export const closeSession = async (session: Session, reporter: Reporter, reason: 'clear'): Promise<void> => {
  const duration_seconds = Math.round((Date.now() - session.startedAtMs) / 1000)
  await reporter.fire('on_session_end', {
    status: 'ended',
    reason,
    duration_seconds,
    total_steps: session.steps,
  })
}
