import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { startPlane, until, type Plane } from '../../plane.ts'

let plane: Plane
beforeAll(async () => {
  plane = await startPlane('hooks: []\n', { 'guard.sh': '#!/bin/sh\nexit 1\n' })
})
afterAll(() => plane.stop())

const mine = (): readonly OutgoingMessage[] =>
  plane.memory.sent().filter(({ chat_id }) => chat_id === 'owner')
const next = async (
  what: string,
  from: number,
  holds: (outgoing: OutgoingMessage) => boolean,
): Promise<OutgoingMessage> => until(what, () => mine().slice(from).find(holds))
const tap = async (
  outgoing: OutgoingMessage,
  label: string,
  holds: (outgoing: OutgoingMessage) => boolean,
): Promise<OutgoingMessage> => {
  const from = mine().length
  const press =
    outgoing.buttons?.flat().find((button) => button.label === label)?.press ?? `no button ${label}`
  plane.memory.press(press, outgoing.outgoing_id, { chat_id: 'owner' })
  return next(`an answer to ${label}`, from, holds)
}

test('a proposal comes as a card, is approved by a tap so that it fails closed, and hooks go on by the next', async () => {
  const from = mine().length
  await plane.propose('hooks:\n  - {event: pre_tool_call, command: ./guard.sh}\n')
  const card = await next('the card', from, ({ text }) => text.includes('A hook waits for you:'))
  expect(card).toMatchObject({
    kind: 'notice',
    buttons: [[{ label: 'Details' }, { label: 'Try' }], [{ label: 'Not now' }]],
  })
  expect(card.buttons?.flat().every(({ press }) => /^[\x21-\x7e]{16,40}$/.test(press))).toBe(true)

  const whole = await tap(card, 'Details', ({ text }) => text.includes('fingerprint'))
  expect(whole.replaces).toBe(card.outgoing_id)
  const receipt = await tap(whole, 'Approve and fail closed', ({ text }) => text.includes('✓ Approved'))
  expect(receipt.replaces).toBe(whole.outgoing_id)
  expect(receipt.text).toContain('if it fails: blocks (your choice)')
  const on = await tap(receipt, 'Turn hooks on', ({ text }) => text.includes('Hooks are ON'))
  expect(on.replaces).toBe(receipt.outgoing_id)

  const fired = await plane.gate.dispatcher.fire({
    agentId: 'main',
    event: 'pre_tool_call',
    sessionId: 's',
    cwd: plane.workspace,
    fields: { tool_name: 'bash', tool_input: { command: 'ls' } },
  })
  expect(fired).toMatchObject({ verdict: { verdict: 'block' } })

  const stale = await tap(whole, 'Approve', ({ text }) => text.includes('Nothing was changed'))
  expect(stale.text).toContain('you answered this card already.')
  expect(stale.replaces).toBeUndefined()
})

test('what somebody else taps is a record and nothing else', async () => {
  const from = [mine().length, plane.memory.sent().length]
  await plane.propose(
    'hooks:\n  - {event: pre_tool_call, command: ./guard.sh}\n  - {event: on_stop, command: ./guard.sh}\n',
  )
  const card = await next('the card', from[0] ?? 0, ({ text }) => text.includes('when the agent stops'))
  const press = card.buttons?.[0]?.[0]?.press ?? ''
  const sent = plane.memory.sent().length
  plane.memory.press(press, card.outgoing_id, { chat_id: 'owner', sender_id: 'mallory' })
  plane.memory.press(press, card.outgoing_id, { chat_id: 'mallory', sender_id: 'mallory' })
  await until(
    'the records',
    async () =>
      (await plane.gate.store.records({ limit: 20, kinds: ['refusal'] })).filter(
        ({ subject, reason }) => subject === 'press' && reason === 'not_owner from memory:mallory',
      ).length === 2,
  )
  expect(plane.memory.sent()).toHaveLength(sent)
  expect(plane.gate.gatekeeper.state().approvals.size).toBe(1)
  const receipt = await tap(card, 'Not now', ({ text }) => text.includes('Not now: on_stop'))
  expect(receipt.replaces).toBe(card.outgoing_id)
  // The same entry with other bytes is not told again.
  const after = mine().length
  await plane.script('guard.sh', '#!/bin/sh\nexit 0\n')
  await next('the drift of what is approved', after, ({ text }) =>
    /changed since approval\n\.\/guard\.sh\n/.test(text),
  )
  expect(
    mine()
      .slice(after)
      .filter(({ text }) => text.includes('when the agent stops')),
  ).toEqual([])
})

test('a file that says on offers protection in one tap; one that says off offers nothing to tap', async () => {
  const face = join(plane.workspace, 'config', 'agent.yaml')
  const edited = async (isOn: boolean): Promise<OutgoingMessage> => {
    const from = mine().length
    await writeFile(face, `shell_hooks: {enabled: ${isOn}}\n`)
    return next('the edit to be told', from, ({ text }) =>
      text.includes(`now says hooks are ${isOn ? 'on' : 'off'}`),
    )
  }
  expect((await edited(false)).buttons).toBeUndefined()
  await plane.ask('/hooks off', (text) => text.includes('Hooks are OFF'))
  // hookgate writes the file behind its answer.
  await until('the file to show the switch', async () =>
    (await readFile(face, 'utf8')).includes('{ enabled: false }'),
  )
  await tap(await edited(true), 'Turn hooks on', ({ text }) => text.includes('Hooks are ON'))
  expect(plane.gate.gatekeeper.state().isOn).toBe(true)
})
