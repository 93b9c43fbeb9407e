import { join } from 'node:path'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import { askFloor, startBeside } from './beside.ts'
import { approve, createFire, type BenchGate } from './gate.ts'
import { bareEnv } from './hook.ts'
import { awaited, measure, type Measured } from './measure.ts'
import { onOneCore } from './one-core.ts'

/** A resident program that has no opinion. */
export const echo = `import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "answer": {}}), flush=True)
`

/** One approved resident hook, beside a bare line to and from the same program. */
export const measureProcess = (gate: BenchGate): Promise<Measured> =>
  onOneCore(async () => {
    const cwd = gate.workspace
    await gate.script('resident.py', echo)
    const command = 'python3 ./resident.py'
    await approve(gate, anEntry({ event: 'on_user_input', type: 'process', command }))
    const fire = createFire(gate, 'on_user_input', { prompt: 'Which one?' })
    const line = `${JSON.stringify({ id: '1', session_id: 'bench', payload: await fire() })}\n`
    const program = ['python3', join(cwd, 'resident.py')]
    const bare = await startBeside('process-floor.ts', program, { cwd, env: bareEnv(cwd) })
    try {
      const times = await measure(
        [
          { name: 'bare line there and back', sample: () => askFloor(bare, line, '"answer"') },
          awaited('fire', fire),
        ],
        { rounds: 40, burst: 50, warmUps: 500 },
      )
      return { times }
    } finally {
      await bare.stop()
    }
  })
