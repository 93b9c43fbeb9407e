import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Payload } from '../../src/model/events/payload.ts'
import type { Plane } from '../plane.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { awaited, measure } from './measure.ts'
import { startPeer } from './peer.ts'
import type { Subject } from './table.ts'

/** It leaves a process behind that holds its output open, and does not answer in time. */
export const slowScript = '#!/bin/sh\nsleep 3 &\nsleep 3\n'
const limitMs = 1000

export const hookScript = '#!/bin/sh\nread -r payload\necho "{}"\n'

/**
 * One approved hook asked through the gate, beside the bare start of the same script by a process that is
 * small and idle, and beside the hook runner of Gemini CLI.
 */
export const measureHook = async (plane: Plane): Promise<Subject> => {
  const { gatekeeper, dispatcher } = plane.gate
  const approved = await gatekeeper.approve(
    anEntry({ event: 'on_user_message', command: './hook.sh' }),
    'memory:owner',
  )
  if (!approved.ok) throw new Error(approved.problem.message)
  const fields = {
    message: 'Please publish the site.',
    channel: 'memory',
    sender_id: 'owner',
    kind: 'message',
  }
  const request = {
    agentId: 'main',
    event: 'on_user_message',
    sessionId: 'bench',
    cwd: plane.workspace,
    fields,
  } as const

  const ask = async (): Promise<Payload> => {
    const fired = await dispatcher.fire(request)
    if (fired.kind !== 'verdict' || fired.verdict.hooks[0]?.answer?.kind !== 'abstain')
      throw new Error(`Expected the hook to abstain, got ${JSON.stringify(fired).slice(0, 500)}`)
    return fired.verdict.payload
  }
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
    HOOKGATE_HOOK_DIR: plane.workspace,
    HOOKGATE_EVENT: 'on_user_message',
    HOOKGATE_CHAIN: '',
  }
  const bare = fork(join(import.meta.dirname, 'bare-spawn.ts'), [join(plane.workspace, 'hook.sh')], {
    cwd: plane.workspace,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const spawnBare = async (): Promise<number> => {
    bare.send(stdin)
    const [{ us, answer }] = (await once(bare, 'message')) as [{ us: number; answer: string }]
    if (answer !== '{}\n') throw new Error(`Expected {} of the bare spawn, got ${JSON.stringify(answer)}.`)
    return us
  }
  const peer = await startPeer(plane.workspace)
  const askPeer = (): Promise<number> =>
    peer.ask({ kind: 'run', command: './hook.sh', timeoutMs: 20_000, input })
  try {
    const times = await measure(
      [
        { name: 'bare spawn', sample: spawnBare },
        awaited('fire', ask),
        { name: 'Gemini CLI', sample: askPeer },
      ],
      { rounds: 40, burst: 10, warmUps: 250 },
    )
    return { name: 'one approved three-line sh hook', times }
  } finally {
    await peer.stop()
    bare.kill()
    await once(bare, 'exit')
  }
}

/**
 * A hook with a time limit of one second, which it and a process that it started exceed: how long it takes
 * until the verdict.
 */
export const measureTimeout = async (plane: Plane): Promise<Subject> => {
  const { gatekeeper, dispatcher } = plane.gate
  const entry = anEntry({ command: './slow.sh', timeoutMs: limitMs })
  const approved = await gatekeeper.approve(entry, 'memory:owner')
  if (!approved.ok) throw new Error(approved.problem.message)
  const fields = { tool_name: 'bash', tool_input: { command: 'ls' }, tool_use_id: 'call-1' }
  const request = {
    agentId: 'main',
    event: 'pre_tool_call',
    sessionId: 'bench',
    cwd: plane.workspace,
    fields,
  } as const
  const ask = async (): Promise<unknown> => {
    const fired = await dispatcher.fire(request)
    if (fired.kind !== 'verdict' || fired.verdict.hooks.every(({ answer }) => answer?.fault === undefined))
      throw new Error(`Expected the hook to be late, got ${JSON.stringify(fired).slice(0, 500)}`)
    return fired
  }
  const peer = await startPeer(plane.workspace)
  const input = { session_id: 'bench', cwd: plane.workspace }
  const askPeer = (): Promise<number> =>
    peer.ask({ kind: 'run', command: './slow.sh', timeoutMs: limitMs, input }, false)
  try {
    const times = await measure([awaited('fire', ask), { name: 'Gemini CLI', sample: askPeer }], {
      rounds: 3,
      burst: 1,
      warmUps: 0,
    })
    return { name: 'a hook and its child, late by two seconds at a limit of one', times }
  } finally {
    await peer.stop()
    await gatekeeper.revoke(approved.approval.fingerprint, 'memory:owner')
  }
}
