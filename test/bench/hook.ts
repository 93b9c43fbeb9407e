import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import { askFloor, startBeside } from './beside.ts'
import { approve, createFire, type BenchGate } from './gate.ts'
import { measure, type Contender, type Measured } from './measure.ts'
import { startPeer, withoutPeer } from './peer.ts'

export const hookScript = '#!/bin/sh\nread -r payload\necho "{}"\n'

/** As many variables for a program to take over as a hook gets. */
export const bareEnv = (hookDir: string): Readonly<Record<string, string>> => ({
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
  LANG: process.env['LANG'] ?? 'C.UTF-8',
  TMPDIR: '/tmp',
  USER: 'bench',
  HOME: '/',
  TZ: 'UTC',
  PYTHONNOUSERSITE: '1',
  PYTHONDONTWRITEBYTECODE: '1',
  HOOKGATE_HOOK_DIR: hookDir,
  HOOKGATE_EVENT: 'on_user_message',
  HOOKGATE_CHAIN: '',
})

/** Rests so long before each sample, and times only the work, unless the work says what it took itself. */
export const rested = (name: string, restMs: number, work: () => Promise<number | object>): Contender => ({
  name,
  sample: async () => {
    if (restMs > 0) await sleep(restMs)
    const from = performance.now()
    const us = await work()
    return typeof us === 'number' ? us : (performance.now() - from) * 1000
  },
})

/**
 * One approved hook asked through the gate, beside the bare start of the same script by a process that is
 * small and idle, and beside the hook runner of Gemini CLI. While all rest, a shell starts that waits for the
 * hook, as between two steps of an agent.
 */
export const measureHook = async (gate: BenchGate, restMs: number): Promise<Measured> => {
  await gate.script('hook.sh', hookScript)
  await approve(gate, anEntry({ event: 'on_user_message', command: './hook.sh' }))
  const fire = createFire(gate, 'on_user_message', {
    message: 'Please publish the site.',
    channel: 'memory',
    sender_id: 'owner',
    kind: 'message',
  })
  // Byte for byte what the hook got, since a shell reads its stdin byte by byte.
  const input = await fire()
  const stdin = JSON.stringify(input)
  const cwd = gate.workspace
  const bare = await startBeside('bare-spawn.ts', [join(cwd, 'hook.sh')], { cwd, env: bareEnv(cwd) })
  const peer = await startPeer(cwd)
  const run = { kind: 'run', command: './hook.sh', timeoutMs: 20_000, input } as const
  const contenders = [
    rested('bare spawn', restMs, () => askFloor(bare, stdin, '{}\n')),
    rested('fire', restMs, fire),
    ...(peer === undefined ? [] : [rested('Gemini CLI', restMs, () => peer.ask(run))]),
  ]
  try {
    const times = await measure(
      contenders,
      restMs === 0 ? { rounds: 40, burst: 10, warmUps: 250 } : { rounds: 25, burst: 5, warmUps: 20 },
    )
    return { times, note: peer === undefined ? withoutPeer : undefined }
  } finally {
    await peer?.stop()
    await bare.stop()
  }
}
