import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Reporter } from '../reporter.ts'
import type { Session } from '../session/session.ts'
import { createGuard, type Guard } from './calls/guard.ts'
import { createVoice, type Voice } from './voice.ts'

/** A call that is said to run and was not asked for yet. */
export interface Announced {
  readonly sinceMs: number
  /** False while its input may still be on its way. */
  readonly isWhole: boolean
  readonly timer: NodeJS.Timeout
  /** As it was said then. */
  readonly call: ToolCallUpdate
}

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
  /** Those of them that it asked permission for. */
  readonly asked: Set<string>
  /** Those of them that it says run, unasked so far; each is judged when its wait is over. */
  readonly announced: Map<string, Announced>
  /** What was refused where the protocol has no room for the reason. The agent is told when it stops. */
  readonly refused: string[]
  /** Since when the agent does nothing and nothing is done for it, in milliseconds of `performance.now`. */
  idleSince(): number
  /** Whether a tool ran in this turn. */
  hasTools: boolean
  /** What the model used up for this session so far, if the agent says so. In US dollars. */
  cost: number
}

/** More at once is no agent at work. */
const maxBusy = 64
/** What one prompt has to say of what was before it. */
const maxLater = 50

/** For the agent, `later` or when it stops: what it asked for now has no place for words. */
export const putOff = (later: string[], words: string): void => {
  if (words !== '' && later.length < maxLater && !later.includes(words)) later.push(words)
}

export const createLive = (
  session: Session,
  reporter: Reporter,
  signal: AbortSignal,
  later: string[],
): Live => {
  let touchedAtMs = performance.now()
  let working = 0
  let asked = 0
  const touch = (): void => {
    touchedAtMs = performance.now()
  }
  const busy: Live['busy'] = async (work) => {
    if (asked >= maxBusy)
      throw new Error(`Expected at most ${maxBusy} requests at once, got more. Wait for some of them.`)
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
    order = order
      .then(work)
      .catch(() => undefined)
      .finally(() => {
        working--
        touch()
      })
    return order
  }
  return {
    session,
    reporter,
    signal,
    later,
    touch,
    busy,
    inOrder,
    settled: () => order,
    calls: new Map(),
    asked: new Set(),
    announced: new Map(),
    refused: [],
    guard: createGuard(reporter, signal),
    voice: createVoice(reporter, signal),
    ending: new AbortController(),
    idleSince: () => (working > 0 ? performance.now() : touchedAtMs),
    hasTools: false,
    cost: 0,
  }
}
