import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { numberIn, waitUntilGone, untilFollowed } from '../scripted-gate.ts'
import { createRig, scripted } from './rig.ts'
import { stretched } from '../../stretched.ts'

/**
 * What real agents were seen to tell of their calls, each in a way of its own; test/clients has the agents
 * themselves.
 */
const rig = createRig()
const perform = (...steps: readonly object[]): string => `perform ${JSON.stringify(steps)}`
const bash = (command: string): object => ({ kind: 'execute', rawInput: { command } })
const blocks =
  (reason: string) =>
  (event: string): JsonObject | undefined =>
    event === 'pre_tool_call' ? { verdict: 'block', reason } : undefined
const asks = (event: string): JsonObject | undefined =>
  event === 'pre_tool_call' ? { verdict: 'ask', reason: 'are you sure' } : undefined

test('A call that is said to run before it is asked for is not one that runs unasked (OpenCode, Codex)', async () => {
  const { gate, follow, asked } = rig()
  gate.script = asks
  follow()
  const { pushed } = await gate.turn(
    `${perform({ update: { status: 'in_progress', ...bash('make') } }, { wait: 100 }, { permit: { status: 'pending', title: 'make', rawInput: {}, locations: [] } }, { update: { status: 'in_progress' } }, { update: { status: 'completed' } })}\nsay done`,
  )
  expect(pushed).toEqual(['done'])
  expect([asked('pre_tool_call'), asked('on_permission_request')]).toEqual([
    [{ command: 'make' }],
    [{ command: 'make' }],
  ])
})

test('One that is said to run and is not asked for ends the turn while it runs, also at the end of the prompt', async () => {
  const { gate, follow } = rig()
  gate.script = blocks('never')
  follow({ announcedMs: 100 })
  const words = 'I stopped because the agent ran bash without asking: never'
  expect(
    (await gate.turn(perform({ update: { status: 'in_progress', ...bash('make') } }, { wait: 20_000 })))
      .pushed,
  ).toEqual([words])
  follow({ announcedMs: 60_000 })
  expect((await gate.turn(perform({ update: { status: 'in_progress', ...bash('make') } }))).pushed).toEqual([
    words,
  ])
})

test('What a running call prints does not put that off, and a request is waited for while the input is still written', async () => {
  const { gate, follow, asked } = rig()
  gate.script = blocks('never')
  follow({ announcedMs: 200 })
  const prints = Array.from({ length: 80 }, () => ({
    wait: 100,
    update: { content: [{ type: 'content', content: { type: 'text', text: 'x' } }] },
  }))
  const fromMs = performance.now()
  expect(
    (await gate.turn(perform({ update: { status: 'in_progress', ...bash('make') } }, ...prints))).pushed,
  ).toEqual(['I stopped because the agent ran bash without asking: never'])
  expect(performance.now() - fromMs).toBeLessThan(stretched(4_000))
  gate.script = asks
  follow({ announcedMs: 1_000 })
  const grows = ['{"comm', '{"command": ', '{"command": "make', '{"command": "make all"}'].map((text) => ({
    wait: 300,
    update: {
      status: 'in_progress',
      kind: 'execute',
      title: 'Bash',
      content: [{ type: 'content', content: { type: 'text', text } }],
    },
  }))
  expect((await gate.turn(`${perform(...grows, { permit: { title: 'Bash' } })}\nsay done`)).pushed).toEqual([
    'done',
  ])
  expect(asked('pre_tool_call').at(-1)).toEqual({ command: 'make all' })
})

test('One that ran unasked and failed is told to hooks as well', async () => {
  const { gate, follow } = rig()
  gate.script = blocks('never')
  follow()
  expect(
    (
      await gate.turn(
        perform(
          { update: { status: 'pending', ...bash('rm x') } },
          { update: { status: 'failed', rawOutput: 'no such file' } },
        ),
      )
    ).pushed,
  ).toEqual(['I stopped because the agent ran bash without asking: never'])
})

