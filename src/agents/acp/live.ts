import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Reporter } from '../reporter.ts'
import type { Session } from '../session.ts'
import { createGuard, type Guard } from './guard.ts'
import { createVoice, type Voice } from './voice.ts'

/** One prompt of a person while the agent works on it. */
export interface Live {
  readonly session: Session
  readonly reporter: Reporter
  /** Aborted when the person stops the turn. */
  readonly signal: AbortSignal
  readonly guard: Guard
  readonly voice: Voice
  /** What the agent could not be told on the spot; the next prompt says it. */
  readonly later: string[]
  /** Aborted when a hook ends the turn; its reason is the hook's. */
  readonly ending: AbortController
  /** A sign of life of the agent. */
  touch(): void
  /** Works on something for the agent; it is not idle as long as that takes. */
  busy<T>(work: () => Promise<T>): Promise<T>
  /** Works on what the agent tells, in its order. Never rejects. */
  inOrder(work: () => Promise<void>): Promise<void>
  /** When everything that the agent told so far is worked on. */
  settled(): Promise<void>
  /** The tool calls that the agent told of, by its names for them. */
  readonly calls: Map<string, ToolCallUpdate>
  /** Since when the agent does nothing and nothing is done for it, in milliseconds of `performance.now`. */
  idleSince(): number
  /** Whether a tool ran in this turn. */
  hasTools: boolean
  /** What the model used up for this session so far, if the agent says so. In US dollars. */
  cost: number
}

/** More at once is no agent at work. */
const maxBusy = 64

export const createLive = (session: Session, reporter: Reporter, signal: AbortSignal, later: string[]): Live => {
  let touchedAtMs = performance.now()
  let working = 0
  let asked = 0
  const touch = (): void => {
    touchedAtMs = performance.now()
  }
  const busy: Live['busy'] = async (work) => {
    if (asked >= maxBusy) throw new Error(`Expected at most ${maxBusy} requests at once, got more. Wait for some of them.`)
    asked++
    working++
    try {
      return await work()
    } finally {
      asked--
      working--
      touch()
    }
  }
  let order: Promise<void> = Promise.resolve()
  const inOrder: Live['inOrder'] = (work) => {
    touch()
    working++
    // On abort there is nobody left to tell.
    order = order.then(work).catch(() => undefined).finally(() => {
      working--
      touch()
    })
    return order
  }
  return {
    session, reporter, signal, later, touch, busy, inOrder, settled: () => order, calls: new Map(),
    guard: createGuard(reporter, signal), voice: createVoice(reporter, signal), ending: new AbortController(),
    idleSince: () => (working > 0 ? performance.now() : touchedAtMs),
    hasTools: false, cost: 0,
  }
}
