import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { outside } from './outside.ts'
import { chainOf, survivorsOf, untilGone } from './processes.ts'

interface Whole {
  readonly host: number
  readonly groups: readonly number[]
  readonly folder: string
}

/** In a PID namespace what holds the host are two processes more; without one, it is the host alone. */
test.each(['the gate', 'the hook host', 'what the gate started as the hook host'])(
  'a resident, a waiting and an async program do not survive a kill -9 of %s',
  async (victim) => {
    const gate = spawn(process.execPath, [join(import.meta.dirname, 'whole-gate.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface(gate.stdout), 'line')
    const { host, groups: reported, folder } = JSON.parse(String(line)) as Whole
    const groups = reported.map(outside)
    try {
      for (const group of groups) expect(survivorsOf(group)).toHaveLength(1)
      const victims = { 'the gate': gate.pid, 'the hook host': chainOf(host).at(-1) }
      process.kill(victims[victim as keyof typeof victims] ?? host, 'SIGKILL')
      for (const group of [...groups, host]) await untilGone(group)
    } finally {
      gate.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
