import { describe, expect, test } from 'vitest'
import { applyRewrite } from '../../../../src/core/hooks/settle/rewrite.ts'
import { EVENT_NAMES, contractOf } from '../../../../src/core/model/events/event.ts'
import type { Json, JsonObject } from '../../../../src/core/model/base/json.ts'
import type { Payload } from '../../../../src/core/model/events/payload.ts'
import { eventOf } from '../../../handlers/armed.ts'

const call = (tool_input: JsonObject) => eventOf('pre_tool_call', { tool_input })
const parsed = (text: string): JsonObject => JSON.parse(text)
const nested = (levels: number): Json => {
  let value: Json = 'x'
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

describe('tool_input', () => {
  test('existing keys are replaced, the others stay, in their order', () => {
    const { payload, isChanged, warnings } = applyRewrite(
      call({ command: 'rm x', cwd: '/a', env: { A: '1' } }),
      { tool_input: { env: null, command: 'ls' } },
    )
    expect(JSON.stringify(payload['tool_input'])).toBe('{"command":"ls","cwd":"/a","env":null}')
    expect({ isChanged, warnings }).toEqual({ isChanged: true, warnings: [] })
  })

  test('a new key is dropped with a warning, the rest is taken', () => {
    const { payload, warnings } = applyRewrite(call({ command: 'rm x' }), {
      tool_input: { command: 'ls', sudo: true },
    })
    expect(payload['tool_input']).toEqual({ command: 'ls' })
    expect(warnings).toEqual([
      'The rewrite of tool_input has the new key "sudo"; only existing keys can be rewritten, so it was dropped.',
    ])
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s is a key like any other: new, it is dropped; existing, it is replaced',
    (key) => {
      const patch = parsed(`{"tool_input": {"${key}": {"polluted": true}}}`)
      const dropped = applyRewrite(call({ command: 'ls' }), patch)
      expect(JSON.stringify(dropped.payload['tool_input'])).toBe('{"command":"ls"}')
      expect(dropped.warnings).toHaveLength(1)
      const taken = applyRewrite(call(parsed(`{"${key}": "before"}`)), patch)
      expect(JSON.stringify(taken.payload['tool_input'])).toBe(`{"${key}":{"polluted":true}}`)
      expect(({} as JsonObject)['polluted']).toBeUndefined()
      const untouched = applyRewrite(call(parsed(`{"${key}": "before", "command": "rm"}`)), {
        tool_input: { command: 'ls' },
      })
      expect(JSON.stringify(untouched.payload['tool_input'])).toBe(`{"${key}":"before","command":"ls"}`)
    },
  )

  test('an object inside is replaced as a whole', () => {
    expect(
      applyRewrite(call({ options: { a: 1, b: 2 } }), { tool_input: { options: { a: 3 } } }).payload[
        'tool_input'
      ],
    ).toEqual({ options: { a: 3 } })
  })

  test('the same values are no change, whatever the order of their keys', () => {
    const before = call({ a: 1, b: { c: [1], d: 2 } })
    const same = applyRewrite(before, { tool_input: { b: { d: 2, c: [1] }, a: 1 } })
    expect(same.isChanged).toBe(false)
    expect(same.payload).toBe(before)
    expect(applyRewrite(before, { tool_input: {} }).isChanged).toBe(false)
  })
})

describe('what does not fit is a fault, and nothing of it is taken', () => {
  test.each<[string, JsonObject, string]>([
    [
      'a string for tool_input',
      { tool_input: 'ls' },
      'Its rewrite of "tool_input" has to be an object, and is "ls" (string).',
    ],
    [
      'a list for tool_input',
      { tool_input: ['ls'] },
      'Its rewrite of "tool_input" has to be an object, and is ["ls"] (list).',
    ],
    [
      'null for tool_input',
      { tool_input: null },
      'Its rewrite of "tool_input" has to be an object, and is null (null).',
    ],
  ])('%s', (_, rewrite, fault) =>
    expect(applyRewrite(call({ command: 'ls' }), rewrite)).toMatchObject({ isChanged: false, fault }),
  )

  test.each<[Json, string]>([
    ['hello', 'a list, and is "hello" (string)'],
    [[], 'a list of at least one object, and is [] (list)'],
    [['hello'], 'a list of at least one object, and is ["hello"] (list)'],
  ])('messages: %j', (messages, rest) => {
    expect(applyRewrite(eventOf('pre_llm_call'), { messages }).fault).toBe(
      `Its rewrite of "messages" has to be ${rest}.`,
    )
  })

  test('a wrong field beside a right one', () => {
    const before = eventOf('on_outbound_message', { parts: [{ field: 'caption', text: 'c' }] })
    for (const rewrite of [
      { notification: 'x', parts: 'y' },
      { parts: [{ field: 'caption', text: 'z' }], notification: 1 },
    ]) {
      const { payload, isChanged, fault } = applyRewrite(before, rewrite)
      expect({ payload, isChanged, isFault: fault !== undefined }).toEqual({
        payload: before,
        isChanged: false,
        isFault: true,
      })
    }
  })

  test('deep nesting, however deep, in bounded time', () => {
    for (const levels of [65, 1000, 100_000]) {
      expect(applyRewrite(call({ command: 'ls' }), { tool_input: { command: nested(levels) } }).fault).toBe(
        'Its rewrite of "tool_input" is nested more than 64 deep.',
      )
      expect(applyRewrite(eventOf('on_outbound_message'), { notification: nested(levels) }).fault).toContain(
        'more than 64 deep',
      )
    }
    expect(applyRewrite(call({ command: 'ls' }), { tool_input: { command: nested(60) } }).isChanged).toBe(
      true,
    )
  })
})

describe('parts', () => {
  const before = eventOf('on_outbound_message', {
    parts: [
      { field: 'caption', text: 'one' },
      { field: 'button', text: 'two' },
    ],
  })

  test('a text is replaced by its name, the others stay', () => {
    const { payload, warnings } = applyRewrite(before, { parts: [{ field: 'button', text: 'TWO' }] })
    expect(payload['parts']).toEqual([
      { field: 'caption', text: 'one' },
      { field: 'button', text: 'TWO' },
    ])
    expect(warnings).toEqual([])
  })

  test('many new keys and parts make few and short warnings', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `${index}`.padStart(100, 'q'))
    const rewrites: readonly (readonly [Payload, JsonObject])[] = [
      [call({ command: 'ls' }), { tool_input: Object.fromEntries(names.map((name) => [name, 1])) }],
      [before, { parts: names.map((field) => ({ field, text: 'x' })) }],
    ]
    for (const [payload, rewrite] of rewrites) {
      const { warnings } = applyRewrite(payload, rewrite)
      expect(warnings).toHaveLength(5)
      for (const warning of warnings) expect(warning.length).toBeLessThan(200)
    }
  })

  test('a part that the message does not have is dropped with a warning', () => {
    const { payload, isChanged, warnings } = applyRewrite(before, { parts: [{ field: 'footer', text: 'x' }] })
    expect(isChanged).toBe(false)
    expect(payload).toBe(before)
    expect(warnings).toEqual([
      'The rewrite names the part "footer" (string), which this message does not have; it was dropped.',
    ])
  })

  test.each<[Json]>([
    [['caption']],
    [[{ field: 'caption' }]],
    [[{ field: 5, text: 'x' }]],
    [[{ field: 'caption', text: null }]],
  ])('%j is no list of {field, text}', (parts) => {
    expect(applyRewrite(before, { parts }).fault).toContain('to be a list of {field, text}')
  })
})

