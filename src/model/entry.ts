import type { EventName } from './event.ts'

export type OnError = 'warn' | 'block' | 'ignore'

/** Which payloads the handler is asked about; absent: all of the event's. Linear regular expressions, searched. */
export interface Matcher {
  /** Searched in `tool_name`. */
  readonly tool?: string
  /** Searched in `field` when that is given, else in the contract table's search fields. */
  readonly pattern?: string
  /** A dotted path into the payload, such as `tool_input.command`. */
  readonly field?: string
}

/** One hook as a file proposes it, with every default applied. Nothing here has power until an owner approves it. */
export interface Entry {
  readonly event: EventName
  readonly type: 'command'
  /** As the file spells it: what `/hooks approve <event> <command>` compares, byte for byte. */
  readonly command: string
  /** Appended to the words of `command`. */
  readonly args: readonly string[]
  readonly matcher?: Matcher
  readonly timeoutMs: number
  readonly onError: OnError
  readonly priority: number
  readonly isAsync: boolean
  /** Relative to the workspace; absent: the workspace. */
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Further files that the program reads, sealed with it. Relative to the workspace. */
  readonly files: readonly string[]
  /** The file that proposes it, relative to the workspace. */
  readonly origin: string
  /** For people only; the one option outside the fingerprint. */
  readonly name?: string
}

export const labelOf = (entry: Pick<Entry, 'name' | 'command'>): string => entry.name ?? entry.command

/** What an owner approved, ready to run from its seal. */
export interface ArmedHook {
  /** SHA-256 in hex over the canonical entry and its bytes. */
  readonly fingerprint: string
  readonly entry: Entry
  /** The words to execute, sealed paths in place of proposed ones. */
  readonly argv: readonly string[]
  readonly cwd: string
  /** The folder that the program came from, for `HOOKGATE_HOOK_DIR`. */
  readonly hookDir: string
  /** Compares the seal with what was approved, by stat when nothing moved. A fault's words, or undefined when whole. */
  readonly checkSeal: () => string | undefined
}
