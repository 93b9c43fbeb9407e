import { join } from 'node:path'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import { askFloor, startBeside, type Beside } from './beside.ts'
import { approve, createFire, type BenchGate } from './gate.ts'
import { bareEnv, rested } from './hook.ts'
import { measure, type Measured } from './measure.ts'

const script = `#!/usr/bin/env python3
import json, sys
json.load(sys.stdin)
print("{}")
`
/**
 * Longer than the interpreter's start: an instance that is asked before it waits is no warm one. Never timed.
 */
const restMs = 80

/**
 * A python hook whose interpreter waits for the question, beside a bare start for the question, and beside
 * one that waits bare. Most of what a waiting one takes is its way out: the exit code is part of the answer.
 */
export const measureWarm = async (gate: BenchGate): Promise<Measured> => {
  await gate.script('warm.py', script)
  await approve(gate, { ...anEntry({ event: 'on_max_iterations', command: './warm.py' }), isWarm: true })
  const cwd = gate.workspace
  const floorOf = (file: string): Promise<Beside> =>
    startBeside(file, [join(cwd, 'warm.py')], { cwd, env: bareEnv(cwd) })
  const [bare, waiting] = [await floorOf('bare-spawn.ts'), await floorOf('warm-floor.ts')]
  try {
    const times = await measure(
      [
        rested('bare spawn', restMs, () => askFloor(bare, '{}', '{}\n')),
        rested('bare, waiting at its stdin', restMs, () => askFloor(waiting, '{}', '{}\n')),
        rested('fire, warm', restMs, createFire(gate, 'on_max_iterations', {})),
      ],
      { rounds: 15, burst: 3, warmUps: 5 },
    )
    return { times }
  } finally {
    await bare.stop()
    await waiting.stop()
  }
}
