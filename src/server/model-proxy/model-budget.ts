const hourMs = 3_600_000

/** What an agent may spend at its model within an hour, as gate.yaml says. */
export interface HourlyBound {
  readonly calls: number
  readonly tokens: number
}

/** A call that was let through: `settle` says what it took in the end, in tokens. */
export interface Spending {
  settle(tokens: number): void
}

export interface ModelBudget {
  /**
   * Takes one call of so many tokens as can be told before it, or says how long until the next hour, in
   * milliseconds.
   */
  take(tokens: number): Spending | { readonly waitMs: number }
}

export interface BudgetPorts {
  readonly bound: HourlyBound
  /** A clock that nobody can set, in milliseconds. */
  now(): number
  /** Told once an hour when half is spent, and once when all is. */
  tell(share: 'half' | 'all', spent: HourlyBound): void
}

/**
 * An hour begins with its first call. Kept in memory: a restart begins anew, and no agent can bring one
 * about.
 */
export const createModelBudget = ({ bound, now, tell }: BudgetPorts): ModelBudget => {
  let hour = { beganAtMs: Number.NEGATIVE_INFINITY, calls: 0, tokens: 0, told: 0 }

  const look = (isRefused: boolean): void => {
    const { calls, tokens, told } = hour
    const share = isRefused ? 1 : Math.max(calls / bound.calls, tokens / bound.tokens)
    const due = share >= 1 ? 2 : share >= 0.5 ? 1 : 0
    if (due <= told) return
    hour.told = due
    tell(due === 2 ? 'all' : 'half', { calls, tokens })
  }

  return {
    take: (tokens) => {
      const nowMs = now()
      if (nowMs - hour.beganAtMs >= hourMs) hour = { beganAtMs: nowMs, calls: 0, tokens: 0, told: 0 }
      const mine = hour
      if (mine.calls >= bound.calls || mine.tokens + tokens > bound.tokens) {
        look(true)
        return { waitMs: mine.beganAtMs + hourMs - nowMs }
      }
      mine.calls++
      // What is under way counts as spent: eight questions at once must not pass where there is room for one.
      mine.tokens += tokens
      look(false)
      return {
        settle: (used) => {
          mine.tokens += used - tokens
          if (mine === hour) look(false)
        },
      }
    },
  }
}
