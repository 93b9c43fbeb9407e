import { expect, test } from 'vitest'
import { createEventPlans } from '../../../../src/core/hooks/settle/event-plan.ts'
import { armed, eventOf } from '../../../handlers/armed.ts'

test('a pattern of a shadow that takes long is never tried where the patterns of hooks that decide wait', async () => {
  // Only a backtracking engine knows a backward reference.
  const slow = { matcher: { pattern: String.raw`(a+)+\1b` } }
  const hooks = [armed('guard', slow), armed('wide', slow, { isShadow: true })]
  const tried: string[] = []
  const search = (which: string) => async (): Promise<boolean> => tried.push(which) > 0
  const plans = createEventPlans({
    armed: () => hooks,
    view: (_, payload) => payload,
    conditionOf: () => undefined,
    searchSlowly: search('deciding'),
    searchForShadows: search('shadows'),
  })
  const payload = eventOf('on_outbound_message', { notification: 'aaaa' })
  const plan = plans.of('on_outbound_message')
  await plan.match(payload)
  expect(tried).toEqual(['deciding'])
  await plan.shadows[0]?.match(payload)
  expect(tried).toEqual(['deciding', 'shadows'])
})