test('A terminal that is not ours hides nothing: hooks hear of the command, with what it printed and how it ended (Codex)', async () => {
  const { gate, follow } = rig()
  follow()
  const codex = perform(
    {
      update: {
        status: 'in_progress',
        ...bash('make'),
        content: [{ type: 'terminal', terminalId: 'its own' }],
      },
    },
    {
      update: {
        status: 'completed',
        _meta: { terminal_output_delta: { data: 'broken\n' }, terminal_exit: { exit_code: 2 } },
      },
    },
  )
  const { fired } = await gate.turn(codex)
  expect(
    fired
      .filter(({ event }) => /tool_call/.test(event))
      .map(({ event, body }) => [event, body['tool_input'], body['tool_result'], body['tool_error']]),
  ).toEqual([
    ['pre_tool_call', { command: 'make' }, undefined, undefined],
    ['post_tool_call', { command: 'make' }, 'broken\n', true],
  ])
  expect(fired.find(({ event }) => event === 'on_completion_claim')?.body['tools']).toMatchObject([
    { name: 'bash', exit_code: 2 },
  ])
  gate.script = blocks('never')
  expect((await gate.turn(codex)).pushed).toEqual([
    'I stopped because the agent ran bash without asking: never',
  ])
})

/**
 * As Kimi asks for a command and runs it: the input is a text, and the shell of the terminal goes where it is
 * already.
 */
const kimi = (workspace: string, command: string): string =>
  perform(
    {
      update: {
        status: 'pending',
        title: 'Bash',
        kind: 'execute',
        content: [{ type: 'content', content: { type: 'text', text: '' } }],
      },
    },
    {
      update: {
        status: 'in_progress',
        content: [{ type: 'content', content: { type: 'text', text: JSON.stringify({ command }) } }],
      },
    },
    {
      permit: {
        title: 'Bash',
        content: [
          { type: 'content', content: { type: 'text', text: `Requesting approval to Running: ${command}` } },
        ],
      },
    },
    {
      terminal: {
        command: '/bin/bash',
        args: ['-c', `cd '${workspace}' && ${command}`],
        env: [
          { name: 'NO_COLOR', value: '1' },
          { name: 'SHELL', value: '/bin/bash' },
        ],
      },
    },
    { update: { status: 'completed' } },
  )

test('A command whose input is shown as text and that runs in our terminal is one question, about that command (Kimi)', async () => {
  const { gate, follow, asked } = rig()
  gate.script = asks
  follow()
  const { pushed, events } = await gate.turn(kimi(gate.workspace, 'echo $NO_COLOR; pwd'))
  expect(pushed.join()).toContain(`ran 1\n${gate.workspace}`)
  expect([asked('pre_tool_call'), asked('on_permission_request')]).toEqual([
    [{ command: 'echo $NO_COLOR; pwd' }],
    [{ command: 'echo $NO_COLOR; pwd' }],
  ])
  expect(events.filter((event) => event === 'post_tool_call')).toHaveLength(1)
})

test('Once it ran a command through us, one that hooks rewrite runs as rewritten', async () => {
  const { gate, follow } = rig()
  gate.script = (event, body) =>
    event === 'pre_tool_call' && JSON.stringify(body['tool_input']).includes('wild')
      ? { payload: { tool_input: { command: 'echo tame' } } }
      : undefined
  follow()
  expect((await gate.turn(kimi(gate.workspace, 'echo wild'))).pushed.join()).toContain(
    'Make this call instead: {"command":"echo tame"}',
  )
  await gate.turn(kimi(gate.workspace, 'true'))
  expect((await gate.turn(kimi(gate.workspace, 'echo wild'))).pushed.join()).toContain('ran tame')
})

test('Variables that could change what a command does are part of what is judged', async () => {
  const { gate, follow, asked } = rig()
  follow()
  await gate.turn(
    perform({
      terminal: {
        command: 'true',
        env: [
          { name: 'LD_PRELOAD', value: '/x' },
          { name: 'TERM', value: 'dumb' },
          { name: 'SHELL', value: '/x' },
        ],
      },
    }),
  )
  expect(asked('pre_tool_call')).toEqual([{ command: 'true', env: { LD_PRELOAD: '/x', SHELL: '/x' } }])
})

