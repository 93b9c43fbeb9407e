import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { startPlane } from '../plane.ts'
import { call, nextCard, send } from './caller.ts'

test('a gate that stops answers every question with no, at once', async () => {
  const home = join(await mkdtemp(join(tmpdir(), 'hookgate-ask-')), 'home')
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'gate.yaml'), 'agents: {main: {kind: demo, ask: [bash]}}\n')
  const plane = { ...(await startPlane(undefined, {}, { HOOKGATE_HOME: home })), home }
  const asked = send(plane, 'pre_tool_call', call('bash', { command: 'ls' }), { askMs: 60_000 })
  await nextCard(plane, 0)
  const startedAtMs = performance.now()
  await plane.stop()
  expect(performance.now() - startedAtMs).toBeLessThan(20_000)
  expect((await asked).body).toMatchObject({
    verdict: 'block',
    reason: 'hookgate was stopped before anybody answered.',
  })
  await rm(dirname(home), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})
