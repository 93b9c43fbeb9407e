import {
  type BudgetLimits,
  SCOPES,
  UNITS,
  type BudgetScope,
  type BudgetUnit,
} from '../../core/model/hooks/budget.ts'

/** Each limit as a line, such as `day dollars: 5`. */
export const limitWords = (limits: BudgetLimits): readonly string[] =>
  SCOPES.flatMap((scope) =>
    UNITS.flatMap((unit) => {
      const most = limits[scope]?.[unit]
      return most === undefined ? [] : [`${scope} ${unit}: ${most}`]
    }),
  )

/** The state of one limit. `used` is undefined when it cannot be known. */
export interface BudgetLine {
  readonly scope: BudgetScope
  readonly unit: BudgetUnit
  readonly used: number | undefined
  /** The limit with its extensions. */
  readonly limit: number
  readonly isSpent: boolean
}

/** The budget of one agent by one hook. */
export interface AgentBudget {
  readonly agent: string
  /** The label of the hook. */
  readonly hook: string
  /** The day that is counted, as year, month and day. */
  readonly day: string
  readonly lines: readonly BudgetLine[]
  /** The agent has reported no tokens so far. */
  readonly hasNoTokens: boolean
}

/** What an extension added: each scope once, with the number of times its limits are added. */
export interface BudgetExtension {
  readonly agent: string
  readonly scopes: readonly BudgetScope[]
  readonly times: number
}

/** The key of an agent's budget, for handles and buttons. */
export const budgetKeyOf = (agent: string): string => `budget:${agent}`
/**
 * The agent whose budget counts. A client with several agents has one budget, because it names them itself.
 * An agent of gate.yaml has no colon in its name.
 */
export const budgetAgentOf = (agentId: string): string => {
  const [first = '', second = ''] = agentId.split(':')
  return first === 'bridge' ? `${first}:${second}` : first
}

export const isBudget = ({ type, command }: { readonly type: string; readonly command: string }): boolean =>
  type === 'builtin' && command === 'budget'
