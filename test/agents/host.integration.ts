import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createScriptedGate,
  type ScriptedGate,
  slow,
  toolPidsOf,
  untilFollowed,
  waitUntilGone,
} from './scripted-gate.ts'

let gate: ScriptedGate
beforeEach(async () => {
  gate = await createScriptedGate()
})
afterEach(() => gate.close())

const followed = () => untilFollowed(gate)
const toolPids = () => toolPidsOf(gate)
const here = { channel: 'web', chat_id: 'main' }

test('cancel stops the turn and its tool, all of it; the conversation goes on', async () => {
  gate.startHost()
  await followed()
  const prompt = gate.prompt(slow)
  const pids = await toolPids()
  gate.send({ type: 'cancel', ...here })
  await gate.ended(prompt)
  await Promise.all(pids.map(waitUntilGone))
  expect(gate.pushed).toEqual(['Stopped.'])
  expect(gate.fired.slice(-2).map(({ event, body }) => [event, body['reason']])).toEqual([
    ['on_step_end', 'canceled'],
    ['on_turn_end', 'canceled'],
  ])
  expect((await gate.turn('say still here')).pushed).toEqual(['still here'])
})

test('cancel does not wait for a hook that takes its time', async () => {
  gate.startHost()
  await followed()
  gate.script = (event) => (event === 'pre_tool_call' ? new Promise(() => undefined) : undefined)
  const prompt = gate.prompt('!true')
  await expect.poll(() => gate.fired.at(-1)?.event).toBe('pre_tool_call')
  gate.send({ type: 'cancel', ...here })
  await gate.ended(prompt)
  expect(gate.pushed).toEqual(['Stopped.'])
})

test('The prompts of one chat run one after another, those of two chats beside each other', async () => {
  gate.startHost()
  await followed()
  const first = gate.prompt(slow)
  await toolPids()
  const second = gate.prompt('say second')
  await gate.ended(gate.prompt('say other', 'elsewhere'))
  expect(gate.pushed).toEqual(['other'])
  gate.send({ type: 'cancel', ...here })
  await gate.ended(second)
  expect(gate.pushed).toEqual(['other', 'Stopped.', 'second'])
  const ends = gate.fired.filter(({ event }) => event === 'on_turn_end').map(({ body }) => body['prompt_id'])
  expect(ends).toEqual([expect.any(String), first, second])
})

test('new stops what runs, and what was written after it belongs to the next session', async () => {
  gate.startHost()
  await followed()
  gate.prompt(slow)
  const pids = await toolPids()
  gate.send({ type: 'new', ...here })
  await gate.ended(gate.prompt('say fresh'))
  await Promise.all(pids.map(waitUntilGone))
  const starts = gate.fired
    .filter(({ event }) => event.startsWith('on_session'))
    .map(({ event, body }) => [event, body['source'] ?? body['reason']])
  expect(starts).toEqual([
    ['on_session_start', 'startup'],
    ['on_session_end', 'clear'],
    ['on_session_start', 'clear'],
  ])
})

test('A prompt that the gate sends twice is worked on once', async () => {
  gate.startHost()
  await followed()
  const line = {
    type: 'prompt',
    prompt_id: 'same',
    ...here,
    sender_id: 'owner',
    sender_name: 'Owner',
    text: 'say once',
  } as const
  gate.send(line)
  gate.send(line)
  await gate.ended('same')
  expect((await gate.turn('say after')).pushed).toEqual(['after'])
  expect(gate.pushed).toEqual(['once', 'after'])
})

test('A tool sees nothing of the gate in its environment', async () => {
  gate.startHost()
  const { pushed } = await gate.turn('!env | cut -d= -f1 | sort | tr "\\n" " "; pwd')
  expect(pushed.join()).toMatch(/\bPATH\b.*\bTERM\b/)
  expect(pushed.join()).not.toMatch(/HOOKGATE|TOKEN|VITEST|NODE/)
  expect(pushed.join()).toContain(gate.workspace)
})

test('stop ends the host and its tools for good', async () => {
  const host = gate.startHost()
  await followed()
  gate.prompt(slow)
  const pids = [...(await toolPids()), Number(host.pid())]
  await host.stop()
  await Promise.all(pids.map(waitUntilGone))
  expect(host.pid()).toBeUndefined()
  expect(gate.exits).toEqual([])
})

test('An agent whose gate was away comes back to it by itself', async () => {
  gate.startHost()
  expect((await gate.turn('say one')).pushed).toEqual(['one'])
  await gate.restartServer()
  expect((await gate.turn('say two')).pushed).toEqual(['two'])
})
