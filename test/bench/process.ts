import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startHookHost } from '../../src/hooks/host/host.ts'
import { systemFolders } from '../../src/model/hooks/hook-world.ts'
import { createHookEnv } from '../../src/hooks/world/hook-env.ts'
import { createProcessTransport } from '../../src/hooks/transports/process.ts'
import type { ArmedHook } from '../../src/model/hooks/entry.ts'
import type { Payload } from '../../src/model/events/payload.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import type { Plane } from '../plane.ts'
import { awaited, measure } from './measure.ts'
import { onOneCore } from './one-core.ts'
import type { Subject } from './table.ts'

const searched = [...systemFolders, dirname(process.execPath)].join(':')

const echo = `import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "answer": {}}), flush=True)
`
const entry = anEntry({ event: 'on_user_input', type: 'process', command: 'python3 ./resident.py' })

/**
 * One approved resident hook, through the gate and through its transport alone, beside a bare line to and
 * from the same program.
 */
export const measureProcess = (plane: Plane): Promise<Subject> =>
  onOneCore(async () => {
    const { gatekeeper, dispatcher } = plane.gate
    await plane.script('resident.py', echo)
    const approved = await gatekeeper.approve(entry, 'memory:owner')
    if (!approved.ok) throw new Error(approved.problem.message)
    const request = {
      agentId: 'main',
      event: 'on_user_input',
      sessionId: 'bench',
      cwd: plane.workspace,
      fields: { prompt: 'Which one?' },
    } as const
    const fire = async (): Promise<Payload> => {
      const fired = await dispatcher.fire(request)
      if (fired.kind !== 'verdict' || fired.verdict.hooks[0]?.answer?.kind !== 'abstain')
        throw new Error(`Expected the hook to abstain, got ${JSON.stringify(fired).slice(0, 500)}`)
      return fired.verdict.payload
    }
    const payload = await fire()

    const folder = mkdtempSync(join(tmpdir(), 'hookgate-bench-'))
    const host = await startHookHost({ log: () => undefined })
    const transport = createProcessTransport({
      host,
      folder,
      isLive: () => true,
      log: () => undefined,
      speech: { stdin: (_hook, asked) => JSON.stringify(asked), env: () => ({}) },
      envOf: createHookEnv({ path: searched, lang: 'C.UTF-8', user: 'bench', tmpdir: '/tmp', home: '/' }),
    })
    const argv = ['python3', join(plane.workspace, 'resident.py')]
    const hook: ArmedHook = {
      fingerprint: 'bench',
      entry,
      argv,
      cwd: plane.workspace,
      workspace: plane.workspace,
      hookDir: plane.workspace,
      checkSeal: () => undefined,
    }
    const ask = async (): Promise<void> => {
      const { stdout, failure } = await transport.ask(hook, payload, { timeoutMs: 20_000, chain: [] })
      if (stdout !== '{}') throw new Error(`Expected {} of the transport, got ${failure?.detail ?? stdout}`)
    }

    const bare = fork(join(import.meta.dirname, 'process-floor.ts'), argv, {
      env: { PATH: searched },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const line = `${JSON.stringify({ id: '1', session_id: 'bench', payload })}\n`
    const askBare = async (): Promise<number> => {
      bare.send(line)
      const [{ us, answer }] = (await once(bare, 'message')) as [{ us: number; answer: string }]
      if (!answer.includes('"answer"'))
        throw new Error(`Expected an answer of the bare program, got ${JSON.stringify(answer)}.`)
      return us
    }
    try {
      const times = await measure(
        [
          { name: 'bare line there and back', sample: askBare },
          awaited('transport', ask),
          awaited('fire', fire),
        ],
        { rounds: 40, burst: 50, warmUps: 500 },
      )
      return { name: 'one approved resident python hook', times }
    } finally {
      bare.kill()
      await once(bare, 'exit')
      await transport.stop()
      await host.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
