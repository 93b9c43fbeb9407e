import { describe, expect, test } from 'vitest'
import { DIALECTS, decodeFor, nativeEvent } from '../../../src/dialects/dialects.ts'
import { goOnEvents } from '../../../src/dialects/reading/answer-fields.ts'
import type { Answer } from '../../../src/core/model/hooks/answer.ts'
import { FOREIGN_DIALECTS, type ForeignDialect } from '../../../src/core/model/hooks/dialect.ts'
import { contractOf } from '../../../src/core/model/events/event.ts'
import { armed, eventOf } from '../../handlers/armed.ts'
import { besideText, inOtherWords, speaking } from '../speaking.ts'

const decode = (
  dialect: ForeignDialect,
  name: string,
  stdout: string,
  left: { readonly exitCode?: number; readonly isTruncated?: boolean } = {},
): Answer => {
  const native = nativeEvent(dialect, name)
  if (native?.event === undefined) throw new Error(`no event ${name}`)
  return decodeFor(speaking(dialect, native), eventOf(native.event, {}), {
    exitCode: 0,
    stderr: '',
    isTruncated: false,
    ...left,
    stdout,
  })
}
const ours = (stdout: string): Answer =>
  decodeFor(armed('hook', { event: 'pre_tool_call' }), eventOf('pre_tool_call', {}), {
    exitCode: 0,
    stdout,
    stderr: '',
    isTruncated: false,
  })
const deny = '{"decision":"deny","reason":"no"}'

