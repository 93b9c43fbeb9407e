import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isAlive } from '../process-list.ts'
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

test('A host that is killed leaves no tool behind, is told about, and is started again', async () => {
  const host = gate.startHost()
  await followed()
  gate.prompt(slow)
  const pids = await toolPids()
  const killed = Number(host.pid())
  process.kill(killed, 'SIGKILL')
  await Promise.all(pids.map(waitUntilGone))
  await expect.poll(() => gate.exits).toHaveLength(1)
  expect(gate.exits).toEqual([{ agentId: 'main', signal: 'SIGKILL', restartInMs: 0 }])
  await expect.poll(() => host.pid() !== undefined && host.pid() !== killed).toBe(true)
  expect((await gate.turn('say again')).pushed).toEqual(['again'])
})

test('A host that dies again and again is started at growing intervals', async () => {
  const host = gate.startHost()
  for (const deaths of [1, 2, 3]) {
    await expect.poll(() => host.pid()).toBeDefined()
    process.kill(Number(host.pid()), 'SIGKILL')
    await expect.poll(() => gate.exits).toHaveLength(deaths)
  }
  expect(gate.exits.map(({ restartInMs }) => restartInMs)).toEqual([0, 200, 1_000])
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
  const starter = spawn(
    process.execPath,
    [fileURLToPath(new URL('./starter.ts', import.meta.url)), gate.socketPath, gate.workspace],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(starter.stdout, 'data')) as [Buffer]
  await followed()
  gate.prompt(slow)
  const pids = [...(await toolPids()), Number(line.toString())]
  expect(pids.map(isAlive)).toEqual([true, true, true])
  starter.kill('SIGKILL')
  await Promise.all(pids.map(waitUntilGone))
})
