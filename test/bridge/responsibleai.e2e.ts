import { actingIn } from '../consent.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { isCallCard, nextCard, sentMessages, replaced, send, tap, call } from '../permissions/caller.ts'
import { startPlane, type Plane } from '../plane.ts'
import { cli } from '../e2e/program.ts'
import { answerOf, runBridge } from './run-bridge.ts'

/** Hooks that were written for Agent Hooks 0.1: they read a context, and print a verdict. */
const yaml = `hooks:
  - {event: pre_tool_call, dialect: responsibleai-agent-hooks, command: ./policy.mjs}
  - {event: output, dialect: responsibleai-agent-hooks, command: ./redact.py}
`
const files = {
  'policy.mjs': `#!/usr/bin/env node
const context = JSON.parse(await new Response(process.stdin).text())
const { name, args } = context.tool_call
const verdicts = {
  shell: { decision: 'deny', reason: 'acme:shell', message: 'No shell here.' },
  wire: { decision: 'deny', reason: 'acme:wire', message: args.amount + ' is a lot.', approval: {} },
  fetch: { decision: 'transform', transform: { path: '$target.url', value: 'https://safe.example/' } },
}
console.log(JSON.stringify(verdicts[name] ?? { decision: 'allow' }))
`,
  'redact.py': `#!/usr/bin/env python3
import json, sys
context = json.load(sys.stdin)
content = context["target"]["content"]
if "secret" in content:
    print(json.dumps({"decision": "transform", "transform": {"path": "$target.content", "value": content.replace("secret", "***")}}))
else:
    print(json.dumps({"decision": "allow", "warnings": [{"reason": "acme:clean"}]}))
`,
}

let plane: Plane
let port = 0
beforeAll(async () => {
  port = await freePort()
  plane = await startPlane(yaml, files, {}, 'none', { port })
  const { gatekeeper } = plane.gate
  for (const { entry } of plane.gate.rows())
    if (entry !== undefined) await actingIn(gatekeeper).approve(entry)
  await actingIn(gatekeeper).setSwitch(true)
})
afterAll(() => plane.stop())

interface Done {
  readonly ran: readonly unknown[]
  readonly refused: readonly string[]
  readonly output: { readonly content: string } | null
}

const ways: Readonly<Record<string, () => readonly [string, string, ...string[]]>> = {
  http: () => [
    `http://127.0.0.1:${port}/bridge/responsibleai-agent-hooks`,
    readFileSync(join(plane.home, 'secrets', 'bridge-token'), 'utf8').trim(),
  ],
  command: () => [cli, ''],
}

