import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemFolders } from '../../src/model/hooks/hook-world.ts'
import type { Entry } from '../../src/model/hooks/entry.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { askFloor, startBeside, type Beside } from './beside.ts'
import { approve, createFire, type BenchGate } from './gate.ts'
import { measure, type Contender, type Measured } from './measure.ts'

const searched = [...systemFolders, dirname(process.execPath)].join(':')

const script = `#!/usr/bin/env python3
import json, sys
json.load(sys.stdin)
print("{}")
`
/**
 * Longer than the interpreter's start: an instance that is asked before it waits is no warm one. Never timed.
 */
const restMs = 80

const entryOf = (event: Entry['event'], command: string): Entry => anEntry({ event, command })

/**
 * A python hook asked through the gate, started for the question and waiting for it, beside the same two done
 * bare. Most of what a waiting one takes is its interpreter's way out: the exit code is part of the answer.
 */
export const measureWarm = async (gate: BenchGate): Promise<Measured> => {
  await gate.script('cold.py', script)
  await gate.script('warm.py', script)
  await approve(gate, entryOf('on_agent_switch', './cold.py'))
  await approve(gate, { ...entryOf('on_max_iterations', './warm.py'), isWarm: true })

  const firing = (name: string, event: Entry['event']): Contender => {
    const fire = createFire(gate, event, {})
    return {
      name,
      sample: async () => {
        await sleep(restMs)
        const from = performance.now()
        await fire()
        return (performance.now() - from) * 1000
      },
    }
  }
  const cwd = gate.workspace
  const env = { PATH: searched, LANG: 'C.UTF-8', PYTHONNOUSERSITE: '1', PYTHONDONTWRITEBYTECODE: '1' }
  const floorOf = (file: string): Promise<Beside> => startBeside(file, [join(cwd, 'cold.py')], { cwd, env })
  const [bare, waiting] = [await floorOf('bare-spawn.ts'), await floorOf('warm-floor.ts')]
  const asking = (name: string, floor: Beside): Contender => ({
    name,
    sample: async () => {
      await sleep(restMs)
      return askFloor(floor, '{}', '{}\n')
    },
  })
  try {
    const times = await measure(
      [
        asking('bare spawn', bare),
        asking('bare, waiting at its stdin', waiting),
        firing('fire, cold', 'on_agent_switch'),
        firing('fire, warm', 'on_max_iterations'),
      ],
      { rounds: 15, burst: 3, warmUps: 5 },
    )
    return { times }
  } finally {
    await bare.stop()
    await waiting.stop()
  }
}
