import type { Answer } from './answer.ts'
import type { EventName } from '../events/event.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Payload } from '../events/payload.ts'

/** The hook systems whose hooks run here as they are. */
export const FOREIGN_DIALECTS = [
  'claude-code',
  'docker-agent',
  'agent-hooks',
  'copilot',
  'codex',
  'gemini',
  'cursor',
  'kimi',
  'kimi-cli',
  'factory',
] as const
export type ForeignDialect = (typeof FOREIGN_DIALECTS)[number]

/** The shells that foreign systems give a command's text to. */
export const SHELLS = ['sh', 'bash'] as const
export type Shell = (typeof SHELLS)[number]

/** What a handler left behind when it ended by itself. */
export interface HandlerOutput {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Part of stderr is missing. */
  readonly isStderrCut?: true
  /** Part of stdout is missing: it is not an answer. */
  readonly isTruncated: boolean
}

/** One event of a foreign system: which of ours it is, and how far the two agree. */
export interface NativeEvent {
  readonly name: string
  /** Ours; absent: hookgate has no such moment, and `note` says why. */
  readonly event?: EventName
  /** It fires only where these fields of our payload have one of these values. */
  readonly where?: Readonly<Record<string, readonly Json[]>>
  /** What its matcher is tried on: the tool's name, or this field of our payload; absent: it takes no matcher. */
  readonly matches?: string
  /** Our value of `matches` → its system's, where they differ: a matcher is tried on theirs. */
  readonly values?: Readonly<Record<string, string>>
  /** Its system lets a hook refuse here. */
  readonly isGate?: true
  /** Plain text on stdout is context for the model; absent: its system drops it. */
  readonly isTextContext?: true
  /** A fault fails closed unless the entry says otherwise, as in its system. */
  readonly failsClosed?: true
  /** For people: a false friend, or why it cannot be mapped. */
  readonly note?: string
}

/** Where a hook's files and its project lie. */
export interface HookPlaces {
  /** The folder that the program came from. */
  readonly hookDir: string
  readonly workspace: string
  /** The folder that its system gave to it, such as a plugin's: the sealed copy. */
  readonly root?: string
}

/** One hook system whose hooks run here: its names and shapes towards ours, both ways. Pure. */
export interface Dialect {
  readonly name: ForeignDialect
  readonly events: readonly NativeEvent[]
  /** In milliseconds: what its hooks get when they say nothing, and the bounds that its system sets. */
  readonly timeoutMs: { readonly default: number; readonly min: number; readonly max: number }
  /** What its system gives a command's text to where the file names no shell: bash for `$SHELL`, as most people have it. */
  readonly shell: Shell
  /** Its scripts expect a space behind each colon and comma of their stdin, as its own runner writes it. */
  readonly isSpaced?: true
  /** Our event as its stdin. Only for an event that `events` maps, where it fires. */
  encode(native: NativeEvent, payload: Payload): JsonObject
  /** What its hook left behind, as an answer in our terms: a rewrite in our tool's argument names. */
  decode(native: NativeEvent, payload: Payload, output: HandlerOutput): Answer
  /**
   * The variables that its hooks find in their environment. A project folder is the workspace, whatever the event's
   * `cwd`: there lies what the owner approved.
   */
  env(payload: Payload, hook: HookPlaces): Readonly<Record<string, string>>
}
