import type { RunResult } from '../../../src/core/model/hooks/run-result.ts'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { faultAnswer } from '../../../src/core/model/hooks/answer.ts'
import { createAsyncRunLimit, maxRuns, maxUnits } from '../../../src/handlers/observers/async-run-limit.ts'
import { createObservedHooks as createHooks } from '../../../src/handlers/observers/observed-hooks.ts'
import { armed, eventOf } from '../armed.ts'

test('so many runs of one agent are behind its verdicts, and another agent has room of its own', async () => {
  const behind = createAsyncRunLimit(20)
  const leaves = await Promise.all(Array.from({ length: maxRuns }, () => behind('a', 1)))
  expect(leaves).not.toContain(undefined)
  expect(await behind('a', 1)).toBeUndefined()
  expect(await behind('b', 1)).toBeDefined()
  const late = behind('a', 1)
  leaves[0]?.()
  expect(await late).toBeDefined()
})

test('so many characters are, and one event that is larger has its turn alone', async () => {
  const behind = createAsyncRunLimit(20)
  const leave = await behind('a', maxUnits + 1)
  expect(leave).toBeDefined()
  expect(await behind('a', 1)).toBeUndefined()
  leave?.()
  expect(await behind('a', 1)).toBeDefined()
  expect(await behind('a', maxUnits)).toBeUndefined()
})

test('who came first goes first', async () => {
  const behind = createAsyncRunLimit()
  const leave = await behind('a', maxUnits)
  const order: string[] = []
  const large = behind('a', maxUnits).then((go) => (order.push('large'), go))
  const small = behind('a', 1).then(() => order.push('small'))
  leave?.()
  ;(await large)?.()
  await small
  expect(order).toEqual(['large', 'small'])
})

test('an agent that fires on waits for what goes on behind its events, and each of them is told', async () => {
  let running = 0
  let most = 0
  let asked = 0
  const ends: (() => void)[] = []
  const hook = armed('./audit.sh', { event: 'post_tool_call', isAsync: true })
  const hooks = createHooks({
    armed: () => [hook],
    revision: () => 1,
    view: (_, payload) => payload,
    retire: () => undefined,
    recordShadows: () => undefined,
    now: Date.now,
    elapsedMs: () => performance.now(),
    log: () => undefined,
    run: () => {
      most = Math.max(most, (running += 1))
      asked += 1
      return new Promise<RunResult>((resolve) =>
        ends.push(() => {
          running -= 1
          resolve({ exitCode: 0, stdout: '', stderr: '', isTruncated: false, durationMs: 1 })
        }),
      )
    },
    decode: () => faultAnswer('output', ''),
  })
  const result = 'x'.repeat(maxUnits / 4)
  const verdicts = Array.from({ length: 20 }, () =>
    hooks.judge(eventOf('post_tool_call', { tool_result: result })),
  )
  while (asked < verdicts.length) {
    ends.shift()?.()
    await turn()
  }
  ends.forEach((end) => end())
  const whys = (await Promise.all(verdicts)).map((verdict) => verdict.hooks[0]?.fired)
  expect(whys).toEqual(verdicts.map(() => true))
  expect(most).toBeLessThanOrEqual(4)
  await hooks.stop()
})
