import { afterEach, expect, test } from 'vitest'
import { send } from '../../permissions/caller.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane
afterEach(() => plane.stop())

// It waits for news that must not come, which is too long for the quick tier.
test('tell_owner tells of a question and of an error, and nothing before it is approved', async () => {
  plane = await startPlane(`hooks:
  - {event: on_user_input, type: builtin, command: tell_owner}
  - {event: on_error, type: builtin, command: tell_owner}
`)
  await plane.ask('/hooks on', (answer) => answer.includes('Hooks are ON'))
  await plane.ask('/hooks approve on_user_input tell_owner', (answer) => answer.includes('Approved'))
  await send(plane, 'on_error', { error: { message: 'not approved', name: 'Error', stack: '' } })
  await send(plane, 'on_user_input', { prompt: 'Which folder?' })
  await until('the news', () => plane.texts().find((text) => text === '🛡 main waits for you: Which folder?'))
  expect(plane.texts().join()).not.toContain('not approved')
  // In the owner's own chat the question itself is enough.
  const from = plane.texts().length
  await plane.ask('ask How many?', (answer) => answer === 'How many?')
  await new Promise((resolve) => setTimeout(resolve, 4000))
  expect(plane.texts().slice(from)).toEqual(['How many?'])
}, 60_000)
