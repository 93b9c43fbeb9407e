import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Payload } from '../../src/model/events/payload.ts'
import type { Plane } from '../plane.ts'
import { awaited, measure } from './measure.ts'
import type { Subject } from './table.ts'

export const hookScript = '#!/bin/sh\nread -r payload\necho "{}"\n'

/**
 * One approved hook asked through the gate, beside the bare start of the same script by a process that is
 * small and idle.
 */
export const measureHook = async (plane: Plane): Promise<Subject> => {
  const { gatekeeper, dispatcher } = plane.gate
  const approved = await gatekeeper.approve(
    {
      event: 'on_user_message',
      type: 'command',
      command: './hook.sh',
      args: [],
      timeoutMs: 20_000,
      onError: 'warn',
      priority: 100,
      isAsync: false,
      env: {},
      files: [],
      origin: 'config/shell_hooks.yaml',
    },
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
  const stdin = JSON.stringify(await ask())
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
  try {
    const times = await measure([{ name: 'bare spawn', sample: spawnBare }, awaited('fire', ask)], {
      rounds: 40,
      burst: 10,
      warmUps: 250,
    })
    return { name: 'one approved three-line sh hook', times }
  } finally {
    bare.kill()
    await once(bare, 'exit')
  }
}
