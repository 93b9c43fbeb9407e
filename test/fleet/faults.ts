/** What goes wrong in a run. Each fault ends by itself. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Fleet, Member } from './fleet.ts'
import type { Seeded } from '../handlers/builtins/redact/seeded.ts'

export const faultKinds = ['kill', 'pause', 'reset', 'silence', 'stop', 'database'] as const
export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  readonly kind: FaultKind
  readonly on: string
  readonly atMs: number
  /** When it was over. For a kill and a stop: when the process had ended. */
  readonly endMs: number
}

const lengths: Readonly<Record<FaultKind, readonly [fromMs: number, toMs: number]>> = {
  kill: [0, 0],
  pause: [3000, 15_000],
  reset: [200, 12_000],
  silence: [200, 18_000],
  stop: [0, 0],
  database: [0, 0],
}

/** Cuts most often hit the gate that works, and now and then the one that waits. */
const targetOf = async ({ members, working }: Fleet, kind: FaultKind, random: Seeded): Promise<Member> => {
  const found = (await working()) ?? members[0]
  const other = members.find((member) => member !== found) ?? found
  const isCut = kind === 'reset' || kind === 'silence'
  return random.below(5) === 0 && isCut ? other : found
}

export interface FaultPorts {
  readonly fleet: Fleet
  readonly restartDatabase: () => Promise<void>
}

/** Does it once, and resolves when it is over. */
export const strike = async (
  { fleet, restartDatabase }: FaultPorts,
  kind: FaultKind,
  random: Seeded,
): Promise<Fault> => {
  const [leastMs, mostMs] = lengths[kind]
  const forMs = leastMs + random.below(mostMs - leastMs + 1)
  const target = await targetOf(fleet, kind, random)
  const { relay } = target
  const { child, kill, stop } = target.program()
  const atMs = performance.now()
  let endMs: number | undefined
  const begin = async (): Promise<void> => {
    await pause(random.below(3000))
    fleet.restart(target, random.below(4) === 0)
  }
  switch (kind) {
    case 'kill':
      await kill()
      endMs = performance.now()
      await begin()
      break
    case 'stop':
      await stop()
      endMs = performance.now()
      await begin()
      break
    case 'pause':
      child.kill('SIGSTOP')
      await pause(forMs)
      child.kill('SIGCONT')
      break
    case 'database':
      await restartDatabase()
      break
    case 'reset':
    case 'silence':
      if (kind === 'reset') relay.cut()
      else relay.hold()
      await pause(forMs)
      relay.restore()
  }
  return { kind, on: target.name, atMs, endMs: endMs ?? performance.now() }
}
