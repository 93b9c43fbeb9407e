import type { NativeEvent } from '../hooks/dialect.ts'
import type { EventName } from '../../core/model/events/event.ts'
import type { Json, JsonObject } from '../../core/model/base/json.ts'
import type { Verdict } from '../../core/model/hooks/verdict.ts'

/** The agents that connect to the gate through `hookgate bridge`. */
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
  'responsibleai-agent-hooks',
] as const

export type ClientName = (typeof CLIENT_NAMES)[number]

export const isClientName = (name: string): name is ClientName => CLIENT_NAMES.some((known) => known === name)

/** The role of a client's event in a turn, for the service that remembers turns. */
export type LifecyclePoint = 'turn_start' | 'tool_ran' | 'turn_end' | 'session_end'

export interface ClientEvent extends NativeEvent {
  readonly moment?: LifecyclePoint
}

/** One tool that ran, as evidence. `exitCode`: the code that its text states, else 0 or 1. Null: unknown. */
export interface ToolRan {
  readonly name: string
  readonly text: string
  readonly isError: boolean
  readonly exitCode: number | null
}

/** The report of one event by a foreign agent, in our terms. */
export interface NativeReport {
  readonly event: EventName
  readonly session_id: string
  readonly cwd: string
  readonly agent_id?: string
  readonly fields: JsonObject
}

/** The fields of a verdict that a foreign system needs. */
export type Ruled = Pick<
  Verdict,
  | 'verdict'
  | 'isConsent'
  | 'reason'
  | 'payload'
  | 'contexts'
  | 'notes'
  | 'stopsTurn'
  | 'isParked'
  | 'answered'
>

/**
 * An agent program that reports its events through hooks. It translates names and shapes in both directions.
 * Pure.
 */
export interface Client {
  /** The name that people read. */
  readonly title: string
  /**
   * The events that the client reports. `isGate` and `matches` describe its hooks. `gates.ts` lists where the
   * client accepts a refusal.
   */
  readonly events: readonly ClientEvent[]
  /** The client reports a failed command as a successful one. */
  readonly hidesFailures?: true
  /** Its question tool takes answers as an argument. Others get them as the reason of a refusal. */
  readonly answersAsArgument?: true
  /**
   * Reads the client's stdin as our event. Only for an event that `events` maps. `wrong`: the reason why it
   * cannot be read. `nothing`: the reason why this report is not such an event.
   */
  read(
    native: NativeEvent,
    stdin: Json,
  ): NativeReport | { readonly wrong: string } | { readonly nothing: string }
  /**
   * Writes our verdict as the single JSON object that the client reads at exit code 0. Undefined: print
   * nothing. `asked`: the fields that `read` returned, used to detect a rewrite.
   */
  write(native: NativeEvent, ruled: Ruled, asked?: JsonObject): JsonObject | undefined
}

/**
 * The last setting of the owner, for the bridge while the gate is away. The gate signs the file, and
 * everybody may read it. The signature detects a file of any other user and accidental damage. A client with
 * the user of the gate could sign the file itself. Only a separate user prevents that.
 */
export interface SwitchFacts {
  /** True when the switch is on or the gate is in lockdown. */
  readonly isArmed: boolean
  /** The time, in epoch milliseconds, when a temporary off ends. */
  readonly offUntilMs?: number
  /** On a node: until when it knows the setting, in epoch milliseconds. */
  readonly knownUntilMs?: number
  /** The setting in gate.yaml. `owner`: as the owner left the switch. `deny` and `allow`: always so. */
  readonly unreachable: 'owner' | 'deny' | 'allow'
}
