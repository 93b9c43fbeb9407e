import { expect, test } from 'vitest'
import { createLastingWrites } from '../../../../src/core/model/base/lasting-writes.ts'
import { ProblemError } from '../../../../src/core/model/gate/problem.ts'

const begin = () => {
  const waiting: (() => void)[] = []
  const failures: unknown[] = []
  const writes = createLastingWrites({
    after: (_delayMs, run) => void waiting.push(run),
    onFailed: (error) => void failures.push(error),
  })
  /** Lets the time pass that a failed write waits. */
  const later = async (): Promise<void> => {
    for (const run of waiting.splice(0)) run()
    await new Promise((done) => setImmediate(done))
  }
  return { writes, waiting, failures, later }
}
/** Fails so many times, and notes each try. */
const failing = (times: number, tries: string[], name = 'a write', error: unknown = new Error('away')) => {
  let left = times
  return async (): Promise<void> => {
    tries.push(name)
    if (left-- > 0) throw error
  }
}

test('a write that fails is tried again until it succeeds, and its failure is told once', async () => {
  const { writes, waiting, failures, later } = begin()
  const tries: string[] = []
  await writes.write('a', failing(2, tries))
  await later()
  await later()
  expect(tries).toHaveLength(3)
  expect(failures).toHaveLength(1)
  expect(waiting).toEqual([])
})

test('a newer write of the same key takes the place of an older one', async () => {
  const { writes, later } = begin()
  const tries: string[] = []
  await writes.write('a', failing(9, tries, 'older'))
  await writes.write('a', failing(0, tries, 'newer'))
  await later()
  expect(tries).toEqual(['older', 'newer'])
})

test('a write of which the key is written anew is not tried again, also when it fails only then', async () => {
  const { writes, later } = begin()
  const tries: string[] = []
  await writes.write('a', failing(9, tries))
  writes.cancel('a')
  const late = writes.write('b', failing(9, tries))
  writes.cancel('b')
  await late
  await later()
  expect(tries).toHaveLength(2)
})

test('what waits is tried again together, after one pause', async () => {
  const { writes, waiting, later } = begin()
  const tries: string[] = []
  for (const key of ['a', 'b', 'c']) await writes.write(key, failing(1, tries, key))
  expect(waiting).toHaveLength(1)
  await later()
  expect(tries).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
})

test.each(['store.closed', 'store.lease'])('after %s nothing is tried again', async (code) => {
  const { writes, waiting } = begin()
  await writes.write('a', failing(9, [], 'a write', new ProblemError({ code, message: 'no', fix: 'none' })))
  expect(waiting).toEqual([])
})
