import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createMemory } from '../../../bots/memory/memory.ts'
import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import { createFileStore } from '../../../src/store/files.ts'
import { createCoverage } from './coverage.ts'
import { createRehearsal, type Rehearsable, type Rehearsal } from './rehearsal.ts'
import type { WayOut } from './stage.ts'
import { memoryTwin } from './twins/memory.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-coverage-'))
export const cleanUp = (): void => fs.rmSync(folder, { recursive: true, force: true })
export const filesLeft = (): readonly string[] => fs.readdirSync(folder)

/** The ports of a running bot, to which nothing of a rehearsal may come. */
export const createNotes = () => {
  const noted: string[] = []
  const note =
    (what: string) =>
    (...more: unknown[]) =>
      void noted.push([what, ...more].join(' '))
  const ports: ChannelPorts = {
    receive: note('receive'),
    isAdmitted: () => false,
    tripped: note('tripped'),
    trouble: note('trouble'),
    menu: [],
    now: Date.now,
    elapsedMs: () => performance.now(),
    log: note('log'),
  }
  return { noted, ports }
}

let count = 0
const wayOut: WayOut = createRehearsal({
  files: createFileStore(folder),
  workspace: folder,
  newId: () => `id-${++count}`,
  now: Date.now,
})

/** What coverage says of these channels, one line each. `through` puts something around the way out. */
export const cover = (
  channels: readonly Rehearsable[],
  through: (out: WayOut) => WayOut = (out) => out,
  withinMs?: number,
) => {
  const coverage = createCoverage({
    channels: () => channels,
    wayOut: through(wayOut),
    menu: [],
    now: Date.now,
    ...(withinMs === undefined ? {} : { withinMs }),
  })
  return async (): Promise<readonly string[]> =>
    (await coverage()).map(({ level, text }) => `${level} ${proseText(text)}`)
}

/** The memory channel, with something else about its rehearsal. */
export const memoryWith = (
  change: (rehearsal: Rehearsal, ports: ChannelPorts) => Rehearsal,
  seen: (ports: ChannelPorts) => ChannelPorts = (ports) => ports,
): Rehearsable => {
  const memory = createMemory(undefined, createNotes().ports)
  return {
    ...memory,
    rehearse: async (ports) => change(memoryTwin(memory, seen(ports)), ports),
  }
}

/** What came to a transport by another way, beside what came to it by its own. */
export const beside = ({ taken, ...rest }: Rehearsal) => {
  let more = ''
  const rehearsal: Rehearsal = {
    ...rest,
    taken: async () => {
      const all = `${await taken()}${more}`
      more = ''
      return all
    },
  }
  return { rehearsal, put: (text: string): void => void (more += text) }
}
