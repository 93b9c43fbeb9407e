import type { Json, JsonObject } from '../../core/model/base/json.ts'
import type { EventName } from '../../core/model/events/event.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import type { Answer } from '../../core/model/hooks/answer.ts'
import type { ForeignDialect, Shell, HandlerOutput } from '../../core/model/hooks/dialect.ts'

/** One event of a foreign system, and how it maps to ours. */
export interface NativeEvent {
  readonly name: string
  /** Our event. Absent: hookgate has no such event, and `note` says why. */
  readonly event?: EventName
  /** It fires only when these fields of our payload have one of these values. */
  readonly where?: Readonly<Record<string, readonly Json[]>>
  /**
   * The field that its matcher is applied to: the tool's name, or this field of our payload. Absent: it takes
   * no matcher.
   */
  readonly matches?: string
  /**
   * Maps our values of `matches` to its system's values, where they differ. A matcher is applied to the
   * system's value.
   */
  readonly values?: Readonly<Record<string, string>>
  /** Its system lets a hook refuse at this event. */
  readonly isGate?: true
  /** Its system asks the hooks of this event all at once, before the step. */
  readonly isSideBySide?: true
  /** Plain text on stdout becomes context for the model. Absent: its system drops it. */
  readonly isTextContext?: true
  /**
   * True: any fault fails closed unless the entry says otherwise, as in its system. False: a fault goes on,
   * because only hookgate lets a hook refuse at this event.
   */
  readonly failsClosed?: boolean
  /** A note for people: a misleading name, or the reason why the event cannot be mapped. */
  readonly note?: string
}

/** Returns whether a fault of a hook may refuse at this event, as its refusal does in its own system. */
export const hasVeto = ({ isGate, failsClosed }: NativeEvent): boolean =>
  isGate === true && failsClosed !== false

/** The folders of a hook's files and its project. */
export interface HookPlaces {
  /** The folder that the program came from. */
  readonly hookDir: string
  readonly workspace: string
  /** The folder that its system gave to it, such as a plugin's: the sealed copy. */
  readonly root?: string
}

/** One foreign hook system whose hooks run here. It translates names and shapes in both directions. Pure. */
export interface Dialect {
  readonly name: ForeignDialect
  readonly events: readonly NativeEvent[]
  /** The default timeout of its hooks, and the bounds that its system sets. In milliseconds. */
  readonly timeoutMs: { readonly default: number; readonly min: number; readonly max: number }
  /**
   * The shell that runs a command's text when the file names none. A system that uses `$SHELL` gets bash,
   * which most people have.
   */
  readonly shell: Shell
  /**
   * Its scripts expect a space after each colon and comma of their stdin, as the system's own runner writes
   * it.
   */
  readonly isSpaced?: true
  /** Its async hooks get refused events, too. */
  readonly hearsRefusals?: true
  /** Its question is a deny with a mark, so the word deny in a question is no refusal. */
  readonly asksByDeny?: true
  /** Encodes our event as the stdin of its hook. Only for an event that `events` maps, where it fires. */
  encode(native: NativeEvent, payload: Payload): JsonObject
  /** Decodes the output of its hook as an answer in our terms. A rewrite uses our tool's argument names. */
  decode(native: NativeEvent, payload: Payload, output: HandlerOutput): Answer
  /**
   * The environment variables that its hooks expect. A project folder is always the workspace, whatever the
   * event's `cwd`, since the approved files are there.
   */
  env(payload: Payload, hook: HookPlaces): Readonly<Record<string, string>>
}
