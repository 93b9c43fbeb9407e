import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlane, until, type Plane } from '../plane.ts'
import { sentMessages, replaced, tap } from '../permissions/caller.ts'

let plane: Plane
beforeAll(async () => {
  plane = await startPlane(
    'hooks: [{event: pre_tool_call, command: ./guard.sh}]\n',
    { 'guard.sh': '#!/bin/sh\n' },
    {},
    'none',
    {},
    '',
    true,
  )
})
afterAll(() => plane.stop())

test('a tap on a card that has just come changes nothing and says so; a moment later the same button counts', async () => {
  const status = (): string | undefined => plane.gate.rows()[0]?.status
  plane.say('/hooks show ./guard.sh')
  const card = await until('the card', () =>
    sentMessages(plane).find(({ buttons }) => buttons?.flat().some(({ label }) => label === 'Approve')),
  )
  tap(plane, card, 'Approve')
  await until('the words', () =>
    plane
      .texts()
      .some((text) =>
        text.endsWith('Nothing was changed: this card has only just appeared. Read it, then tap again.'),
      ),
  )
  expect([status(), sentMessages(plane).some(({ replaces }) => replaces === card.outgoing_id)]).toEqual([
    'waiting',
    false,
  ])
  // The real second, once.
  await sleep(1000)
  tap(plane, card, 'Approve')
  expect(await replaced(plane, card)).toContain('✓ Approved')
  expect(status()).toBe('approved')
})

test('what is typed counts at once', async () => {
  await plane.ask('/hooks revoke ./guard.sh', (text) => text.includes('Revoked'))
  await plane.ask('/hooks approve pre_tool_call ./guard.sh', (text) => text.includes('✓ Approved'))
})
