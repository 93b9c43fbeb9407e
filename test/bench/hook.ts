import { join } from 'node:path'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { askFloor, startBeside } from './beside.ts'
import { approve, createFire, type BenchGate } from './gate.ts'
import { awaited, measure, type Measured } from './measure.ts'
import { startPeer, withoutPeer } from './peer.ts'

/** It leaves a process behind that holds its output open, and does not answer in time. */
const slowScript = '#!/bin/sh\nsleep 3 &\nsleep 3\n'
const limitMs = 1000

export const hookScript = '#!/bin/sh\nread -r payload\necho "{}"\n'

/**
 * One approved hook asked through the gate, beside the bare start of the same script by a process that is
 * small and idle, and beside the hook runner of Gemini CLI.
 */
export const measureHook = async (gate: BenchGate): Promise<Measured> => {
  await gate.script('hook.sh', hookScript)
  await approve(gate, anEntry({ event: 'on_user_message', command: './hook.sh' }))
  const ask = createFire(gate, 'on_user_message', {
    message: 'Please publish the site.',
    channel: 'memory',
    sender_id: 'owner',
    kind: 'message',
  })
  // Byte for byte what the hook got, since a shell reads its stdin byte by byte; and as many variables for it
  // to take over.
  const input = await ask()
  const stdin = JSON.stringify(input)
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    TMPDIR: '/tmp',
    USER: 'bench',
    HOME: '/',
    TZ: 'UTC',
    PYTHONNOUSERSITE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    HOOKGATE_HOOK_DIR: gate.workspace,
    HOOKGATE_EVENT: 'on_user_message',
    HOOKGATE_CHAIN: '',
  }
  const cwd = gate.workspace
  const bare = await startBeside('bare-spawn.ts', [join(cwd, 'hook.sh')], { cwd, env })
  const peer = await startPeer(cwd)
  const contenders = [
    { name: 'bare spawn', sample: () => askFloor(bare, stdin, '{}\n') },
    awaited('fire', ask),
    ...(peer === undefined
      ? []
      : [
          {
            name: 'Gemini CLI',
            sample: () => peer.ask({ kind: 'run', command: './hook.sh', timeoutMs: 20_000, input }),
          },
        ]),
  ]
  try {
    const times = await measure(contenders, { rounds: 40, burst: 10, warmUps: 250 })
    return { times, ...(peer === undefined ? { note: withoutPeer } : {}) }
  } finally {
    await peer?.stop()
    await bare.stop()
  }
}

/**
 * A hook with a time limit of one second, which it and a process that it started exceed: how long it takes
 * until the verdict.
 */
export const measureTimeout = async (gate: BenchGate): Promise<Measured> => {
  await gate.script('slow.sh', slowScript)
  await approve(gate, anEntry({ command: './slow.sh', timeoutMs: limitMs }))
  const ask = createFire(
    gate,
    'pre_tool_call',
    { tool_name: 'bash', tool_input: { command: 'ls' }, tool_use_id: 'call-1' },
    ({ answer }) => answer?.fault !== undefined,
  )
  const cwd = gate.workspace
  const peer = await startPeer(cwd)
  const input = { session_id: 'bench', cwd }
  const contenders = [
    awaited('fire', ask),
    ...(peer === undefined
      ? []
      : [
          {
            name: 'Gemini CLI',
            sample: () => peer.ask({ kind: 'run', command: './slow.sh', timeoutMs: limitMs, input }, false),
          },
        ]),
  ]
  try {
    const times = await measure(contenders, { rounds: 3, burst: 1, warmUps: 0 })
    return { times, ...(peer === undefined ? { note: withoutPeer } : {}) }
  } finally {
    await peer?.stop()
  }
}
