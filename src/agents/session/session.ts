import { randomUUID } from 'node:crypto'
import type { ToolUse } from '../../model/events/evidence.ts'
import type { ModelMessage } from '../../model/chat/message.ts'
import type { Reporter } from '../reporter.ts'

/** What the agent remembers of one conversation, from its start or from the last `new`. */
export interface Session {
  readonly id: string
  readonly startedAtMs: number
  /** From on_session_start; they last as long as the session. */
  readonly contexts: string[]
  readonly tools: ToolUse[]
  /** The whole conversation, for a decider that remembers. */
  readonly messages: ModelMessage[]
  /** What the last model call took, in tokens; 0: not known. */
  usedTokens: number
  /** How many of the messages are on disk as they are; 0 after they were replaced. */
  savedMessages: number
  /** The last thing that the person asked for. */
  goal: string
  /** The person set it as the goal; what they write meanwhile does not take its place. */
  isGoalSet: boolean
  /** The last that was said here, by its push_id: what `edit` without a name is about. */
  lastMessage?: string
  /** True while the next message of the person answers a question. */
  isAsking: boolean
  /** Claims of completion that were refused, one after another. */
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
  savedMessages: 0,
  goal: '',
  isGoalSet: false,
  isAsking: false,
  refusedClaims: 0,
  steps: 0,
})

/** Opens a session. Returns why not, or undefined when it is open. */
export const openSession = async (
  session: Session,
  reporter: Reporter,
  {
    source,
    model,
    prompt,
  }: { readonly source: 'startup' | 'clear' | 'resume'; readonly model: string; readonly prompt: string },
  signal: AbortSignal,
): Promise<string | undefined> => {
  const ruling = await reporter.fire(
    'on_session_start',
    { status: 'started', source, model, initial_prompt: prompt },
    signal,
  )
  if (ruling.verdict !== 'allow') return ruling.reason
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