/** Runs the agent as a process of its own. */
const runAgent = async (way: string, turn: object): Promise<Done> => {
  const [place, ...more] = ways[way]?.() ?? ['', '']
  const child = spawn(
    process.execPath,
    [
      resolve(import.meta.dirname, '../fixtures/responsibleai/agent.ts'),
      way,
      place,
      JSON.stringify({ session: `${way}-1`, input: 'go', calls: [], ...turn }),
      ...more,
    ],
    {
      env: { PATH: process.env['PATH'] ?? '', HOME: dirname(plane.home), HOOKGATE_HOME: plane.home },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [said] = await Promise.all([readText(child.stdout), once(child, 'close')])
  return JSON.parse(said) as Done
}

describe.each(Object.keys(ways))('An agent that speaks Agent Hooks 0.1 and asks by %s', (way) => {
  test('does what hooks allow, as they changed it, and is told what they refuse', async () => {
    const { ran, refused, output } = await runAgent(way, {
      calls: [
        { name: 'shell', args: { command: 'ls' } },
        { name: 'fetch', args: { url: 'https://evil.example/', key: 'secret' } },
      ],
    })
    expect(refused).toEqual(['pre_tool_call: No shell here. (acme:shell)'])
    const safe = { url: 'https://safe.example/', key: 'secret' }
    expect(ran).toEqual([{ name: 'fetch', args: safe }])
    expect(output?.content).toBe(JSON.stringify([{ done: 'fetch', with: { ...safe, key: '***' } }]))
  })

  test("asks for the approval, which is a card, and gets the owner's word", async () => {
    for (const [label, amount] of [
      ['Allow once', 5],
      ['Deny', 6],
    ] as const) {
      const from = sentMessages(plane).length
      const done = runAgent(way, { calls: [{ name: 'wire', args: { amount } }] })
      const card = await nextCard(plane, from, 'responsibleai-agent-hooks:desk · wire · denied at')
      expect(card.text).toContain(`./policy.mjs: ${amount} is a lot. (acme:wire)`)
      tap(plane, card, label)
      const { ran, refused } = await done
      expect(ran).toEqual(label === 'Deny' ? [] : [{ name: 'wire', args: { amount } }])
      expect(refused).toEqual(label === 'Deny' ? ['pre_tool_call: The person said no.'] : [])
    }
  })

  test('that has nobody who approves does not do it, and nobody is asked', async () => {
    const from = sentMessages(plane).length
    const { ran, refused } = await runAgent(way, {
      hasResolver: false,
      calls: [{ name: 'wire', args: { amount: 7 } }],
    })
    expect(ran).toEqual([])
    expect(refused).toEqual([expect.stringContaining('a person has to approve this first: 7 is a lot.')])
    expect(sentMessages(plane).slice(from).filter(isCallCard)).toEqual([])
  })
})

test('The deny of another interceptor comes to the owner too, with its words and what it is about', async () => {
  const output = { content: 'Transferred.' }
  const stdin = JSON.stringify({
    context_identity: 'sha256:7',
    interception_point: 'output',
    verdict: { decision: 'deny', reason: 'acme:tone', approval: {} },
    context: {
      spec: 'agent-hooks/0.1',
      interception_point: 'output',
      agent: { id: 'desk', framework: 'tiny' },
      session: { id: 's7' },
      output,
      target: output,
    },
  })
  for (const [label, answer] of [
    ['Allow once', { outcome: 'approve', context_identity: 'sha256:7', verdict: { decision: 'allow' } }],
    ['Deny', { outcome: 'reject', context_identity: 'sha256:7', verdict: { decision: 'deny' } }],
  ] as const) {
    const from = sentMessages(plane).length
    const bridged = runBridge(['responsibleai-agent-hooks', 'approval_request'], {
      home: dirname(plane.home),
      env: { HOOKGATE_HOME: plane.home },
      stdin,
    })
    const card = await nextCard(plane, from, 'responsibleai-agent-hooks:desk · output · denied at')
    expect(card.text).toContain(' The agent asks for permission: acme:tone')
    expect(card.text).toContain('Transferred.')
    tap(plane, card, label)
    expect(answerOf(await bridged)).toMatchObject(answer)
  }
})

test('A hook of Agent Hooks 0.1 judges our own agent too, and its question is a card', async () => {
  expect((await send(plane, 'pre_tool_call', call('shell', { command: 'ls' }))).body).toMatchObject({
    verdict: 'block',
    reason: 'No shell here. (acme:shell)',
  })
  const { body } = await send(plane, 'pre_tool_call', call('fetch', { url: 'https://evil.example/' }))
  expect([body.verdict, body.payload?.tool_input]).toEqual(['allow', { url: 'https://safe.example/' }])
  const from = sentMessages(plane).length
  const asked = send(plane, 'pre_tool_call', call('wire', { amount: 8 }), { askMs: 60_000 })
  const card = await nextCard(plane, from, ' · wire · denied at')
  tap(plane, card, 'Allow once')
  expect((await asked).body.verdict).toBe('allow')
  expect(await replaced(plane, card)).toContain('wire')
})

test('What cannot be read is refused as the specification has it', async () => {
  const bridged = async (point: string, stdin: string) =>
    answerOf(
      await runBridge(['responsibleai-agent-hooks', point], {
        home: dirname(plane.home),
        env: { HOOKGATE_HOME: plane.home },
        stdin,
      }),
    )
  expect(await bridged('pre_tool_call', '{}')).toEqual({
    decision: 'deny',
    reason: 'hookgate:blocked',
    message: expect.stringContaining('Expected "spec" to be agent-hooks/0.1') as string,
  })
  expect(await bridged('approval_request', '{}')).toMatchObject({
    outcome: 'reject',
    verdict: { decision: 'deny' },
  })
  await actingIn(plane.gate.gatekeeper).setSwitch(false)
  expect(await runAgent('http', { calls: [{ name: 'shell', args: { command: 'ls' } }] })).toMatchObject({
    refused: [],
    ran: [{ name: 'shell' }],
  })
  await actingIn(plane.gate.gatekeeper).setSwitch(true)
})