describe('a refusal in the words of any system', () => {
  test.each([
    '{"permission":"deny"}',
    '{"permission":"DENY"}',
    '{"decision":"Block"}',
    '{"action":"block"}',
    '{"allow":false}',
    '{"allowed":false}',
    '{"approved":false}',
    '{"ok":false}',
    '{"continue":false}',
    '{"permissionDecision":"deny"}',
    '{"behavior":"deny"}',
    '{"decision":"deny"}',
  ])('%s refuses at every gate of every system, and of ours', (stdout) => {
    expect(ours(stdout).kind, 'hookgate').toBe('block')
    for (const name of FOREIGN_DIALECTS) {
      const gates = DIALECTS[name].events.filter(
        ({ event, isGate }) =>
          isGate === true && event !== undefined && contractOf(event).gate.includes('block'),
      )
      const where = gates.filter(
        ({ event = 'on_stop' }) => !goOnEvents.includes(event) || !stdout.includes('continue'),
      )
      expect(
        where
          .filter((native) => decode(name, native.name, stdout).kind !== 'block')
          .map((native) => native.name),
        name,
      ).toEqual([])
    }
  })
  test('the words of others beside it are its reason', () => {
    expect(
      decode('docker-agent', 'pre_tool_use', '{"permission":"deny","userMessage":"No secrets."}').reason,
    ).toBe('No secrets.')
    expect(
      decode('claude-code', 'PreToolUse', '{"permission":"deny","agent_message":"Ask first."}').reason,
    ).toBe('Ask first.')
    expect(decode('claude-code', 'PreToolUse', '{"permission":"ask"}').kind).toBe('ask')
  })
  test("consent in another system's words is none", () => {
    for (const stdout of ['{"permission":"allow"}', '{"allow":true}', '{"action":"allow"}', '{"ok":true}'])
      expect(decode('docker-agent', 'pre_tool_use', stdout).kind, stdout).toBe('abstain')
  })
  test('keeps what its own system understood, and drops the rest of the answer', () => {
    expect(
      decode(
        'docker-agent',
        'pre_tool_use',
        '{"behavior":"deny","message":"no","system_message":"look","hook_specific_output":{"permission_decision":"allow","updated_input":{"cmd":"ls"},"zzz":1}}',
      ),
    ).toEqual({
      kind: 'block',
      reason: 'no',
      notes: [
        'look',
        'Its answer has the unknown field "hook_specific_output.zzz", which has no effect.',
        inOtherWords('behavior', 'docker-agent'),
      ],
    })
  })
  test('is heard however its names are spelled', () => {
    expect(
      decode(
        'agent-hooks',
        'pre-tool-call',
        '{"Hook_Specific_Output":{"PermissionDecision":"deny","PermissionDecisionReason":"no"}}',
      ),
    ).toMatchObject({ kind: 'block', reason: 'no' })
  })
  test('has the reason that stands beside it', () => {
    expect(
      decode(
        'docker-agent',
        'pre_tool_use',
        '{"reason":"fine","hookSpecificOutput":{"decision":{"behavior":"deny","message":"no"}}}',
      ).reason,
    ).toBe('no')
  })
  test('without a reason has one all the same', () =>
    expect(decode('docker-agent', 'pre_tool_use', '{"ok":false}').reason).toBe('blocked by hook'))
  test('a question in other words is one where a person can be asked', () => {
    expect(decode('docker-agent', 'pre_tool_use', '{"behavior":"ask"}')).toEqual({
      kind: 'ask',
      reason: 'the hook asks the person',
      notes: [inOtherWords('behavior', 'docker-agent', 'question')],
    })
    expect(decode('docker-agent', 'before_llm_call', '{"behavior":"ask"}').kind).toBe('abstain')
  })
  test('ends the turn where it says so, and not where an agent stops', () => {
    expect(decode('agent-hooks', 'pre-tool-call', '{"continue":false}')).toMatchObject({
      kind: 'block',
      stopsTurn: true,
    })
    expect(decode('agent-hooks', 'pre-agent-turn-stop', '{"continue":false,"behavior":"deny"}').kind).toBe(
      'abstain',
    )
    expect(decode('agent-hooks', 'pre-agent-turn-stop', '{"ok":false,"impossible":true}').kind).toBe(
      'abstain',
    )
    expect(decode('agent-hooks', 'pre-agent-turn-stop', '{"ok":false,"reason":"tests fail"}')).toMatchObject({
      kind: 'block',
      reason: 'tests fail',
    })
  })
  test('no consent and no other value of those fields refuses', () => {
    for (const stdout of [
      '{"behavior":"allow"}',
      '{"ok":true}',
      '{"ok":"false"}',
      '{"behavior":{"deny":1}}',
      '{"__proto__":{"decision":"deny"}}',
      '{"tool_input":{"decision":"deny"}}',
      '{"hookSpecificOutput":{"hookSpecificOutput":{"hookSpecificOutput":{"decision":"deny"}}}}',
    ]) {
      expect(decode('docker-agent', 'pre_tool_use', stdout).kind, stdout).toBe('abstain')
    }
  })
  test('is none where a hook can refuse nothing', () =>
    expect(decode('docker-agent', 'turn_end', '{"behavior":"deny"}').kind).toBe('abstain'))
})

