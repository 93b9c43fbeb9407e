import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane
beforeAll(async () => {
  plane = await startPlane()
})
afterAll(() => plane.stop())

const found = (what: string, holds: (outgoing: OutgoingMessage) => boolean): Promise<OutgoingMessage> =>
  until(what, () => plane.memory.sent().find(holds))

test('a person sees what the agent does and stops it with one tap', async () => {
  plane.say('!sleep 100; echo never')
  const shown = await found('the message', ({ text }) => text.includes('has been working for'))
  expect(shown.kind).toBe('notice')
  expect(shown.text).toMatch(
    /^🛡 main has been working for \d s\.\n… bash: sleep 100; echo never · running for \d s$/,
  )
  const stop = shown.buttons?.flat().find(({ label }) => label === 'Stop')
  plane.memory.press(stop?.press ?? '', shown.outgoing_id, { chat_id: 'owner', sender_id: 'owner' })
  const over = await found('the end', ({ text }) => text.includes('main worked for'))
  expect(over.replaces).toBe(shown.outgoing_id)
  expect(over.text).toMatch(
    /^🛡 main worked for \d+ s and used 1 tool\.\n✗ bash: sleep 100; echo never · failed after \d+ s$/,
  )
  expect(over.buttons).toBeUndefined()
})
