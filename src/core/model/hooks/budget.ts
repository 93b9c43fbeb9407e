/** The spans of time that a budget limits. */
export const SCOPES = ['turn', 'session', 'day'] as const
export type BudgetScope = (typeof SCOPES)[number]

/** The quantities that a budget limits. A dollar is a US dollar. */
export const UNITS = ['tokens', 'dollars', 'steps', 'minutes'] as const
export type BudgetUnit = (typeof UNITS)[number]

/** The most of each quantity in each span of time. An absent one has no limit. */
export type BudgetLimits = {
  readonly [scope in BudgetScope]?: { readonly [unit in BudgetUnit]?: number }
}

/** The price of a model in US dollars for a million tokens. */
export interface TokenPrice {
  readonly input: number
  readonly output: number
}
