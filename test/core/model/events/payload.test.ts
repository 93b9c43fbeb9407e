import { describe, expect, test } from 'vitest'
import { EVENTS, EVENT_NAMES, contractOf, isEventName } from '../../../../src/core/model/events/event.ts'
import { payloadOf } from '../../../../src/core/model/events/payload.ts'
import { syntheticPayload } from '../../../../src/shared/events/synthetic.ts'

describe('payloads', () => {
  test("the event's fields never replace the base fields", () => {
    const base = { event_id: 'e', timestamp: 't', session_id: 's', agent_id: 'a', cwd: '/w' }
    expect(
      payloadOf('on_stop', base, {
        response: 'x',
        event: 'forged',
        event_id: 'forged',
        agent_id: 'forged',
        attempt: 7,
      }),
    ).toEqual({ ...base, event: 'on_stop', attempt: 1, response: 'x' })
  })

  test('a sample of each event has every field that the table names', () => {
    for (const event of EVENT_NAMES) {
      const payload = syntheticPayload(event, '/w', new Date(0))
      expect(payload).toMatchObject({
        event,
        event_id: 'synthetic',
        timestamp: '1970-01-01T00:00:00.000Z',
        agent_id: 'doctor',
        cwd: '/w',
        attempt: 1,
      })
      expect(Object.keys(payload)).toEqual(expect.arrayContaining(Object.keys(contractOf(event).fields)))
    }
  })

  test('the table holds together: what can be searched or rewritten is a field, and what blocks says what that does', () => {
    for (const event of EVENT_NAMES) {
      const { search, rewrite, fields, gate, onBlock } = contractOf(event)
      expect(Object.keys(fields), event).toEqual(expect.arrayContaining([...search, ...rewrite]))
      expect(onBlock !== undefined, event).toBe(gate.includes('block'))
    }
    expect(isEventName('pre_tool_call')).toBe(true)
    for (const no of ['', 'toString', '__proto__', 'constructor', 'PRE_TOOL_CALL'])
      expect(isEventName(no)).toBe(false)
    expect(Object.keys(EVENTS).slice(0, 1)).toEqual(['pre_tool_call'])
  })
})
