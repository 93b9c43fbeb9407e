import { expect, test } from 'vitest'
import { createToolRun } from '../../../src/server/mcp/run-tools.ts'
import type { ToolPorts } from '../../../src/server/mcp/tool-ports.ts'
import type { ToolName } from '../../../src/server/mcp/tools.ts'
import type { EventRecord } from '../../../src/core/model/events/record.ts'
import type { ListedHook } from '../../../src/shared/gate/catalogue.ts'
import type { AgentPorts } from '../../../src/server/ports.ts'
import { armed } from '../../handlers/armed.ts'

const rowOf = (name: string, rest: Partial<ListedHook>): ListedHook => ({
  status: 'approved',
  event: 'pre_tool_call',
  command: name,
  unsealed: [],
  files: [],
  live: name,
  entry: { ...armed(name).entry, event: 'pre_tool_call' },
  ...rest,
})

const recordOf = (rest: Partial<EventRecord>): EventRecord => ({
  event_id: 'e1',
  atMs: 0,
  kind: 'event',
  subject: 'pre_tool_call',
  outcome: 'allow',
  agent_id: 'main',
  hooks: [],
  missed: 0,
  ...rest,
})

const told = async (name: ToolName, rows: readonly ListedHook[], records: readonly EventRecord[] = []) => {
  const ports: ToolPorts = {
    version: '1',
    gate: () => ({ isOn: true }),
    rows: () => rows,
    records: ({ ofClass }) => Promise.resolve(ofClass === undefined ? records : []),
    ownerChats: () => [],
  }
  const call = createToolRun('main', {} as AgentPorts, ports, {}, () => undefined)
  return (await call(name, {}, new AbortController().signal)).text
}

const hook = { fingerprint: 'wide', label: 'wide', fired: false, why: 'the switch is off' }

test('an agent cannot tell a shadow from a proposal that waits, also by what the list leaves out', async () => {
  const asOwner: readonly Partial<ListedHook>[] = [{ isShadow: true }, { isShadow: true, status: 'changed' }]
  const waiting = await told('list_hooks', [rowOf('wide', { status: 'waiting' })])
  expect(waiting).toContain('wide · NOT approved, so it does nothing')
  for (const row of asOwner) expect(await told('list_hooks', [rowOf('wide', row)])).toBe(waiting)
  const gone = rowOf('wide', { status: 'gone', isShadow: true })
  expect(await told('list_hooks', [gone])).toBe(await told('list_hooks', []))
})

test('an event that shadows alone got is as if no hook had got it', async () => {
  const nothing = await told('why', [])
  expect(await told('why', [], [recordOf({ shadows: 1 })])).toBe(nothing)
  expect(await told('why', [], [recordOf({ hooks: [{ ...hook, isShadow: true }] })])).toBe(nothing)
  expect(await told('why', [], [recordOf({ shadows: 1, missed: 1 })])).toContain('1 more did not match')
})
