import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isAlive } from '../process-list.ts'
import { createScriptedGate, numberIn, type ScriptedGate, waitUntilGone } from './scripted-gate.ts'

let gate: ScriptedGate
beforeEach(async () => {
  gate = await createScriptedGate()
})
afterEach(() => gate.close())

const followed = () => vi.waitUntil(() => gate.isFollowed(), { timeout: 10_000, interval: 10 })
/** A command that tells its own process id and that of a child, and then takes a minute. On Linux the child has a process group of its own. */
const slow = `!${process.platform === 'linux' ? 'set -m; ' : ''}sleep 60 & echo $! > child.pid; echo $$ > tool.pid; wait`
const toolPids = async (): Promise<number[]> => [await numberIn(join(gate.workspace, 'tool.pid')), await numberIn(join(gate.workspace, 'child.pid'))]
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
  await vi.waitUntil(() => gate.fired.at(-1)?.event === 'pre_tool_call', { timeout: 10_000 })
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
  const starts = gate.fired.filter(({ event }) => event.startsWith('on_session')).map(({ event, body }) => [event, body['source'] ?? body['reason']])
  expect(starts).toEqual([
    ['on_session_start', 'startup'],
    ['on_session_end', 'clear'],
    ['on_session_start', 'clear'],
  ])
})

test('A prompt that the gate sends twice is worked on once', async () => {
  gate.startHost()
  await followed()
  const line = { type: 'prompt', prompt_id: 'same', ...here, sender_id: 'owner', sender_name: 'Owner', text: 'say once' } as const
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

test('A host that is killed leaves no tool behind, is told about, and is started again', async () => {
  const host = gate.startHost()
  await followed()
  gate.prompt(slow)
  const pids = await toolPids()
  const killed = Number(host.pid())
  process.kill(killed, 'SIGKILL')
  await Promise.all(pids.map(waitUntilGone))
  await vi.waitUntil(() => gate.exits.length === 1, { timeout: 10_000 })
  expect(gate.exits).toEqual([{ agentId: 'main', signal: 'SIGKILL', restartInMs: 0 }])
  await vi.waitUntil(() => host.pid() !== undefined && host.pid() !== killed, { timeout: 10_000 })
  expect((await gate.turn('say again')).pushed).toEqual(['again'])
})

test('A host that dies again and again is started at growing intervals', async () => {
  const host = gate.startHost()
  for (const deaths of [1, 2, 3]) {
    await vi.waitUntil(() => host.pid() !== undefined, { timeout: 5_000 })
    process.kill(Number(host.pid()), 'SIGKILL')
    await vi.waitUntil(() => gate.exits.length === deaths, { timeout: 10_000 })
  }
  expect(gate.exits.map(({ restartInMs }) => restartInMs)).toEqual([0, 200, 1_000])
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

test('stop ends a host that does not answer', async () => {
  const host = gate.startHost()
  await followed()
  const pid = Number(host.pid())
  process.kill(pid, 'SIGSTOP')
  await host.stop()
  expect(isAlive(pid)).toBe(false)
})

test('A gate that is killed leaves no host and no tool behind', async () => {
  const starter = spawn(process.execPath, [fileURLToPath(new URL('./starter.ts', import.meta.url)), gate.socketPath, gate.workspace], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(starter.stdout, 'data')) as [Buffer]
  await followed()
  gate.prompt(slow)
  const pids = [...(await toolPids()), Number(line.toString())]
  expect(pids.map(isAlive)).toEqual([true, true, true])
  starter.kill('SIGKILL')
  await Promise.all(pids.map(waitUntilGone))
})

test('An agent whose gate was away comes back to it by itself', async () => {
  gate.startHost()
  expect((await gate.turn('say one')).pushed).toEqual(['one'])
  await gate.restartServer()
  expect((await gate.turn('say two')).pushed).toEqual(['two'])
})
