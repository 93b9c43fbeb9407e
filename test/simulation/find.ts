import * as fc from 'fast-check'
import { smallPlans } from './plan.ts'
import { simulate } from './run.ts'

/** How long a plan that breaks a law is made smaller, at most, in milliseconds. */
const shrinkMs = 120_000

export interface Found {
  readonly runs: number
  readonly steps: number
  /** The smallest plan that was found to break a law, and what it breaks. */
  readonly broken?: string
}

/**
 * Simulates so many plans, until one breaks a law. `isShrunk`: a smaller plan that breaks it is looked for.
 */
export const findBroken = async (count: number, seed: number, isShrunk: boolean): Promise<Found> => {
  let [runs, steps] = [0, 0]
  let failedAtMs: number | undefined
  const details = await fc.check(
    fc.asyncProperty(smallPlans, async (plan) => {
      // A plan that is not tried counts as one that breaks nothing, so the shrinking ends.
      if (failedAtMs !== undefined && performance.now() - failedAtMs > shrinkMs) return
      const outcome = await simulate(plan)
      runs += 1
      steps += outcome.steps
      if (outcome.violations.length === 0) return
      failedAtMs ??= performance.now()
      throw new Error(outcome.violations.map(({ law, what }) => `${law}: ${what}`).join('\n'))
    }),
    { numRuns: count, seed, endOnFailure: !isShrunk },
  )
  if (!details.failed) return { runs, steps }
  const { counterexample, errorInstance } = details
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  return { runs, steps, broken: `seed ${seed}\n${JSON.stringify(counterexample?.[0])}\n${why}` }
}
