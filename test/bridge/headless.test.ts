import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { canPark } from '../../src/bridge/headless.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'

const folder = mkdtempSync(join(tmpdir(), 'headless-'))
const path = join(folder, 'session.jsonl')
afterAll(() => rmSync(folder, { recursive: true }))

const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'Bash', input: {} })
const line = (message: string, ...content: readonly JsonObject[]): string =>
  `${JSON.stringify({ type: 'assistant', message: { id: message, role: 'assistant', content } })}\n`
const headless = { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli', CLAUDE_CODE_SESSION_ATTENDED: '0' }
const payload = { hook_event_name: 'PreToolUse', transcript_path: path, tool_use_id: 't1' }
const parks = (
  text: string | Buffer,
  {
    env = headless,
    more = {},
  }: { readonly env?: Readonly<Record<string, string>>; readonly more?: JsonObject } = {},
): Promise<boolean> => {
  writeFileSync(path, text)
  return canPark(env, { ...payload, ...more })
}
const alone = line('m1', use('t1'))

test('Claude Code may be told to come again where nobody is at its terminal and the call is the only one of its message', async () => {
  expect(await parks(alone)).toBe(true)
  expect(
    await parks(
      `${line('m0', use('t0'), use('u0'))}{"type":"user"}\nnonsense\n${line('m1', { type: 'text', text: 'so' })}${alone}`,
    ),
  ).toBe(true)
})

test.each([
  ['two calls in one message', line('m1', use('t1'), use('t2'))],
  ['two calls of one message on two lines', line('m1', use('t2')) + alone],
  ['two calls of one name', line('m1', use('t1'), use('t1'))],
  ['a call that was not written down', line('m1', use('t2'))],
  ['a torn line', alone.slice(0, -10)],
  ['an empty transcript', ''],
  ['a call so far back that it is not looked at', alone + `${'x'.repeat(1023)}\n`.repeat(1025)],
  ['no text at all', Buffer.alloc(100, 0xff)],
])('and not with %s', async (_, text) => expect(await parks(text)).toBe(false))

test.each([
  ['a person at its terminal', { CLAUDE_CODE_ENTRYPOINT: 'cli', CLAUDE_CODE_SESSION_ATTENDED: '1' }, {}],
  [
    'a person at its terminal who started it from one without',
    { ...headless, CLAUDE_CODE_SESSION_ATTENDED: '1' },
    {},
  ],
  ['an SDK', { ...headless, CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' }, {}],
  ['an older one, which does not say', { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, {}],
  ['a call of a subagent', headless, { agent_id: 'a1' }],
  ['another event', headless, { hook_event_name: 'PermissionRequest' }],
  ['no id of the call', headless, { tool_use_id: null }],
  ['no transcript', headless, { transcript_path: join(folder, 'none') }],
  ['a folder for a transcript', headless, { transcript_path: folder }],
] as const)('nor with %s', async (_, env, more) => expect(await parks(alone, { env, more })).toBe(false))

test('a call is waited for that is written down a moment after its hook began', async () => {
  rmSync(path, { force: true })
  const asked = canPark(headless, payload)
  setTimeout(() => writeFileSync(path, alone), 20)
  expect(await asked).toBe(true)
})

test('a pipe in place of the transcript holds nothing up', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(await canPark(headless, { ...payload, transcript_path: pipe })).toBe(false)
})
