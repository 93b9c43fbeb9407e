import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startHookHost } from '../../src/hooks/host/host.ts'
import { systemFolders } from '../../src/model/hooks/hook-world.ts'
import { createHookEnv } from '../../src/hooks/world/hook-env.ts'
import { createProcessTransport } from '../../src/hooks/transports/process.ts'
import type { ArmedHook } from '../../src/model/hooks/entry.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { askFloor, startBeside } from './beside.ts'
import { approve, createFire, type BenchGate } from './gate.ts'
import { awaited, measure, type Measured } from './measure.ts'
import { onOneCore } from './one-core.ts'

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
export const measureProcess = (gate: BenchGate): Promise<Measured> =>
  onOneCore(async () => {
    await gate.script('resident.py', echo)
    await approve(gate, entry)
    const fire = createFire(gate, 'on_user_input', { prompt: 'Which one?' })
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
    const argv = ['python3', join(gate.workspace, 'resident.py')]
    const hook: ArmedHook = {
      fingerprint: 'bench',
      entry,
      argv,
      cwd: gate.workspace,
      workspace: gate.workspace,
      hookDir: gate.workspace,
      checkSeal: () => undefined,
    }
    const ask = async (): Promise<void> => {
      const { stdout, failure } = await transport.ask(hook, payload, { timeoutMs: 20_000, chain: [] })
      if (stdout !== '{}') throw new Error(`Expected {} of the transport, got ${failure?.detail ?? stdout}`)
    }

    const bare = await startBeside('process-floor.ts', argv, { cwd: gate.workspace, env: { PATH: searched } })
    const line = `${JSON.stringify({ id: '1', session_id: 'bench', payload })}\n`
    try {
      const times = await measure(
        [
          { name: 'bare line there and back', sample: () => askFloor(bare, line, '"answer"') },
          awaited('transport', ask),
          awaited('fire', fire),
        ],
        { rounds: 40, burst: 50, warmUps: 500 },
      )
      return { times }
    } finally {
      await bare.stop()
      await transport.stop()
      await host.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
