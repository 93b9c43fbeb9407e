import { childAs } from '../../src/doctor/attack/as-agent.ts'
import type { AsAgent } from '../../src/doctor/attack/attacker.ts'
import { runAttack } from '../../src/doctor/attack/attack.ts'
import { createFacts, hasDebugger, type Facts } from '../../src/doctor/attack/facts.ts'
import type { Forgery } from '../../src/doctor/attack/forgery.ts'
import { differences, type AttackResult } from '../../src/doctor/attack/judge.ts'
import { startInstance } from './instance.ts'
import { modes, type ModeName } from './modes.ts'

/** Longer than it takes the gate to notice a changed file, in milliseconds. */
const noticedAfterMs = 700

export interface Tried {
  readonly results: readonly AttackResult[]
  /** How the instance differs in the end from what it was, in words. */
  readonly left: readonly string[]
}

/** Tries the forgeries, or those that fit, against a gate of its own. */
export const tryAll = async (
  name: ModeName,
  {
    only,
    progress,
  }: { only?: (forgery: Forgery) => boolean; progress?: (judged: AttackResult) => void } = {},
): Promise<Tried> => {
  const mode = modes[name]()
  const instance = await startInstance(mode).catch((error: unknown) => {
    mode.remove()
    throw error
  })
  try {
    const facts = createFacts({ ...instance, hasDebugger: () => hasDebugger(instance.gatePid()) })
    const before: Facts = await facts()
    /** Found anew each time: a sandbox is made around what stands there. */
    const asAgent: AsAgent = (argv) => childAs(instance.workspace, mode.startAs(instance))(argv)
    const results = await runAttack(
      {
        ...instance,
        asAgent,
        facts,
        look: () => new Promise((done) => setTimeout(done, noticedAfterMs)),
        now: Date.now,
      },
      { ...(only === undefined ? {} : { only }), ...(progress === undefined ? {} : { progress }) },
    )
    return { results, left: differences(before, await facts(), { hasRestarted: true }) }
  } finally {
    await instance.remove()
    mode.remove()
  }
}
