import { actingIn } from '../consent.ts'
import { get } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { startPlane, type Plane } from '../plane.ts'

let plane: Plane | undefined
afterEach(async () => {
  await plane?.stop()
  plane = undefined
})

const ask = (port: number, path: string, host = `127.0.0.1:${port}`) =>
  new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode, body }))
    }).on('error', reject)
  })

const hooks = `hooks:
  - event: pre_tool_call
    command: ./guard.sh
    matcher: rm
`

test('a Prometheus server reads what the gate decided, and a page of another name reads nothing', async () => {
  const port = await freePort()
  const files = { 'guard.sh': '#!/bin/sh\necho no >&2\nexit 2\n' }
  plane = await startPlane(hooks, files, {}, 'none', {}, `metrics: {port: ${port}}\n`)
  const { gate, workspace } = plane
  await actingIn(gate.gatekeeper).setSwitch(true)
  const [row] = gate.rows()
  if (row?.entry === undefined) throw new Error('Expected one proposed hook.')
  await actingIn(gate.gatekeeper).approve(row.entry)
  const fire = (command: string) =>
    gate.dispatcher.fire({
      agentId: 'main',
      event: 'pre_tool_call',
      sessionId: 's',
      cwd: workspace,
      fields: { tool_name: 'bash', tool_input: { command }, tool_use_id: 'c' },
    })
  await fire('rm -rf /')
  await fire('ls')
  await fire('pwd')
  const { status, body } = await ask(port, '/metrics')
  expect(status).toBe(200)
  const figures = Object.fromEntries(
    body
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
  expect(figures).toMatchObject({
    'hookgate_events_total{event="pre_tool_call",verdict="block"}': 1,
    'hookgate_events_total{event="pre_tool_call",verdict="allow"}': 2,
    'hookgate_hook_duration_seconds_count{hook="./guard.sh"}': 1,
    hookgate_outbox_waiting: 0,
    hookgate_questions_waiting: 0,
    hookgate_on: 1,
    hookgate_lockdown: 0,
    hookgate_ledger_revision: gate.gatekeeper.state().revision,
  })
  expect((await ask(port, '/')).status).toBe(404)
  expect(await ask(port, '/metrics', 'evil.example')).toEqual({ status: 421, body: '' })
})
