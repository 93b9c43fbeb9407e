import { contractOf, type EventName } from '../../model/events/event.ts'
import { copied, toolNames, type ToolUse } from '../../model/events/evidence.ts'
import type { Json, JsonObject } from '../../model/base/json.ts'

/** The least recently used ones are forgotten beyond this. */
const maxSessions = 1000
/** Of a text that is kept for a later event. */
const maxChars = 20_000
/** Of an id that is made of what a client said, in characters. */
export const maxIdLength = 256
/** How often one turn is sent on, whatever asked for it. */
export const maxRefusals = 3

/** What clients do not report themselves: the session and its turn as the gate saw them pass by. In memory only. */
export interface BridgeSession {
  /** What the person asked for last. */
  goal: string
  /** Those that ran since. */
  readonly tools: ToolUse[]
  model?: string
  /** What the agent said last, where that is an event of its own. */
  said: string
  /** How often the end of this turn was refused. */
  refusals: number
  /** With which words it was refused last: some clients show them to themselves as a prompt. */
  refusedWith: readonly string[]
  /** Why a hook ended this turn, where the client itself cannot. */
  ended?: string
}

export const createSessions = () => {
  const sessions = new Map<string, BridgeSession>()
  return {
    /** The session of that name, begun if it is new. */
    of: (key: string): BridgeSession => {
      const session = sessions.get(key) ?? { goal: '', tools: [], said: '', refusals: 0, refusedWith: [] }
      sessions.delete(key)
      sessions.set(key, session)
      const [oldest] = sessions.size > maxSessions ? sessions.keys() : []
      if (oldest !== undefined) sessions.delete(oldest)
      return session
    },
    end: (key: string): void => void sessions.delete(key),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? copied(value.slice(0, maxChars)) : '')

/** The turn has really ended; what comes next is another, whether or not the client tells what it was asked. */
export const noteTurnEnd = (session: BridgeSession): void => {
  session.tools.length = 0
  session.refusals = 0
  session.refusedWith = []
  delete session.ended
}

export const noteTurnStart = (session: BridgeSession, goal: unknown): void => {
  noteTurnEnd(session)
  session.goal = textOf(goal)
}

/** What of an answer may come back as a prompt: the reason as it was written, whatever stands around it there. */
export const writtenReasons = (reason: string, answer: Json | undefined): readonly string[] => {
  if (typeof answer === 'string') return answer.includes(reason) ? [answer] : []
  return typeof answer === 'object' && answer !== null
    ? Object.values(answer).flatMap((inner: Json) => writtenReasons(reason, inner))
    : []
}

/** A continuation that we caused ourselves: nobody asked for anything. */
export const isOwnRefusal = ({ refusedWith }: BridgeSession, message: unknown): boolean =>
  typeof message === 'string' && refusedWith.some((words) => words.trim() === message.trim())

/** One that says more than that, as where other hooks refused too: it is judged, but it is no new turn either. */
export const isContinuation = ({ refusedWith }: BridgeSession, message: unknown): boolean =>
  typeof message === 'string' &&
  refusedWith.some((words) => words.trim() !== '' && message.includes(words.trim()))

/** What an event tells of the session, for later ones. */
export const noteFields = (
  session: BridgeSession,
  event: EventName,
  { model, response }: JsonObject,
): void => {
  if (typeof model === 'string' && model !== '') session.model = model
  if (event === 'post_llm_call' && textOf(response) !== '') session.said = textOf(response)
}

const responseOf = (session: BridgeSession, { response }: JsonObject): string =>
  textOf(response) || session.said

/** What the agent says at its end, and what it did until then. */
export const stopFields = (session: BridgeSession, fields: JsonObject): JsonObject => ({
  ...fields,
  response: responseOf(session, fields),
  tool_names: toolNames(session.tools),
  stop_hook_active: fields['stop_hook_active'] === true || session.refusals > 0,
})

/** The claim that what was asked for is done, with what really ran as evidence. The client's own words of goal and summary come first. */
export const claimFields = (
  session: BridgeSession,
  { goal, summary, ...fields }: JsonObject,
): { readonly response: string } & JsonObject => {
  const response = responseOf(session, fields)
  return {
    goal: textOf(goal) || session.goal,
    summary: textOf(summary) || response,
    response,
    tool_names: toolNames(session.tools),
    tools: session.tools.map((tool) => ({ ...tool })),
    blocked_count: session.refusals,
    max_blocks: maxRefusals,
  }
}

/** Where a client does not tell the model, the one that it told last. */
export const modelFields = ({ model }: BridgeSession, event: EventName, fields: JsonObject): JsonObject =>
  model === undefined || fields['model'] !== undefined || !Object.hasOwn(contractOf(event).fields, 'model')
    ? fields
    : { ...fields, model }
