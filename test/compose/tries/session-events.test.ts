import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sessionEvents, sessionsProblem } from '../../../src/compose/tries/session-events.ts'
import { writeSession } from '../../fixtures/sessions.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hookgate-session-events-'))
  vi.stubEnv('HOME', home)
  vi.stubEnv('CODEX_HOME', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

test('the calls of a client are events of the past, the newest first, in our words and page by page', async () => {
  const large = `echo ${'x'.repeat(300_000)}`
  const commands = ['ls', 'rm -rf build', large]
  writeSession.codex(
    home,
    commands.map((command, index) => ({ command, cwd: '/data/shop', atMs: 1000 + index })),
  )
  const events = sessionEvents({ client: 'codex', sinceMs: 0 })
  const first = await events({ sinceMs: 0, limit: 2 })
  expect(
    first.events.map(({ atMs, agent, tool, payload, isCut }) => [
      atMs,
      agent,
      tool,
      payload?.['tool_input'],
      isCut,
    ]),
  ).toEqual([
    [1002, 'codex', undefined, undefined, true],
    [1001, 'codex', 'bash', { command: 'rm -rf build' }, undefined],
  ])
  expect(first.events[1]?.payload).toMatchObject({
    event: 'pre_tool_call',
    tool_name: 'bash',
    cwd: '/data/shop',
  })
  const { events: rest, next } = await events({ sinceMs: 0, limit: 2, before: first.next ?? 0 })
  expect([rest.map(({ atMs }) => atMs), next]).toEqual([[1000], undefined])
  expect(await sessionEvents({ client: 'kimi', sinceMs: 0 })({ sinceMs: 0, limit: 2 })).toEqual({
    events: [],
  })
})

test('where the sessions are no evidence, that is said before anything is opened', () => {
  const none = { kind: 'none', why: 'x', fix: 'y' } as const
  const users = { kind: 'users', agent: 'agent', hooks: 'hooks' } as const
  const codes = [
    sessionsProblem('codex', 'pre_tool_call', none),
    sessionsProblem('cursor', 'pre_tool_call', none),
    sessionsProblem('codex', 'on_stop', none),
    sessionsProblem('codex', 'pre_tool_call', users),
  ].map((problem) => problem?.code)
  expect(codes).toEqual([undefined, 'try.client', 'try.event', 'try.users'])
})