test('What was refused and is run all the same ends the turn, and so does what runs as it was where a hook changed it', async () => {
  const { gate, follow } = rig()
  const defy = perform(
    { permit: bash('make') },
    { update: { status: 'completed', ...bash('make') } },
  ).replace('perform', 'defy')
  gate.script = blocks('never')
  follow()
  expect((await gate.turn(defy)).pushed).toContain(
    'I stopped because the agent ran bash although the call was refused or changed',
  )
  gate.script = (event, body) =>
    event === 'pre_tool_call' && JSON.stringify(body['tool_input']).includes('make')
      ? { payload: { tool_input: { command: 'true' } } }
      : undefined
  const { pushed } = await gate.turn(`${perform({ terminal: { command: 'ls' } })}\n${defy}`)
  expect(pushed.join()).not.toContain('asked no')
  expect(pushed).toContain('I stopped because the agent ran bash although the call was refused or changed')
})

test('An agent that only hands over what it writes writes it as it was: what a hook changed is refused (OpenCode)', async () => {
  const { gate, follow } = rig()
  gate.script = (event, body) =>
    event === 'pre_tool_call' && JSON.stringify(body['tool_input']).includes('wild')
      ? { payload: { tool_input: { path: 'f', content: 'tame' } } }
      : undefined
  follow()
  expect((await gate.turn('write g calm\nedit f wild')).pushed.join()).toContain('asked no')
})

test('A request that leaves out what was told before is about that, and a search is not a file', async () => {
  const { gate, follow, asked } = rig()
  follow()
  const at = `${gate.workspace}/a.txt`
  await gate.turn(
    perform(
      {
        update: {
          status: 'pending',
          kind: 'read',
          title: 'read',
          rawInput: { filePath: at },
          locations: [{ path: at }],
        },
      },
      { permit: { kind: 'read', title: 'read', rawInput: {}, locations: [] } },
    ),
  )
  await gate.turn(
    perform({
      permit: {
        kind: 'read',
        title: 'Searching',
        rawInput: { pattern: '*.key' },
        locations: [{ path: gate.workspace }],
      },
    }),
  )
  await gate.turn(
    perform({
      permit: {
        kind: 'edit',
        title: 'Writing',
        rawInput: { path: at, content: 'x' },
        locations: [{ path: at }],
      },
    }),
  )
  await gate.turn(
    perform({ permit: { kind: 'execute', rawInput: { command: ['/bin/bash', '-lc', 'ls -a'] } } }),
  )
  expect(asked('pre_tool_call')).toEqual([
    { path: at },
    { pattern: '*.key', title: 'Searching', paths: [gate.workspace] },
    { path: at, content: 'x' },
    { command: 'ls -a' },
  ])
})

test('An agent that stops because of a refusal is told why and goes on, three times at most; then its next prompt says it', async () => {
  const { gate, follow } = rig()
  gate.script = (event, body): JsonObject | undefined => {
    if (event === 'pre_tool_call') return { verdict: 'block', reason: 'not on my machine' }
    const { messages } = body as { messages?: { content: string }[] }
    // The same again, whatever the agent is told.
    return event === 'pre_llm_call' && messages?.[0]?.content.startsWith('Your request') === true
      ? { payload: { messages: [{ role: 'user', content: 'say and again\nask make' }] } }
      : undefined
  }
  follow()
  const { pushed, events } = await gate.turn('ask make')
  expect(events.filter((event) => event === 'pre_llm_call')).toHaveLength(4)
  expect(pushed.filter((text) => text === 'I did not run bash: not on my machine')).toHaveLength(4)
  expect((await gate.turn('say next')).pushed.join()).toContain(
    '[Your request to use bash was refused: not on my machine]',
  )
})

test('A command that goes on after a cancel ends with its session, which is taken up again (Codex)', async () => {
  const { gate, follow } = rig()
  follow({}, scripted('closes'))
  await untilFollowed(gate)
  const id = gate.prompt('linger echo $$ > child.pid; exec sleep 60')
  const child = await numberIn(join(gate.workspace, 'child.pid'))
  gate.send({ type: 'cancel', channel: 'web', chat_id: 'main' })
  await gate.ended(id)
  await waitUntilGone(child)
  expect(gate.pushed).toEqual(['Stopped.'])
  expect((await gate.turn('recall')).pushed).toEqual(['loaded|recall'])
  expect((await gate.turn('recall')).pushed).toEqual(['loaded|recall|recall'])
})
