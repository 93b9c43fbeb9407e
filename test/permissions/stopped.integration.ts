import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { startPlane, until } from '../plane.ts'
import { call, nextCard, sentMessages, send, tap } from './caller.ts'

test('a gate that stops leaves a question open: its caller hears at once that it stops, and may ask again', async () => {
  const home = join(await mkdtemp(join(tmpdir(), 'hookgate-ask-')), 'home')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'gate.yaml'), 'agents: {main: {kind: demo, ask: [bash]}}\n')
  const plane = { ...(await startPlane(undefined, {}, { HOOKGATE_HOME: home })), home }
  const asked = send(plane, 'pre_tool_call', call('bash', { command: 'ls' }), { askMs: 60_000 })
  const card = await nextCard(plane, 0)
  await plane.stop()
  expect(await asked).toMatchObject({ status: 503, body: { error: { code: 'gate.stopping' } } })
  const after = { ...(await startPlane(undefined, {}, { HOOKGATE_HOME: home })), home }
  const again = await nextCard(after, 0)
  expect(again.text).toContain('hookgate was started again. Your answer counts when main asks again.')
  expect(again.replaces).toBe(card.outgoing_id)
  // The button of the old card still counts.
  tap(after, card, 'Allow once')
  await until('the answer in its place', () =>
    sentMessages(after).some(
      ({ replaces, text }) => replaces === card.outgoing_id && text.includes('Allowed once by you.'),
    ),
  )
  expect(
    (await send(after, 'pre_tool_call', call('bash', { command: 'ls' }), { askMs: 60_000 })).body.verdict,
  ).toBe('allow')
  await after.stop()
  await rm(dirname(home), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})
