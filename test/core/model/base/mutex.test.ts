import { expect, test } from 'vitest'
import { createMutex } from '../../../../src/core/model/base/mutex.ts'

test('one piece of work runs at a time, in the order in which it came', async () => {
  const inTurn = createMutex()
  const seen: string[] = []
  const { promise: free, resolve: release } = Promise.withResolvers<void>()
  const first = inTurn(async () => {
    seen.push('first begins')
    await free
    seen.push('first ends')
    return 1
  })
  const second = inTurn(() => {
    seen.push('second')
    return 2
  })
  await Promise.resolve()
  expect(seen).toEqual(['first begins'])
  release()
  expect(await Promise.all([first, second])).toEqual([1, 2])
  expect(seen).toEqual(['first begins', 'first ends', 'second'])
})

test('work that fails tells its own caller, and the next one runs', async () => {
  const inTurn = createMutex()
  const broken = inTurn(() => {
    throw new Error('the disk is full')
  })
  const next = inTurn(() => 'done')
  await expect(broken).rejects.toThrow('the disk is full')
  expect(await next).toBe('done')
})
