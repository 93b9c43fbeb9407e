import { createBoundedMap } from '../../../core/model/base/bounded-map.ts'
import { isObject } from '../../../core/model/base/json.ts'
import { budgetAgentOf } from '../../../shared/hooks/budget.ts'
import type { EventName } from '../../../core/model/events/event.ts'
import type { Payload } from '../../../core/model/events/payload.ts'
import type { Verdict } from '../../../core/model/hooks/verdict.ts'
import {
  maxAgents,
  maxSessions,
  noCount,
  type AgentCounts,
  type Count,
  type Counts,
  type SessionCount,
} from './counts.ts'

/** A longer pause between two events of a turn counts as this long, because the agent may have died. */
const longestPauseMs = 30 * 60_000
/** The largest number of tokens or dollars that one event can add. More is not plausible. */
const largest = 1e12

/** What is known of a session in this run of the gate. */
interface Watched {
  /** The time of its last event, by the monotonic clock. */
  lastMs: number
  /** It waits for a person, or its turn has ended. Such time is not counted. */
  isResting: boolean
  isTurnOver: boolean
  /** What counts as a step: the best that the agent has reported. */
  stepIs: 'call' | 'step_end' | 'tool'
}

/** A subagent counts for the session that started it. */
export const budgetSessionOf = ({ session_id, parent_session_id }: Payload): string =>
  typeof parent_session_id === 'string' && parent_session_id !== '' ? parent_session_id : session_id

/** A quantity as an agent states it. Anything but a number from 0 on counts as none. */
const quantity = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(value, largest) : 0

const rests: ReadonlySet<EventName> = new Set(['on_turn_end', 'on_session_end', 'on_user_input'])
const noSteps: ReadonlySet<EventName> = new Set(['on_session_start', 'on_session_end', 'on_turn_end'])

/**
 * Counts what agents use, from all events that pass the gate. Only what it sees is counted. `today` is the
 * day of now in the owner's time zone, as year, month and day.
 */
export const createMeter = (counts: Counts, today: () => string, elapsedMs: () => number) => {
  const watched = createBoundedMap<string, Watched>(maxSessions * 4)

  const agentOf = (agent: string): AgentCounts => {
    const known = counts.get(agent)
    const date = today()
    if (known === undefined) {
      const made: AgentCounts = { day: noCount(), date, sessions: new Map(), hasTokens: false }
      counts.set(agent, made)
      const oldest = counts.size > maxAgents ? counts.keys().next().value : undefined
      if (oldest !== undefined) counts.delete(oldest)
      return made
    }
    // A clock that was put back does not begin a day anew.
    if (date > known.date) Object.assign(known, { date, day: noCount() })
    return known
  }

  const sessionOf = ({ sessions }: AgentCounts, id: string): SessionCount => {
    const session = sessions.get(id) ?? { session: noCount(), turn: noCount() }
    sessions.delete(id)
    sessions.set(id, session)
    const idle = sessions.size > maxSessions ? sessions.keys().next().value : undefined
    if (idle !== undefined) sessions.delete(idle)
    return session
  }

  const watchedOf = (key: string): Watched => {
    const known: Watched = watched.get(key) ?? {
      lastMs: elapsedMs(),
      isResting: true,
      isTurnOver: false,
      stepIs: 'tool',
    }
    watched.set(key, known)
    return known
  }

  const find = (payload: Payload) => {
    const agent = budgetAgentOf(payload.agent_id)
    const id = budgetSessionOf(payload)
    const counted = agentOf(agent)
    const session = sessionOf(counted, id)
    return { counted, session, watch: watchedOf(JSON.stringify([agent, id])) }
  }

  const add = (counted: AgentCounts, session: SessionCount, more: Partial<Count>): void => {
    for (const count of [counted.day, session.session, session.turn])
      for (const [field, amount] of Object.entries(more)) count[field as keyof Count] += amount
  }

  const stepOf = (event: EventName): Watched['stepIs'] | undefined => {
    if (event === 'pre_llm_call') return 'call'
    if (event === 'on_step_end') return 'step_end'
    return event === 'pre_tool_call' ? 'tool' : undefined
  }
  const rank = { tool: 0, step_end: 1, call: 2 } as const

  const stepsOf = (watch: Watched, event: EventName): number => {
    const kind = stepOf(event)
    if (kind === undefined || rank[kind] < rank[watch.stepIs]) return 0
    watch.stepIs = kind
    return 1
  }

  return {
    /** Notes that an event begins to be judged: the time until now counts, and a new turn may begin. */
    begin: (payload: Payload): void => {
      const { event } = payload
      const { counted, session, watch } = find(payload)
      const nowMs = elapsedMs()
      if (!watch.isResting)
        add(counted, session, { workedMs: Math.min(nowMs - watch.lastMs, longestPauseMs) })
      watch.lastMs = nowMs
      const isMessage = event === 'on_user_message' && payload['kind'] !== 'steer'
      if (isMessage || (watch.isTurnOver && !noSteps.has(event))) session.turn = noCount()
      if (!noSteps.has(event)) watch.isTurnOver = false
      watch.isResting = noSteps.has(event)
    },

    /** Notes the verdict of an event: steps, tokens and cost count. */
    end: (payload: Payload, { verdict }: Pick<Verdict, 'verdict'>): void => {
      const { event } = payload
      const { counted, session, watch } = find(payload)
      if (verdict !== 'block') add(counted, session, { steps: stepsOf(watch, event) })
      if (event === 'post_llm_call') {
        const usage = isObject(payload['usage']) ? payload['usage'] : {}
        const [input, output] = [quantity(usage['input_tokens']), quantity(usage['output_tokens'])]
        const dollars = quantity(payload['cost'])
        const isPriced = dollars > 0
        add(counted, session, {
          tokens: input + output,
          dollars,
          ...(isPriced ? {} : { unpricedInput: input, unpricedOutput: output }),
        })
        if (input + output > 0) counted.hasTokens = true
      }
      const isOver = event === 'on_turn_end' || event === 'on_session_end'
      if (isOver) watch.isTurnOver = true
      // A tool call about which a person is asked waits, and so does an agent that may stop.
      const isAllowed = verdict === 'allow'
      const asksPerson = verdict === 'ask' || (event === 'on_permission_request' && isAllowed)
      if (rests.has(event) || asksPerson || (event === 'on_stop' && isAllowed)) watch.isResting = true
    },
  }
}
