import { afterAll, beforeAll, expect, test } from 'vitest'
import { plain } from '../../../src/core/model/chat/content.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane
beforeAll(async () => {
  plane = await startPlane(
    'hooks:\n  - {event: on_outbound_message, matcher: slow, command: ./slow.sh, timeout: 60}\n  - {event: on_outbound_message, command: ./quick.sh}\n',
    {
      'slow.sh': '#!/bin/sh\nsleep 20\n',
      'quick.sh': '#!/bin/sh\n:\n',
    },
  )
  for (const name of ['slow', 'quick'])
    await plane.ask(`/hooks approve on_outbound_message ./${name}.sh`, (text) => text.includes('✓ Approved'))
  await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
})
afterAll(() => plane.stop())

let count = 0
const push = (chat_id: string, text: string) =>
  plane.gate.dispatcher.push({
    channel: 'memory',
    chat_id,
    push_id: `p${++count}`,
    agent_id: 'main',
    session_id: 's',
    cwd: plane.workspace,
    ...plain('text', text),
  })

test('chats in which a hook takes 20 seconds slow neither the others nor /hooks off', async () => {
  const fromMs = performance.now()
  const slow = Array.from({ length: 30 }, (_, at) => push(`slow ${at}`, 'slow'))
  // However slow this machine is, all of this is over before the first of them is.
  for (let round = 0; round < 3; round++) {
    const others = await Promise.all(Array.from({ length: 5 }, (_, at) => push(`other ${at}`, 'hello')))
    expect(others.every((one) => 'outcome' in one && one.outcome === 'delivered')).toBe(true)
  }
  await plane.ask('/hooks off', (text) => text.includes('Hooks are OFF'), 15_000)
  expect(performance.now() - fromMs).toBeLessThan(19_000)
  // Off, they need nobody's word.
  await until(
    'the slow ones',
    () => plane.memory.sent().filter(({ chat_id }) => chat_id.startsWith('slow')).length === slow.length,
    15_000,
  )
  await Promise.all(slow)
})
