import { contractOf, type EventName } from '../../core/model/events/event.ts'
import { copied, toolNames, type ToolUse } from '../../shared/events/evidence.ts'
import type { Json, JsonObject } from '../../core/model/base/json.ts'

/** When there are more sessions, the least recently used ones are dropped. */
const maxSessions = 1000
/** The maximum length of a text that is stored for a later event. */
const maxChars = 20_000
/** The maximum length of an id from a client, in characters. */
export const maxIdLength = 256
/** How often the end of one turn can be refused, whatever hook refused it. */
export const maxRefusals = 3

/** The state of a session that its client does not report. It is only in memory. */
export interface BridgeSession {
  /** The last request of the person. */
  goal: string
  /** The tools that ran since that request. */
  readonly tools: ToolUse[]
  model?: string
  /** The last text of the agent, for clients that report it as a separate event. */
  said: string
  /** How often the end of this turn was refused. */
  refusals: number
  /** The texts of the last refusal. Some clients show them to themselves as a prompt. */
  refusedWith: readonly string[]
  /** The reason why a hook ended this turn. It is set only when the client cannot end the turn itself. */
  ended?: string
}

export const createSessions = () => {
  const sessions = new Map<string, BridgeSession>()
  return {
    /** Returns the session of that name, or a new one. */
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

/**
 * Resets the state of a turn that has ended. What follows is another turn, whether or not the client reports
 * the next prompt.
 */
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

/** Returns the texts of an answer that hold the reason and may come back as a prompt. */
export const writtenReasons = (reason: string, answer: Json | undefined): readonly string[] => {
  if (typeof answer === 'string') return answer.includes(reason) ? [answer] : []
  return typeof answer === 'object' && answer !== null
    ? Object.values(answer).flatMap((inner: Json) => writtenReasons(reason, inner))
    : []
}

/** True when the prompt is only a refusal of hookgate. No person asked for anything. */
export const isOwnRefusal = ({ refusedWith }: BridgeSession, message: unknown): boolean =>
  typeof message === 'string' && refusedWith.some((words) => words.trim() === message.trim())

/**
 * True when the prompt holds a refusal of hookgate and more text, as when other hooks refused too. It is
 * judged, but it starts no new turn.
 */
export const isContinuation = ({ refusedWith }: BridgeSession, message: unknown): boolean =>
  typeof message === 'string' &&
  refusedWith.some((words) => words.trim() !== '' && message.includes(words.trim()))

/** Stores the fields of an event that later events need. */
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

/** Returns the fields of on_stop: the last text of the agent and what it did in the turn. */
export const stopFields = (session: BridgeSession, fields: JsonObject): JsonObject => ({
  ...fields,
  response: responseOf(session, fields),
  tool_names: toolNames(session.tools),
  stop_hook_active: fields['stop_hook_active'] === true || session.refusals > 0,
})

/**
 * Returns the fields of a completion claim, with the tools that really ran as evidence. The goal and the
 * summary of the client take precedence.
 */
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

/** Adds the last reported model when the event has none. */
export const modelFields = ({ model }: BridgeSession, event: EventName, fields: JsonObject): JsonObject =>
  model === undefined || fields['model'] !== undefined || !Object.hasOwn(contractOf(event).fields, 'model')
    ? fields
    : { ...fields, model }
