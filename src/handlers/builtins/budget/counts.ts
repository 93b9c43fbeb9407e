import { isObject, parseJson, type Json } from '../../../core/model/base/json.ts'
import type { BudgetScope, BudgetUnit, TokenPrice } from '../../../core/model/hooks/budget.ts'

/** What was used in one span of time. */
export interface Count {
  tokens: number
  /** The cost that events stated, in US dollars. */
  dollars: number
  /** The tokens of the calls whose event stated no cost. */
  unpricedInput: number
  unpricedOutput: number
  steps: number
  workedMs: number
  /** How often an owner added the limits of this span once more. */
  extensions: number
}

/** The counts of one session. A session can have several turns, and the last one is counted. */
export interface SessionCount {
  readonly session: Count
  turn: Count
}

/** The counts of one agent. `sessions` is in the order of their last events. */
export interface AgentCounts {
  day: Count
  /** The counted day, as year, month and day. */
  date: string
  readonly sessions: Map<string, SessionCount>
  /** The agent reported tokens. */
  hasTokens: boolean
}

export type Counts = Map<string, AgentCounts>

/** The most sessions of one agent that are counted. The session that was idle longest is removed first. */
export const maxSessions = 50
/** The most agents. Their names come from gate.yaml and from the list of clients. */
export const maxAgents = 200

export const noCount = (): Count => ({
  tokens: 0,
  dollars: 0,
  unpricedInput: 0,
  unpricedOutput: 0,
  steps: 0,
  workedMs: 0,
  extensions: 0,
})

export const countOf = (
  { day, sessions }: AgentCounts,
  scope: BudgetScope,
  session: string | undefined,
): Count | undefined => {
  if (scope === 'day') return day
  const counted = session === undefined ? undefined : sessions.get(session)
  return scope === 'turn' ? counted?.turn : counted?.session
}

/** The used quantity. Undefined when there were tokens without a cost, and the hook has no price for them. */
export const usedOf = (count: Count, unit: BudgetUnit, price: TokenPrice | undefined): number | undefined => {
  switch (unit) {
    case 'tokens':
      return count.tokens
    case 'steps':
      return count.steps
    case 'minutes':
      return count.workedMs / 60_000
    case 'dollars': {
      const { dollars, unpricedInput, unpricedOutput } = count
      if (unpricedInput + unpricedOutput === 0) return dollars
      return price === undefined
        ? undefined
        : dollars + (unpricedInput * price.input + unpricedOutput * price.output) / 1_000_000
    }
  }
}

/** Writes the counts as a text for the store. */
export const writeCounts = (counts: Counts): string =>
  JSON.stringify(
    [...counts].map(([agent, { sessions, ...rest }]) => ({ agent, ...rest, sessions: [...sessions] })),
  )

const isCount = (value: unknown): value is Count => {
  if (!isObject(value)) return false
  return Object.keys(noCount()).every((field) => {
    const number = value[field]
    return typeof number === 'number' && Number.isFinite(number) && number >= 0
  })
}

const readSession = (value: Json): readonly [string, SessionCount] | undefined => {
  if (!Array.isArray(value)) return undefined
  const [id, counted] = value as readonly Json[]
  if (typeof id !== 'string' || !isObject(counted)) return undefined
  const { session, turn } = counted
  return isCount(session) && isCount(turn) ? [id, { session, turn }] : undefined
}

/** Reads such a text. Undefined: it cannot be read, so it is unknown what was used. */
export const readCounts = (text: string): Counts | undefined => {
  const stored = parseJson(text)
  if (!Array.isArray(stored)) return undefined
  const counts: Counts = new Map()
  for (const value of stored as readonly Json[]) {
    if (!isObject(value)) return undefined
    const { agent, day, date, sessions, hasTokens } = value
    const read = Array.isArray(sessions) ? (sessions as readonly Json[]).map(readSession) : [undefined]
    if (typeof agent !== 'string' || typeof date !== 'string' || !isCount(day)) return undefined
    const known = read.filter((one) => one !== undefined)
    if (known.length !== read.length) return undefined
    counts.set(agent, { day, date, sessions: new Map(known), hasTokens: hasTokens === true })
  }
  return counts
}
