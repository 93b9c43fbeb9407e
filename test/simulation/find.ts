import * as fc from 'fast-check'
import { smallPlans, type FaultKind } from './plan.ts'
import { simulate } from './run.ts'

/** How long a plan that breaks a law is made smaller, at most, in milliseconds. */
const shrinkMs = 120_000

/** So many violations of one plan are said. */
const maxSaid = 12

export interface FindOptions {
  readonly count: number
  readonly seed: number
  /** What may go wrong. */
  readonly kinds: readonly FaultKind[]
  /** A smaller plan that breaks a law is looked for. */
  readonly isShrunk: boolean
}

export interface Found {
  readonly runs: number
  readonly steps: number
  /** The smallest plan that was found to break a law, and what it breaks. */
  readonly broken?: string
}

/** Simulates so many plans, until one breaks a law. */
export const findBroken = async ({ count, seed, kinds, isShrunk }: FindOptions): Promise<Found> => {
  let [runs, steps] = [0, 0]
  let failedAtMs: number | undefined
  const details = await fc.check(
    fc.asyncProperty(smallPlans(kinds), async (plan) => {
      // A plan that is not tried counts as one that breaks nothing, so the shrinking ends.
      if (failedAtMs !== undefined && performance.now() - failedAtMs > shrinkMs) return
      const outcome = await simulate(plan)
      runs += 1
      steps += outcome.steps
      if (outcome.violations.length === 0) return
      failedAtMs ??= performance.now()
      throw new Error(
        outcome.violations
          .slice(0, maxSaid)
          .map(({ law, what }) => `${law}: ${what}`)
          .join('\n'),
      )
    }),
    { numRuns: count, seed, endOnFailure: !isShrunk },
  )
  if (!details.failed) return { runs, steps }
  const { counterexample, errorInstance } = details
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  return { runs, steps, broken: `seed ${seed}\n${JSON.stringify(counterexample?.[0])}\n${why}` }
}
