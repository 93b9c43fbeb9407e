import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RunRequest } from '../../../../src/handlers/host/protocol.ts'
import { createStandby } from '../../../../src/handlers/host/resident/standby.ts'

const requestOf = (fingerprint: string, env: Readonly<Record<string, string>> = {}): RunRequest => ({
  fingerprint,
  argv: ['/bin/true'],
  cwd: '/',
  env,
  stdin: '{}',
  timeoutMs: 1000,
  waits: 'program',
})

interface Waiting {
  readonly id: number
  readonly kill: () => void
}

const setUp = () => {
  const waiting = new Set<Waiting>()
  let lastId = 0
  const standby = createStandby<Waiting>((_request, _varying, onEnd) => {
    const one: Waiting = {
      id: ++lastId,
      kill: () => {
        waiting.delete(one)
        onEnd()
      },
    }
    waiting.add(one)
    return one
  })
  return {
    standby,
    waiting,
    answered: (request: RunRequest) => {
      standby.answered(request)
      vi.advanceTimersByTime(10)
    },
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('an instance is given to one question alone', () => {
  const { standby, answered } = setUp()
  answered(requestOf('a'))
  expect(standby.take(requestOf('a'))?.id).toBe(1)
  expect(standby.take(requestOf('a'))).toBeUndefined()
  answered(requestOf('a'))
  answered(requestOf('a'))
  expect(standby.take(requestOf('a'))?.id).toBe(2)
  expect(standby.take(requestOf('a'))).toBeUndefined()
})

test('an instance is given to its own hook and request alone', () => {
  const { standby, answered } = setUp()
  answered(requestOf('a'))
  for (const other of [
    requestOf('b'),
    requestOf('a', { MORE: '1' }),
    { ...requestOf('a'), cwd: '/tmp' },
    { ...requestOf('a'), argv: ['/bin/true', 'x'] },
  ])
    expect(standby.take(other)).toBeUndefined()
  expect(standby.take({ ...requestOf('a'), stdin: 'another', timeoutMs: 1 })?.id).toBe(1)
})

test('at most 32 wait, and the least recently used goes first', () => {
  const { standby, answered, waiting } = setUp()
  const names = Array.from({ length: 32 }, (_, index) => `hook ${index}`)
  for (const name of names) answered(requestOf(name))
  standby.take(requestOf('hook 0'))
  answered(requestOf('hook 0'))
  answered(requestOf('one more'))
  // The one that was given away is no longer counted.
  expect(waiting.size).toBe(32 + 1)
  expect(standby.take(requestOf('hook 1'))).toBeUndefined()
  for (const name of ['hook 2', 'hook 0', 'one more']) expect(standby.take(requestOf(name))).toBeDefined()
})

test('who waited a minute in vain is retired', () => {
  const { standby, answered, waiting } = setUp()
  answered(requestOf('a'))
  vi.advanceTimersByTime(59_000)
  expect(waiting.size).toBe(1)
  vi.advanceTimersByTime(2000)
  expect(waiting.size).toBe(0)
  expect(standby.take(requestOf('a'))).toBeUndefined()
})

test('no one starts for a hook that was revoked between answer and start', () => {
  const { standby, waiting } = setUp()
  standby.answered(requestOf('a'))
  standby.retire(new Set(['b']))
  vi.advanceTimersByTime(10)
  expect(waiting.size).toBe(0)
})

test('who left by itself is not waited for', () => {
  const { standby, waiting, answered } = setUp()
  answered(requestOf('a'))
  for (const { kill } of waiting) kill()
  expect(standby.take(requestOf('a'))).toBeUndefined()
  answered(requestOf('a'))
  expect(standby.take(requestOf('a'))?.id).toBe(2)
})

test('a shell waits no longer after three were lost in a row, until the hook has been idle', () => {
  const asked: RunRequest = { ...requestOf('a'), waits: 'shell' }
  const { standby, waiting, answered } = setUp()
  const rest = (): void => {
    answered(asked)
    vi.advanceTimersByTime(10)
  }
  rest()
  expect(waiting.size).toBe(0)
  for (let lost = 0; lost < 3; lost++) {
    rest()
    const taken = standby.take(asked)
    expect(taken).toBeDefined()
    taken?.kill()
  }
  rest()
  expect(standby.take(asked)).toBeUndefined()
  vi.advanceTimersByTime(61_000)
  rest()
  rest()
  expect(standby.take(asked)).toBeDefined()
})
