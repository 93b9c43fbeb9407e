import type { JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got } from '../../core/model/gate/problem.ts'

/**
 * Reads the single argument as the limit. It is undefined when the argument is not a positive whole number.
 */
export const parseLimit = (args: readonly string[]): number | undefined => {
  const [limit = ''] = args
  return args.length === 1 && /^[1-9]\d{0,8}$/.test(limit) ? Number(limit) : undefined
}

/**
 * Blocks the model calls of a turn beyond the limit. `wrong` is the reason why the number of the call is
 * unknown.
 */
export const iterationsBuiltin = (
  args: readonly string[],
  payload: Payload,
): JsonObject | { readonly wrong: string } => {
  const limit = parseLimit(args)
  if (limit === undefined)
    return { wrong: `Expected the args of max_iterations to be one whole number above 0, got ${got(args)}.` }
  const { iteration } = payload
  if (typeof iteration !== 'number')
    return {
      wrong:
        'This agent does not count its model calls, so max_iterations cannot judge them. Remove it for this agent.',
    }
  return iteration > limit
    ? {
        decision: 'block',
        reason: `This is model call ${iteration} of the turn, and ${limit} ${limit === 1 ? 'is' : 'are'} allowed.`,
      }
    : {}
}
