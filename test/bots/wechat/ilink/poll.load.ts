import { expect, test } from 'vitest'
import { createCard } from '../../../../bots/wechat/ilink/card.ts'
import { usualTimes } from '../../../../bots/wechat/ilink/context.ts'
import { poll } from '../../../../bots/wechat/ilink/poll.ts'
import type { JsonObject } from '../../../../src/core/model/base/json.ts'
import { measureProcessor } from '../../../processor-time.ts'

/** Takes one answer with so many messages, the first of them twice. Resolves with what it cost. */
const costOf = async (count: number): Promise<number> => {
  const ids = Array.from({ length: count }, (_, index) => String(index))
  const msgs = [...ids, '0'].map((message_id) => ({ message_id, from_user_id: 'ann' }))
  const stop = new AbortController()
  const taken: string[] = []
  const tookMs = measureProcessor()
  await poll(
    {
      client: {
        get: async () => ({}),
        post: async (_, path): Promise<JsonObject> => {
          if (taken.length > 0) stop.abort()
          return path === 'getupdates' ? { msgs } : {}
        },
      },
      card: createCard(undefined, () => undefined),
      trouble: () => undefined,
      log: () => undefined,
      now: Date.now,
      elapsedMs: () => performance.now(),
      root: 'http://127.0.0.1',
      times: { ...usualTimes, pauseMs: 0 },
    },
    async ({ id }) => void taken.push(id),
    { root: 'http://127.0.0.1', token: 'x' },
    stop.signal,
  )
  expect(taken).toEqual(ids)
  return tookMs()
}

test('ten times as many messages in an answer of WeChat do not cost a hundred times as much', async () => {
  await costOf(4000)
  const few = await costOf(4000)
  expect((await costOf(40_000)) / few).toBeLessThan(30)
})
