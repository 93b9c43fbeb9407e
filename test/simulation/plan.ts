import * as fc from 'fast-check'
import type { Costs } from './database.ts'

export const faultKinds = [
  'kill',
  'stop',
  'stopStandby',
  'hold',
  'refuse',
  'restart',
  'hang',
  'node',
  'putBack',
  'forge',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** After one of these the database may lack a line that it said it had. */
export const losing: ReadonlySet<FaultKind> = new Set(['putBack', 'forge'])

/** One thing that goes wrong. */
export interface Fault {
  readonly kind: FaultKind
  readonly atMs: number
  readonly forMs: number
  /** Which gate or node, and which way of going wrong, counted round. */
  readonly on: number
}

export interface Plan {
  readonly seed: number
  readonly gates: number
  readonly nodes: number
  readonly chats: number
  /** How long people and agents do something, in milliseconds. */
  readonly forMs: number
  /** The mean time between two pushes of all nodes together, and between two events. */
  readonly pushEveryMs: number
  readonly eventEveryMs: number
  readonly actEveryMs: number
  readonly faults: readonly Fault[]
  readonly costs?: Costs
  /** True: network and messenger are quick, so that only faults and the database take time. */
  readonly isCalm?: true
}

/** Something goes wrong while people and agents work. */
const faultOf = (kinds: readonly FaultKind[]): fc.Arbitrary<Fault> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    atMs: fc.nat({ max: 50_000 }),
    forMs: fc.integer({ min: 200, max: 18_000 }),
    on: fc.nat({ max: 20 }),
  })

/**
 * Plans of a small fleet in which much happens at once. A plan that breaks a law is shrunk to one with fewer
 * and shorter faults.
 */
export const smallPlans = (kinds: readonly FaultKind[]): fc.Arbitrary<Plan> =>
  fc.record({
    seed: fc.nat(),
    gates: fc.integer({ min: 2, max: 3 }),
    nodes: fc.constant(3),
    chats: fc.constant(3),
    forMs: fc.constant(60_000),
    pushEveryMs: fc.constant(150),
    eventEveryMs: fc.constant(200),
    actEveryMs: fc.constant(1500),
    faults: fc.array(faultOf(kinds), { minLength: 1, maxLength: 6 }),
  })
