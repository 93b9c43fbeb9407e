import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Reporter } from '../reporter.ts'
import type { Session } from '../session/session.ts'
import { createGuard, type Guard } from './calls/guard.ts'
import { createOutputText, type OutputText } from './voice.ts'

/** A call that the agent reports as running and has not asked permission for yet. */
export interface Announced {
  readonly sinceMs: number
  /** False while its input may be incomplete. */
  readonly isWhole: boolean
  readonly timer: NodeJS.Timeout
  /** The call as it was reported at that time. */
  readonly call: ToolCallUpdate
}

/** The state of one prompt of a person while the agent works on it. */
export interface Live {
  readonly session: Session
  readonly reporter: Reporter
  /** Aborted when the person stops the turn. */
  readonly signal: AbortSignal
  readonly guard: Guard
  readonly voice: OutputText
  /** Texts for the agent that the protocol had no place for. The next prompt contains them. */
  readonly later: string[]
  /** Aborted when a hook ends the turn. The reason is the hook's reason. */
  readonly ending: AbortController
  /** Notes that the agent sent something. */
  touch(): void
  /** Runs a request of the agent. The agent is not idle during it. */
  busy<T>(work: () => Promise<T>): Promise<T>
  /** Handles the agent's reports in their order. Never rejects. */
  inOrder(work: () => Promise<void>): Promise<void>
  /** Resolves when all reports so far are handled. */
  settled(): Promise<void>
  /** The tool calls that the agent reported, by the agent's ids. */
  readonly calls: Map<string, ToolCallUpdate>
  /** Ids of the calls that the agent asked permission for. */
  readonly asked: Set<string>
  /** Calls that the agent reports as running without having asked. Each is judged when its wait is over. */
  readonly announced: Map<string, Announced>
  /** Refusals whose reason the protocol has no place for. The agent is told when it stops. */
  readonly refused: string[]
  /**
   * The time since which the agent sent nothing and no request of it is running, in milliseconds of
   * `performance.now`.
   */
  idleSince(): number
  /** True when a tool ran in this turn. */
  hasTools: boolean
  /** The cost of this session so far in US dollars, if the agent reports it. */
  cost: number
}

/** The most requests at once. A working agent never sends more. */
const maxBusy = 64
/** The most earlier texts that one prompt contains. */
const maxLater = 50

/**
 * Adds a text for the agent to a list that it is told later, because the answer to its present request has no
 * place for a text.
 */
export const tellLater = (later: string[], words: string): void => {
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
    // After an abort nobody needs the result.
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
    voice: createOutputText(reporter, signal),
    ending: new AbortController(),
    idleSince: () => (working > 0 ? performance.now() : touchedAtMs),
    hasTools: false,
    cost: 0,
  }
}
