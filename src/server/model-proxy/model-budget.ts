const hourMs = 3_600_000

/** The calls and tokens that an agent may use at its model within an hour, from gate.yaml. */
export interface HourlyBound {
  readonly calls: number
  readonly tokens: number
}

/** A permitted call. `settle` reports how many tokens it used in the end. */
export interface Spending {
  settle(tokens: number): void
}

export interface ModelBudget {
  /**
   * Reserves one call with the estimated number of tokens. Returns `waitMs`, the milliseconds until the next
   * hour, when the limit is reached.
   */
  take(tokens: number): Spending | { readonly waitMs: number }
}

export interface BudgetPorts {
  readonly bound: HourlyBound
  /** A monotonic clock, in milliseconds. */
  now(): number
  /** Called once an hour when half of the limit is used, and once when all of it is used. */
  tell(share: 'half' | 'all', spent: HourlyBound): void
}

/**
 * Creates the hourly limit. An hour begins with its first call. The counters are in memory, so a restart
 * resets them, but no agent can cause a restart.
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
      // Calls in progress count as used, so that eight calls at once cannot pass when there is room for one.
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
