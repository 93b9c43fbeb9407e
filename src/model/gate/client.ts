import type { NativeEvent } from '../hooks/dialect.ts'
import type { EventName } from '../events/event.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Verdict } from '../hooks/verdict.ts'

/** The agents that stand behind the gate through `hookgate bridge`. */
export const CLIENT_NAMES = [
  'claude-code',
  'codex',
  'copilot',
  'gemini',
  'kimi',
  'docker-agent',
  'cursor',
  'opencode',
  'agent-hooks',
] as const
export type ClientName = (typeof CLIENT_NAMES)[number]

export const isClientName = (name: string): name is ClientName => CLIENT_NAMES.some((known) => known === name)

/** What one of its events is to whoever remembers a turn: what was asked, which tools ran, that it ends. */
export type Moment = 'turn_start' | 'tool_ran' | 'turn_end' | 'session_end'

/** One tool that ran, as evidence. `exitCode`: what its text says, else 0 or 1; null: nobody says. */
export interface ToolRan {
  readonly name: string
  readonly text: string
  readonly isError: boolean
  readonly exitCode: number | null
}

/** A foreign agent's own report of one event, in our terms. */
export interface NativeReport {
  readonly event: EventName
  readonly session_id: string
  readonly cwd: string
  readonly agent_id?: string
  readonly fields: JsonObject
}

/** What a foreign system needs to know of a verdict. */
export type Ruled = Pick<
  Verdict,
  'verdict' | 'isConsent' | 'reason' | 'payload' | 'contexts' | 'notes' | 'stopsTurn' | 'isParked'
>

/** An agent's program that reports its events by hooks: its names and shapes towards ours, both ways. Pure. */
export interface Client {
  readonly name: ClientName
  /** For people. */
  readonly title: string
  /** `isGate` and what matchers are tried on are said of its hooks; where this client can be refused stands in `gates.ts`. */
  readonly events: readonly NativeEvent[]
  /** It reports a command that failed as one that did not. */
  readonly hidesFailures?: true
  /** By its event's name. */
  readonly moments: Readonly<Record<string, Moment>>
  /**
   * Its stdin as our event. Only for an event that `events` maps. `wrong`: why it cannot be read; `nothing`: why this
   * one is no such moment.
   */
  read(
    native: NativeEvent,
    stdin: Json,
  ): NativeReport | { readonly wrong: string } | { readonly nothing: string }
  /**
   * Our verdict as the one JSON object that it reads at exit 0; undefined: print nothing. `asked`: the fields that
   * `read` gave, so that a rewrite can be told from what was asked about.
   */
  write(native: NativeEvent, ruled: Ruled, asked?: JsonObject): JsonObject | undefined
}
