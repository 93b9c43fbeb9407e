import { setTimeout as delay } from 'node:timers/promises'
import { childAs } from './as-agent.ts'
import { runAttack } from './attack.ts'
import type { AsAgent } from './attacker.ts'
import { createFacts, hasDebugger } from './facts.ts'
import type { Forgery } from './forgery.ts'
import { startInstance, type Instance, type InstancePorts } from './gate/instance.ts'
import { differences, type AttackResult } from './judge.ts'

/** In milliseconds. It is longer than the gate needs to notice a changed file. */
const noticedAfterMs = 700

export interface Attacked {
  readonly results: readonly AttackResult[]
  /** The differences between the gate before and after the attack, in words. */
  readonly left: readonly string[]
}

export interface AttackChoice {
  /** Absent: every forgery is tried. */
  readonly only?: (forgery: Forgery) => boolean
  readonly progress?: (judged: AttackResult) => void
  /** Ends the attack early. The attacked gate is still removed. */
  readonly signal?: AbortSignal
}

const attack = async (
  instance: Instance,
  { mode }: InstancePorts,
  { only, progress }: AttackChoice,
): Promise<Attacked> => {
  const facts = createFacts({ ...instance, hasDebugger: () => hasDebugger(instance.gatePid()) })
  const before = await facts()
  // A sandbox is built from the files that exist at that time, so it is built again for each process.
  const asAgent: AsAgent = async (argv) => childAs(instance.workspace, await mode.agentAs(instance))(argv)
  const results = await runAttack(
    { ...instance, asAgent, facts, look: () => delay(noticedAfterMs) },
    { only, progress },
  )
  return { results, left: differences(before, await facts(), { hasRestarted: true }) }
}

/** Rejects when the signal aborts. */
const aborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(new Error('The attack was stopped early.'))
    if (signal?.aborted === true) end()
    signal?.addEventListener('abort', end, { once: true })
  })

/** Starts a separate gate, tries the forgeries on it and removes it. Rejects when the gate does not start. */
export const attackOwnGate = async (ports: InstancePorts, choice: AttackChoice = {}): Promise<Attacked> => {
  const { mode } = ports
  const instance = await startInstance(ports).catch((error: unknown) => {
    mode.remove()
    throw error
  })
  try {
    return await Promise.race([attack(instance, ports, choice), aborted(choice.signal)])
  } finally {
    await instance.remove()
    mode.remove()
  }
}
