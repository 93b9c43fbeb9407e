import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { fixed, prose, type Prose } from '../../../src/core/model/chat/prose.ts'
import type { Finding } from '../../../src/doctor/check.ts'
import { tryForm } from './forms.ts'
import type { Rehearsable } from './rehearsal.ts'
import { createStage, type WayOut } from './stage.ts'
import { tryWays } from './ways.ts'

/** For all of one channel, in milliseconds. A small computer that does much else takes seconds. */
const usuallyMs = 10_000
const remedy = ' → Disconnect it until that is mended.'

export interface CoveragePorts {
  channels(): Iterable<Rehearsable>
  readonly wayOut: WayOut
  readonly menu: ChannelPorts['menu']
  now(): number
  /** For all of one channel, in milliseconds. Absent: ten seconds. */
  readonly withinMs?: number
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const examine = async (
  channel: Rehearsable,
  { wayOut, menu, now }: CoveragePorts,
  isOver: () => boolean,
): Promise<readonly Finding[]> => {
  const found: Finding[] = []
  const say = (level: Finding['level'], text: Prose | string): void =>
    void found.push({
      level,
      text: prose`${fixed(channel.name)} · ${typeof text === 'string' ? fixed(text) : text}`,
    })
  const stage = await createStage(channel, wayOut, menu, now)
  if (stage === undefined) return [{ level: 'warn', text: fixed(`${channel.name} · cannot be rehearsed`) }]
  let held = 0
  for (const form of channel.forms) {
    if (isOver()) return found
    const end = await tryForm(stage, form)
    if (end.kind === 'held') held += 1
    else if (end.kind === 'leaks') say('bad', `${form}: ${end.why}.${remedy}`)
    else say('warn', prose`${fixed(form)}: not tried: ${end.why}`)
  }
  if (held > 0) say('ok', `${counted(held, 'form')} judged whole`)
  const ways = await tryWays(stage)
  for (const { way, why } of ways) if (why !== undefined) say('bad', `${way}: ${why}.${remedy}`)
  const closed = ways.filter(({ why }) => why === undefined).length
  if (closed > 0) say('ok', `${counted(closed, 'way')} round held`)
  return found
}

const withinTime = async (channel: Rehearsable, ports: CoveragePorts): Promise<readonly Finding[]> => {
  const { withinMs = usuallyMs } = ports
  const { promise: late, resolve } = Promise.withResolvers<readonly Finding[]>()
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    resolve([
      { level: 'bad', text: fixed(`${channel.name} · not done within ${withinMs / 1000} s. Try again.`) },
    ])
  }, withinMs)
  const failed = (error: unknown): readonly Finding[] => [
    {
      level: 'bad',
      text: prose`${fixed(channel.name)} · not tried: ${error instanceof Error ? error.message : 'it failed'}`,
    },
  ]
  try {
    return await Promise.race([examine(channel, ports, () => isOver).catch(failed), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Whether all that a connected channel can send is judged as it leaves: a canary in every text of every form,
 * through the way out and the bot's own code over a transport that only records, and then by every way around
 * the door. No hook runs, nothing is recorded, and nothing leaves. Asked twice at a time, it runs once.
 */
export const createCoverage = (ports: CoveragePorts): (() => Promise<readonly Finding[]>) => {
  let running: Promise<readonly Finding[]> | undefined
  const run = async (): Promise<readonly Finding[]> => {
    const found: Finding[] = []
    for (const channel of ports.channels()) found.push(...(await withinTime(channel, ports)))
    return found
  }
  return () => (running ??= run().finally(() => (running = undefined)))
}
