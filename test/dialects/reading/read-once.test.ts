import { expect, test } from 'vitest'
import { decodeFor, DIALECTS, stdinFor } from '../../../src/dialects/dialects.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'
import type { ArmedHook } from '../../../src/core/model/hooks/entry.ts'
import type { ForeignDialect } from '../../../src/core/model/hooks/dialect.ts'
import { armed } from '../../handlers/armed.ts'
import { speaking } from '../speaking.ts'

const answers: readonly JsonObject[] = [
  {},
  { async: true },
  { async: true, decision: 'block' },
  { decision: 'block', reason: 'no' },
  { permission: 'deny', user_message: 'no' },
  { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'sure?' } },
  { decision: 'allow', unknown: 1 },
  { ok: false },
  { continue: false, stopReason: 'enough' },
  {
    systemMessage: 'told',
    tool_input: { command: 'ls', ['__proto__']: 1, n: 2n ** 70n, '\ud800': '\udfff' },
  },
  { decision: 7 },
  { type: 'progress', message: 'half' },
  { outcome: 'approve' },
]

const hooks: readonly ArmedHook[] = [
  armed('hook', { event: 'pre_tool_call' }),
  armed('hook', { event: 'on_session_end' }),
  ...(Object.keys(DIALECTS) as ForeignDialect[]).flatMap((name) =>
    DIALECTS[name].events.filter(({ event }) => event !== undefined).map((native) => speaking(name, native)),
  ),
]

test('an answer that was read on its way says what its text says, in the words of every system', () => {
  for (const hook of hooks) {
    const payload = syntheticPayload(hook.entry.event, '/work', new Date(0))
    for (const json of answers) {
      for (const exitCode of [0, 1, 2, null]) {
        const printed = { exitCode, stdout: JSON.stringify(json), stderr: '', isTruncated: false }
        expect(decodeFor(hook, payload, { ...printed, json })).toEqual(decodeFor(hook, payload, printed))
      }
    }
  }
})

test('it is not read again', () => {
  const payload = syntheticPayload('pre_tool_call', '/work', new Date(0))
  const json = { decision: 'block', reason: 'no' }
  expect(
    decodeFor(armed('hook', { event: 'pre_tool_call' }), payload, {
      exitCode: 0,
      stdout: '{}',
      json,
      stderr: '',
      isTruncated: false,
    }),
  ).toEqual({ kind: 'block', reason: 'no', notes: [] })
})

test('all programs of ours that are asked about one payload get one text', () => {
  let written = 0
  const payload = syntheticPayload('pre_tool_call', '/work', new Date(0))
  Object.defineProperty(payload, 'toJSON', { value: () => ({ written: (written += 1) }) })
  const [first, second] = (['command', 'process'] as const).map((type) =>
    stdinFor(armed('hook', { event: 'pre_tool_call', type }), payload),
  )
  expect([first, second]).toEqual(['{"written":1}\n', '{"written":1}'])
})