test('a field that the event does not let be rewritten is dropped with a warning, on every event', () => {
  for (const event of EVENT_NAMES) {
    const before = eventOf(event)
    const { payload, warnings } = applyRewrite(before, { event_id: 'other', cwd: '/other', attempt: 9 })
    expect(payload).toBe(before)
    expect(warnings).toHaveLength(3)
    expect(contractOf(event).rewrite).not.toContain('event_id')
  }
})

test('strings are made well-formed before anybody judges them, keys too', () => {
  const { payload } = applyRewrite(eventOf('pre_tool_call', { tool_input: { a: 1, b: { c: 2 } } }), {
    tool_input: { a: 'x\uD800y', b: { 'k\uDC00': ['\uD83D'] } },
  })
  expect(payload['tool_input']).toEqual({ a: 'x\uFFFDy', b: { 'k\uFFFD': ['\uFFFD'] } })
})

test('the first payload is never touched, and the new one cannot be', () => {
  const before = call({ command: 'rm', deep: { list: [1] } })
  const text = JSON.stringify(before)
  const { payload } = applyRewrite(before, { tool_input: { command: 'ls', deep: { list: [2] } } })
  expect(JSON.stringify(before)).toBe(text)
  const written = (payload['tool_input'] as JsonObject)['deep'] as { list: number[] }
  expect(() => written.list.push(3)).toThrow(TypeError)
  expect(Object.isFrozen(payload)).toBe(true)
})
