import { expect, test } from 'vitest'
import { createKnown } from '../../../../src/core/dispatcher/pushes/known.ts'

const delivered = Promise.resolve({ outcome: 'delivered', event_id: '' } as const)

test('the last ten thousand are known, and of those before only what still waits', () => {
  const waiting = new Set(['p3', 'p30000'])
  const known = createKnown((id) => waiting.has(id))
  for (let count = 0; count < 50_000; count++) known.set(`p${count}`, delivered)
  expect(
    Array.from({ length: 10_000 }, (_, index) => known.get(`p${40_000 + index}`)?.result).every(
      (result) => result === delivered,
    ),
  ).toBe(true)
  const older = Array.from({ length: 30_000 }, (_, index) => `p${index}`).filter(
    (id) => known.get(id) !== undefined,
  )
  expect(older).toEqual(['p3'])
  expect(known.get('p30000')?.result).toBe(delivered)
})

test('where one stands is known beside what became of it, and goes with it', () => {
  const known = createKnown(() => false)
  const message = { channel: 'memory', chat_id: 'main', message_id: '7' }
  known.note('p', message)
  expect(known.get('p')).toBeUndefined()
  known.set('p', delivered)
  known.note('p', message)
  const later = Promise.resolve({ outcome: 'unknown', event_id: '' } as const)
  known.set('p', later)
  expect(known.get('p')).toEqual({ result: later, message })
  known.delete('p')
  expect(known.get('p')).toBeUndefined()
})
