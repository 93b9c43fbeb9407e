import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemFolders } from '../../src/model/hooks/hook-world.ts'
import { until } from '../plane.ts'
import { alive, type ProcessRow } from '../process-list.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { askFloor, startBeside } from './beside.ts'
import { approve, createFire, type BenchGate } from './gate.ts'
import { measure, single, type Contender, type Measured, type Timed } from './measure.ts'

const scripts = {
  sh: '#!/bin/sh\nread -r payload\necho "{}"\n',
  python: '#!/usr/bin/env python3\nimport json, sys\njson.load(sys.stdin)\nprint("{}")\n',
  node: '#!/usr/bin/env node\nJSON.parse(require("node:fs").readFileSync(0, "utf8"))\nconsole.log("{}")\n',
} as const
type Kind = keyof typeof scripts

/** The event of the hook for which a shell waits, and of the same hook for which none does. */
const [waitedFor, startedFor] = ['on_session_start', 'on_session_end'] as const

/** The time before each sample, in which the next shell starts. Never timed. */
const restMs = 25

/** Writes the hook of this kind and returns its command. */
const scriptOf = async (gate: BenchGate, kind: Kind): Promise<string> => {
  const file = `standby-${kind}`
  await gate.script(file, scripts[kind])
  return `./${file}`
}

/**
 * A hook for which a shell waits, unchanged and not warm, beside the bare start of the same script. All rest
 * before each question, as an agent does between two steps: without a rest no shell waits.
 */
export const measureStandby = async (gate: BenchGate, kind: Kind): Promise<Measured> => {
  const command = await scriptOf(gate, kind)
  await approve(gate, anEntry({ event: waitedFor, command }))
  // A shell changes the variable TERM, so none waits for that hook.
  await approve(gate, anEntry({ event: startedFor, command, env: { TERM: 'dumb' } }))
  const fires = createFire(gate, waitedFor, {})
  const rested = (name: string, work: () => Promise<number | object>): Contender => ({
    name,
    sample: async () => {
      await sleep(restMs)
      const from = performance.now()
      const us = await work()
      return typeof us === 'number' ? us : (performance.now() - from) * 1000
    },
  })
  // Byte for byte what the hook got, since a shell reads its stdin byte by byte.
  const stdin = JSON.stringify(await fires())
  const env = {
    PATH: [...systemFolders, dirname(process.execPath)].join(':'),
    LANG: 'C.UTF-8',
    PYTHONNOUSERSITE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const bare = await startBeside('bare-spawn.ts', [join(gate.workspace, command)], {
    cwd: gate.workspace,
    env,
  })
  try {
    const times = await measure(
      [
        rested('bare spawn', () => askFloor(bare, stdin, '{}\n')),
        rested('fire, a shell waits', fires),
        rested('fire, started for it', createFire(gate, startedFor, {})),
      ],
      { rounds: 25, burst: 5, warmUps: 20 },
    )
    return { times }
  } finally {
    await bare.stop()
  }
}

/** The processes of this process and below it. */
const family = (): readonly ProcessRow[] => {
  const all = alive()
  const below = (parent: number): readonly ProcessRow[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)])
  return below(process.pid)
}

/** What no other process shares, in bytes. */
const ownBytes = ({ pid }: ProcessRow): number => {
  const sums = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1').matchAll(/^Private_\w+:\s+(\d+) kB/gm)
  return [...sums].reduce((sum, [, kb]) => sum + Number(kb) * 1024, 0)
}

const sumOf = (name: string, bytes: readonly number[]): Timed =>
  single(name, bytes.reduce((sum, one) => sum + one, 0) / 1e6)

/** What the shells hold that wait for one hook of each kind. Shared pages count in each. */
export const measureStandbyMemory = async (gate: BenchGate): Promise<Measured> => {
  const kinds = [
    ['sh', 'on_session_start'],
    ['python', 'on_subagent_start'],
    ['node', 'pre_compact'],
  ] as const
  const fires: (() => Promise<unknown>)[] = []
  for (const [kind, event] of kinds) {
    await approve(gate, anEntry({ event, command: await scriptOf(gate, kind) }))
    fires.push(createFire(gate, event, {}))
  }
  const shells = await until('a shell that waits for each of three hooks', async () => {
    for (const fire of fires) await fire()
    await sleep(restMs)
    const waiting = family().filter(({ command }) => command.includes('declare -a SHLVL'))
    return waiting.length === kinds.length && waiting
  })
  return {
    times: [
      sumOf(
        'all that they hold',
        shells.map(({ rssMb }) => rssMb * 2 ** 20),
      ),
      sumOf('what no other process shares', shells.map(ownBytes)),
    ],
  }
}
