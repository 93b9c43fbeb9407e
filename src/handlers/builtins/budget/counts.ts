import { z } from 'zod'
import { parseJson } from '../../../core/model/base/json.ts'
import type { BudgetScope, BudgetUnit, TokenPrice } from '../../../core/model/hooks/budget.ts'

const amount = z.number().min(0)

/** What was used in one span of time. */
const countShape = z.object({
  tokens: amount,
  /** The cost that events stated, in US dollars. */
  dollars: amount,
  /** The tokens of the calls whose event stated no cost. */
  unpricedInput: amount,
  unpricedOutput: amount,
  steps: amount,
  workedMs: amount,
  /** How often an owner added the limits of this span once more. */
  extensions: amount,
})
export type Count = z.infer<typeof countShape>

/** The counts of one session. A session can have several turns, and the last one is counted. */
const sessionShape = z.object({ session: countShape, turn: countShape })
export type SessionCount = z.infer<typeof sessionShape>

const agentShape = z.object({
  agent: z.string(),
  day: countShape,
  /** The counted day, as year, month and day. */
  date: z.string(),
  /** In the order of their last events. */
  sessions: z.array(z.tuple([z.string(), sessionShape])),
  /** The agent reported tokens. */
  hasTokens: z.boolean().catch(false),
})
const storedShape = z.array(agentShape)

/** The counts of one agent. */
export type AgentCounts = Omit<z.infer<typeof agentShape>, 'agent' | 'sessions'> & {
  readonly sessions: Map<string, SessionCount>
}

export type Counts = Map<string, AgentCounts>

/** The most sessions of one agent that are counted. The session that was idle longest is removed first. */
export const maxSessions = 50
/** The most agents. Their names come from gate.yaml and from the list of clients. */
export const maxAgents = 200

const nothing = countShape.parse(Object.fromEntries(Object.keys(countShape.shape).map((field) => [field, 0])))
export const noCount = (): Count => ({ ...nothing })

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

/** Reads such a text. Undefined: it cannot be read, so it is unknown what was used. */
export const readCounts = (text: string): Counts | undefined => {
  const { data } = storedShape.safeParse(parseJson(text))
  return data === undefined
    ? undefined
    : new Map(data.map(({ agent, sessions, ...rest }) => [agent, { ...rest, sessions: new Map(sessions) }]))
}
