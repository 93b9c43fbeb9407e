import { actingIn } from '../consent.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startPlane, until, type Plane } from '../plane.ts'
import { startCollector } from './collector.ts'

let plane: Plane | undefined
let collector: Awaited<ReturnType<typeof startCollector>>
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(async () => {
  await plane?.stop()
  plane = undefined
  collector.stop()
  vi.unstubAllEnvs()
})

const hooks = `hooks:
  - event: pre_tool_call
    command: ./slow.sh
  - event: pre_tool_call
    command: ./guard.sh
    matcher: rm
  - event: pre_tool_call
    command: ./broken.sh
    matcher: broken
    on_error: warn
`
const files = {
  'slow.sh': '#!/bin/sh\nsleep 0.2\n',
  'guard.sh': '#!/bin/sh\necho "no, secret word" >&2\nexit 2\n',
  'broken.sh': '#!/bin/sh\nexit 1\n',
}

/** A gate with the hooks above in force, which sends its traces to the collector. */
const start = async (env: Readonly<Record<string, string>> = {}) => {
  const given: Record<string, string> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...env,
  }
  // The exporter reads the address and its headers from the process itself.
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value)
  plane = await startPlane(hooks, files, given)
  const { gate, workspace } = plane
  await actingIn(gate.gatekeeper).setSwitch(true)
  for (const { entry } of gate.rows()) if (entry !== undefined) await actingIn(gate.gatekeeper).approve(entry)
  return {
    fire: (command: string) =>
      gate.dispatcher.fire({
        agentId: 'main',
        event: 'pre_tool_call',
        sessionId: 'session-1',
        cwd: workspace,
        fields: { tool_name: 'bash', tool_input: { command }, tool_use_id: 'call-7' },
      }),
  }
}
const named = (name: string) =>
  until(`the span "${name}"`, () => collector.spans.find((span) => span.name === name))

test('a collector gets a span of each event, and below it one of each hook that was asked', async () => {
  const { fire } = await start({ OTEL_SERVICE_NAME: 'gate-of-ann', OTEL_RESOURCE_ATTRIBUTES: 'team=blue' })
  const fromMs = Date.now()
  await fire('rm -rf / # my secret')
  const toMs = Date.now()
  const event = await named('execute_tool bash')
  const slow = await named('run_guardrail ./slow.sh')
  const guard = await named('run_guardrail ./guard.sh')
  expect(event).toMatchObject({
    kind: 1,
    parentId: '',
    isError: false,
    resource: { 'service.name': 'gate-of-ann', team: 'blue' },
  })
  expect(event.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'bash',
    'gen_ai.tool.call.id': 'call-7',
    'gen_ai.agent.name': 'main',
    'gen_ai.conversation.id': 'session-1',
    'gen_ai.guardrail.target.type': 'input',
    'gen_ai.guardrail.target.subtype': 'tool_call',
    'gen_ai.guardrail.target.id': 'call-7',
    'gen_ai.guardrail.action.type': 'block',
    'gen_ai.guardrail.component.name': './guard.sh',
    'hookgate.event.name': 'pre_tool_call',
    'hookgate.event.id': expect.any(String),
    'hookgate.ledger.revision': expect.any(String),
  })
  for (const hook of [slow, guard])
    expect(hook).toMatchObject({ kind: 3, parentId: event.id, traceId: event.traceId, isError: false })
  expect(slow.attributes).toMatchObject({
    'gen_ai.operation.name': 'run_guardrail',
    'gen_ai.guardrail.verdict.type': 'allow',
    'gen_ai.guardrail.action.type': 'block',
  })
  expect(guard.attributes).toMatchObject({ 'gen_ai.guardrail.verdict.type': 'deny' })
  // One after the other, inside the event. The system's clock has milliseconds.
  expect(event.startMs).toBeGreaterThanOrEqual(fromMs - 2)
  expect(slow.startMs).toBeGreaterThanOrEqual(event.startMs - 2)
  expect(slow.endMs - slow.startMs).toBeGreaterThanOrEqual(190)
  expect(guard.startMs).toBeGreaterThanOrEqual(slow.endMs - 2)
  expect(event.endMs).toBeGreaterThanOrEqual(guard.endMs - 2)
  expect(event.endMs).toBeLessThanOrEqual(toMs + 2)
  expect(JSON.stringify(collector.spans)).not.toContain('secret')
}, 60_000)

test('a hook that failed is an error, and content is sent where it is asked for', async () => {
  const { fire } = await start({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' })
  await fire('broken')
  const broken = await named('run_guardrail ./broken.sh')
  expect(broken).toMatchObject({ isError: true, attributes: { 'error.type': 'exit' } })
  expect(broken.attributes).not.toHaveProperty('gen_ai.guardrail.verdict.type')
  await fire(`rm ${'x'.repeat(100_000)}`)
  const guard = await named('run_guardrail ./guard.sh')
  expect(guard.attributes['gen_ai.guardrail.verdict.reason']).toContain('secret word')
  const event = await until('the second event', () => collector.spans.find(({ id }) => id === guard.parentId))
  const content = String(event.attributes['gen_ai.guardrail.security.content.input.value'])
  expect(content).toContain('"command":"rm xxx')
  expect(content.length).toBeLessThanOrEqual(8000)
}, 60_000)

test('what waits is sent when the gate stops, and a collector that is away holds up nobody', async () => {
  const { fire } = await start({ OTEL_BSP_SCHEDULE_DELAY: '600000' })
  await fire('ls')
  expect(collector.spans).toEqual([])
  await plane?.stop()
  expect(collector.spans.map(({ name }) => name).toSorted()).toEqual([
    'execute_tool bash',
    'run_guardrail ./slow.sh',
  ])
  const away = collector.url
  collector.stop()
  const again = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: away })
  expect(await again.fire('ls')).toMatchObject({ kind: 'verdict', verdict: { verdict: 'allow' } })
  await plane?.stop()
}, 60_000)
