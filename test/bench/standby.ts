import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemFolders } from '../../src/model/hooks/hook-world.ts'
import type { Entry } from '../../src/model/hooks/entry.ts'
import type { Payload } from '../../src/model/events/payload.ts'
import type { Plane } from '../plane.ts'
import { alive } from '../process-list.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { measure, type Contender } from './measure.ts'
import type { Subject } from './table.ts'

interface Kind {
  readonly name: string
  /** The events of the hook for which a shell waits, and of the same hook for which none does. */
  readonly events: readonly [Entry['event'], Entry['event']]
  readonly text: string
}

const kinds: readonly Kind[] = [
  {
    name: 'sh',
    events: ['on_subagent_start', 'on_turn_end'],
    text: '#!/bin/sh\nread -r payload\necho "{}"\n',
  },
  {
    name: 'python',
    events: ['on_session_start', 'on_session_end'],
    text: '#!/usr/bin/env python3\nimport json, sys\njson.load(sys.stdin)\nprint("{}")\n',
  },
  {
    name: 'node',
    events: ['pre_compact', 'post_compact'],
    text: '#!/usr/bin/env node\nJSON.parse(require("node:fs").readFileSync(0, "utf8"))\nconsole.log("{}")\n',
  },
]

/** The time before each sample, in which the next shell starts. Never timed. */
const restMs = 25

export interface StandbyFigures {
  readonly subjects: readonly Subject[]
  readonly shells: number
  /** What all shells that wait at the end hold, in megabytes of 10⁶ bytes. Shared pages count in each. */
  readonly shellsMb: number
  /** The part of it that no other process shares. */
  readonly ownMb: number
}

const entryOf = (event: Entry['event'], file: string, env: Entry['env']): Entry =>
  anEntry({ event, command: `./${file}`, env })

/**
 * A hook of each kind for which a shell waits, unchanged and not warm, beside the bare start of the same
 * script. All rest before each question, as an agent does between two steps: without a rest no shell waits.
 */
export const measureStandby = async (plane: Plane): Promise<StandbyFigures> => {
  const { gatekeeper, dispatcher } = plane.gate
  const subjects: Subject[] = []
  for (const { name, events, text } of kinds) {
    const file = `standby-${name}`
    await plane.script(file, text)
    const fires = (event: Entry['event']) => async (): Promise<Payload> => {
      const fired = await dispatcher.fire({
        agentId: 'main',
        event,
        sessionId: 'bench',
        cwd: plane.workspace,
        fields: {},
      })
      if (fired.kind !== 'verdict' || fired.verdict.hooks[0]?.answer?.kind !== 'abstain')
        throw new Error(`Expected the hook to abstain, got ${JSON.stringify(fired).slice(0, 500)}`)
      return fired.verdict.payload
    }
    const rested = (label: string, work: () => Promise<number | Payload>): Contender => ({
      name: label,
      sample: async () => {
        await sleep(restMs)
        const from = performance.now()
        const us = await work()
        return typeof us === 'number' ? us : (performance.now() - from) * 1000
      },
    })
    // A shell changes the variable TERM, so none waits for that hook.
    for (const [index, event] of events.entries()) {
      const approved = await gatekeeper.approve(
        entryOf(event, file, index === 0 ? {} : { TERM: 'dumb' }),
        'memory:owner',
      )
      if (!approved.ok) throw new Error(approved.problem.message)
    }
    const [waited, started] = [fires(events[0]), fires(events[1])]
    // Byte for byte what the hook got, since a shell reads its stdin byte by byte.
    const stdin = JSON.stringify(await waited())
    const bare = fork(join(import.meta.dirname, 'bare-spawn.ts'), [join(plane.workspace, file)], {
      cwd: plane.workspace,
      env: {
        PATH: [...systemFolders, dirname(process.execPath)].join(':'),
        LANG: 'C.UTF-8',
        PYTHONNOUSERSITE: '1',
        PYTHONDONTWRITEBYTECODE: '1',
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const spawnBare = async (): Promise<number> => {
      bare.send(stdin)
      const [{ us, answer }] = (await once(bare, 'message')) as [{ us: number; answer: string }]
      if (answer !== '{}\n') throw new Error(`Expected {} of the bare spawn, got ${JSON.stringify(answer)}.`)
      return us
    }
    try {
      const times = await measure(
        [
          rested('bare spawn', spawnBare),
          rested('fire, a shell waits', waited),
          rested('fire, started for it', started),
        ],
        { rounds: 25, burst: 5, warmUps: 20 },
      )
      subjects.push({ name: `one approved ${name} hook, rested`, times })
    } finally {
      bare.kill()
      await once(bare, 'exit')
    }
  }
  await sleep(restMs)
  const shells = alive().filter(({ command }) => command.includes('declare -a SHLVL'))
  const ownKb = shells.map(({ pid }) => {
    const sums = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1').matchAll(/^Private_\w+:\s+(\d+) kB/gm)
    return [...sums].reduce((sum, [, kb]) => sum + Number(kb), 0)
  })
  return {
    subjects,
    shells: shells.length,
    shellsMb: (shells.reduce((sum, { rssMb }) => sum + rssMb, 0) * 2 ** 20) / 1e6,
    ownMb: (ownKb.reduce((sum, kb) => sum + kb, 0) * 1024) / 1e6,
  }
}
