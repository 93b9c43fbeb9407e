import { fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemFolders } from '../../src/model/hooks/hook-world.ts'
import type { Entry } from '../../src/model/hooks/entry.ts'
import type { Plane } from '../plane.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { measure, type Contender } from './measure.ts'
import type { Subject } from './table.ts'

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
export const measureWarm = async (plane: Plane): Promise<Subject> => {
  const { gatekeeper, dispatcher } = plane.gate
  const approve = async (entry: Entry): Promise<void> => {
    const approved = await gatekeeper.approve(entry, 'memory:owner')
    if (!approved.ok) throw new Error(approved.problem.message)
  }
  await plane.script('cold.py', script)
  await plane.script('warm.py', script)
  await approve(entryOf('on_agent_switch', './cold.py'))
  await approve({ ...entryOf('on_max_iterations', './warm.py'), isWarm: true })

  const firing = (name: string, event: Entry['event']): Contender => ({
    name,
    sample: async () => {
      await sleep(restMs)
      const from = performance.now()
      const fired = await dispatcher.fire({
        agentId: 'main',
        event,
        sessionId: 'bench',
        cwd: plane.workspace,
        fields: {},
      })
      const us = (performance.now() - from) * 1000
      if (fired.kind !== 'verdict' || fired.verdict.hooks[0]?.answer?.kind !== 'abstain')
        throw new Error(`Expected the hook to abstain, got ${JSON.stringify(fired).slice(0, 500)}`)
      return us
    },
  })
  const env = { PATH: searched, LANG: 'C.UTF-8', PYTHONNOUSERSITE: '1', PYTHONDONTWRITEBYTECODE: '1' }
  const floorOf = (file: string) =>
    fork(join(import.meta.dirname, file), [join(plane.workspace, 'cold.py')], {
      cwd: plane.workspace,
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
  const [bare, waiting] = [floorOf('bare-spawn.ts'), floorOf('warm-floor.ts')]
  const asking = (name: string, floor: typeof bare): Contender => ({
    name,
    sample: async () => {
      await sleep(restMs)
      floor.send('{}')
      const [{ us, answer }] = (await once(floor, 'message')) as [{ us: number; answer: string }]
      if (answer !== '{}\n') throw new Error(`Expected {} of the ${name}, got ${JSON.stringify(answer)}.`)
      return us
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
    return { name: 'one approved python hook', times }
  } finally {
    for (const floor of [bare, waiting]) {
      // Without its channel it ends, and takes along who waits.
      floor.disconnect()
      await once(floor, 'exit')
    }
  }
}
