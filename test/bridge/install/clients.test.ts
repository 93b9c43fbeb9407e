import { describe, expect, test } from 'vitest'
import { INSTALLATIONS, installationOf } from '../../../src/bridge/install/clients.ts'
import { deadlineFor } from '../../../src/bridge/install/command.ts'
import { canaryTool } from '../../../src/bridge/install/client.ts'
import { clientEvent, CLIENTS, readEvent } from '../../../src/dialects/clients.ts'
import { denial } from '../../../src/dialects/gates.ts'
import { isClientName } from '../../../src/shared/gate/client.ts'
import type { Json } from '../../../src/core/model/base/json.ts'

const at = (value: Json | undefined, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  )

describe.each(Object.keys(INSTALLATIONS))('%s', (name) => {
  const { events, canary } = installationOf(name) ?? expect.fail()
  const client = isClientName(name) ? name : expect.fail()

  test('Only events that mean something to the gate are installed, each once', () => {
    const known = CLIENTS[client].events.filter(({ event }) => event !== undefined).map(({ name }) => name)
    expect(events.map(({ event }) => event).filter((event) => !known.includes(event))).toEqual([])
    expect(new Set(events.map(({ event }) => event)).size).toBe(events.length)
  })

  test('Where a turn begins and ends is told by what is installed', () => {
    const moments = events.map(({ event }) => clientEvent(client, event)?.moment)
    for (const moment of ['turn_start', 'turn_end'] as const)
      expect(moments.filter((one) => one === moment)).toEqual([moment])
  })

  test('What is waited for as a gate can be refused there, and the bridge answers before the client stops waiting', () => {
    expect(
      events
        .filter(({ isGate }) => isGate === true)
        .filter(({ event }) => denial(client, event, 'no') === undefined)
        .map(({ event }) => event),
    ).toEqual([])
    for (const { seconds } of events) expect(deadlineFor(seconds)).toBeLessThan(seconds)
  })

  test('Its canary is a call of the canary tool, and the place where a refusal is looked for is where the client looks', () => {
    const heard = readEvent(client, canary.event, JSON.stringify(canary.payload))
    expect(heard).toMatchObject({
      kind: 'report',
      report: { event: 'pre_tool_call', fields: { tool_name: canaryTool } },
    })
    expect(at(denial(client, canary.event, 'no'), canary.denial)).toMatch(/deny|block|no/)
  })
})
