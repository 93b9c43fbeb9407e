import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { survivorsOf, untilGone } from './processes.ts'

interface Whole {
  readonly host: number
  readonly groups: readonly number[]
  readonly folder: string
}

test.each(['the gate', 'the hook host'])('a resident, a waiting and an async program do not survive a kill -9 of %s', async (victim) => {
  const gate = spawn(process.execPath, [join(import.meta.dirname, 'whole-gate.ts')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(gate.stdout), 'line')
  const { host, groups, folder } = JSON.parse(String(line)) as Whole
  try {
    for (const group of groups) expect(survivorsOf(group)).toHaveLength(1)
    process.kill(victim === 'the gate' ? gate.pid ?? 0 : host, 'SIGKILL')
    for (const group of [...groups, host]) await untilGone(group)
  } finally {
    gate.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})
