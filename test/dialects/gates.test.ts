import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { clientEvent, CLIENTS } from '../../src/dialects/clients.ts'
import { callerOf, denial, failClosed, GATES, noOpinion, timeoutOf } from '../../src/dialects/gates.ts'
import { CLIENT_NAMES, isClientName } from '../../src/shared/gate/client.ts'
import { heardBy } from './client-rules.ts'

describe.each(CLIENT_NAMES)('%s', (client) => {
  const { deny, goOn = {} } = GATES[client]
  const all = [...Object.keys(deny), ...Object.keys(goOn)]

  test('every gate is one of its events', () => {
    expect(all.length).toBeGreaterThan(2)
    for (const name of all) expect(clientEvent(client, name) ?? name, name).toHaveProperty('name', name)
  })

  test.each(all)('%s: a denial denies, by its own rules, with the reason', (name) => {
    expect(denial(client, name, 'no') !== undefined).toBe(true)
    expect(heardBy(client, name, denial(client, name, 'because')).refused).toContain('because')
    // Codex lets an empty reason pass.
    for (const why of ['', ' \n'])
      expect(heardBy(client, name, denial(client, name, why)).refused).toMatch(/\w/)
  })

  test('no opinion is none', () => {
    for (const { name } of CLIENTS[client].events)
      expect(heardBy(client, name, noOpinion(client, name)).refused, name).toBeUndefined()
  })

  test('when nobody can be asked, every gate is shut, and an agent that stops may stop', () => {
    for (const { name } of CLIENTS[client].events) {
      const { refused, isBroken } = heardBy(client, name, failClosed(client, name, 'hookgate is not running'))
      expect([refused !== undefined, isBroken], name).toEqual([Object.hasOwn(deny, name), undefined])
    }
  })

  test('what nobody knows is no gate, and nothing is said', () => {
    for (const name of ['BrandNew', 'constructor', '__proto__', 'toString', '']) {
      expect([
        denial(client, name, 'no'),
        noOpinion(client, name),
        failClosed(client, name, 'no'),
        denial(client, name, 'no') !== undefined,
        timeoutOf(client, name),
      ]).toEqual([undefined, undefined, undefined, false, GATES[client].timeoutMs])
    }
  })
})

test('a tool, a message and a permission can be refused behind every client that lets them be', () => {
  const gated = (client: (typeof CLIENT_NAMES)[number]) =>
    CLIENTS[client].events
      .filter(({ name }) => Object.hasOwn(GATES[client].deny, name))
      .map(({ event }) => event)
  for (const client of CLIENT_NAMES)
    expect(gated(client)).toEqual(expect.arrayContaining(['pre_tool_call', 'on_user_message']))
})

test('each client waits as long as it says', () => {
  expect([
    timeoutOf('claude-code', 'PreToolUse'),
    timeoutOf('claude-code', 'SessionEnd'),
    timeoutOf('codex', 'SessionEnd'),
    timeoutOf('copilot', 'preToolUse'),
    timeoutOf('gemini', 'BeforeTool'),
    timeoutOf('kimi', 'Stop'),
  ]).toEqual([600_000, 1500, 1000, 30_000, 60_000, 30_000])
})

test("Copilot that runs a project's hooks of Claude Code is answered as Copilot", () => {
  const both = { COPILOT_CLI: '1', CLAUDECODE: '1' }
  expect(callerOf('claude-code', {})).toBe('claude-code')
  expect(callerOf('claude-code', { COPILOT_CLI: '1' })).toBe('copilot')
  // One that was started from within the other has both marks; then the payload tells.
  expect(callerOf('claude-code', both, { session_id: 's', tool_name: 'Bash' })).toBe('claude-code')
  expect(callerOf('claude-code', both, { session_id: 's', timestamp: '2026-11-20T15:53:03.249Z' })).toBe(
    'copilot',
  )
  expect(callerOf('claude-code', {}, { hookName: 'permissionRequest', sessionId: 's' })).toBe('copilot')
  expect(callerOf('codex', { COPILOT_CLI: '1' }, { sessionId: 's' })).toBe('codex')
})

test('names of clients are looked up, not believed', () =>
  expect(['codex', 'constructor', ''].map(isClientName)).toEqual([true, false, false]))

test('the bridge loads next to nothing to deny', () => {
  const imports = (path: string): readonly string[] =>
    [
      ...readFileSync(new URL(`../../src/dialects/${path}`, import.meta.url), 'utf8').matchAll(
        /^import (?!type )[^'\n]*'([^']+)'/gm,
      ),
    ].map(([, from = '']) => from)
  expect(imports('gates.ts')).toEqual(['../core/model/base/json.ts'])
  expect(imports('../core/model/base/json.ts')).toEqual(['./json-tokens.ts'])
  expect(imports('../core/model/base/json-tokens.ts')).toEqual([])
})