describe('a refusal beside other text', () => {
  test.each([
    ['after a log', `checking\n${deny}`],
    ['before one', `${deny}\ndone`],
    ['indented', `checking\n  ${deny}  `],
    ['after a bare carriage return', `50 %\r${deny}`],
    ['as jq prints it', 'checking\n{\n  "decision": "deny",\n  "reason": "no"\n}\n'],
    ['after an open brace', `log {\n{\nhalf\n${deny}\n`],
    ['after Windows line ends', 'checking\r\n{\r\n  "decision": "deny",\r\n  "reason": "no"\r\n}\r\n'],
  ])('counts %s', (_, stdout) => {
    expect(ours(stdout)).toEqual({
      kind: 'block',
      reason: 'no',
      notes: [besideText('decision', stdout.trim())],
    })
    expect(decode('claude-code', 'PreToolUse', stdout, { exitCode: 1 })).toMatchObject({
      kind: 'block',
      reason: 'no',
    })
  })
  test('counts before consent, wherever it stands', () => {
    for (const lines of [
      [deny, '{"decision":"allow"}'],
      ['{"decision":"allow"}', deny],
      [deny, '{"decision":"ask"}'],
    ])
      expect(ours(lines.join('\n')).kind).toBe('block')
  })
  test.each([
    ['in a longer line', `said ${deny}`],
    ['in a longer line, at its start', `${deny} was said`],
    ['in a text', `[${deny}]`],
    ['twice in a line', `${deny}${deny}`],
    ['within an object', `{\n  "a": 1,\n  "b":\n  ${deny}\n}\nlog`],
    ['half of it', 'log\n{"decision":"deny"'],
  ])('is a quotation %s', (_, stdout) =>
    expect(decode('claude-code', 'PreToolUse', stdout).kind).not.toBe('block'),
  )
  test('counts after the word for the background, whose step waited', () => {
    for (const [dialect, name] of [
      ['docker-agent', 'pre_tool_use'],
      ['copilot', 'preToolUse'],
      ['claude-code', 'PreToolUse'],
    ] as const)
      expect(decode(dialect, name, `{"async":true}\n${deny}`).kind, dialect).toBe('block')
  })
  test('is no context for the model', () =>
    expect(decode('claude-code', 'UserPromptSubmit', `checking\n${deny}`)).not.toHaveProperty('context'))
  test('is not looked for in what was cut off', () =>
    expect(decode('claude-code', 'PreToolUse', `${deny}\nlog`, { isTruncated: true }).kind).toBe('fault'))
  test('consent there counts nothing, and that is told', () => {
    expect(decode('claude-code', 'PreToolUse', 'checking\n{"decision":"allow"}')).toEqual({
      kind: 'abstain',
      notes: [
        'Beside other text only a refusal or a question counts, so its answer was dropped ("checking\\n{\\"decision\\":\\"allow\\"}").',
      ],
    })
    expect(decode('claude-code', 'PreToolUse', 'all fine\n')).toEqual({ kind: 'abstain', notes: [] })
  })
  test('a question there stands beside what else is wrong', () =>
    expect(ours('{}\n{"decision":"ask"}')).toMatchObject({ kind: 'ask', fault: { kind: 'output' } }))
})

describe('a hostile output is read in a moment', () => {
  const mebibyte = (line: string): string => line.repeat(Math.floor((1024 * 1024) / line.length))
  test.each([
    ['lines that are no JSON', '{"deny"}\n'],
    ['objects', '{"a":false}\n'],
    ['refusals', '{"ok":false}\n'],
    ['open braces', '{\ndeny\n'],
    ['line ends', '\n'],
    ['closed braces', '{\n"deny"\n}\n'],
    ['blanks', ' '],
    ['brackets', '{"deny":['],
  ])('%s', (_, line) => {
    for (const [dialect, name] of [
      ['claude-code', 'PreToolUse'],
      ['docker-agent', 'pre_tool_use'],
      ['agent-hooks', 'pre-tool-call'],
      ['copilot', 'preToolUse'],
    ] as const) {
      const startMs = performance.now()
      decode(dialect, name, mebibyte(line))
      expect(performance.now() - startMs).toBeLessThan(10_000)
    }
  })
  test('a refusal after a long log of objects is heard; of too many that could be one the last are read, and the rest is a fault', () => {
    expect(decode('claude-code', 'PreToolUse', `${'{"a":1}\n'.repeat(100_000)}${deny}`).kind).toBe('block')
    expect(decode('claude-code', 'PreToolUse', `${deny}\n${'{"a":1}\n'.repeat(100_000)}`).kind).toBe('block')
    expect(decode('claude-code', 'PreToolUse', `${deny}\n${'{"a":false}\n'.repeat(1000)}`)).toMatchObject({
      kind: 'fault',
      fault: {
        kind: 'limit',
        detail:
          'It printed 1 more objects that could be answers, which were not read; an answer is one JSON object.',
      },
    })
    expect(decode('claude-code', 'PreToolUse', `log\n${deny}\n${'{"a":false}\n'.repeat(1000)}`).kind).toBe(
      'fault',
    )
    expect(decode('claude-code', 'PreToolUse', `${'{"a":false}\n'.repeat(1000)}${deny}`).notes).toHaveLength(
      2,
    )
  })
})
