import type { ForeignDialect, Shell } from './dialect.ts'
import type { EventName } from '../events/event.ts'
import type { Problem } from '../gate/problem.ts'

export type OnError = 'warn' | 'block' | 'ignore'

/** How a handler is reached. */
export const HANDLER_TYPES = ['command', 'process', 'http', 'builtin', 'llm'] as const
export type HandlerType = (typeof HANDLER_TYPES)[number]

/**
 * Which payloads the handler is asked about; absent: all of the event's. Linear regular expressions, searched. A
 * foreign hook's are tried on the names that its own system gives to tools and arguments.
 */
export interface Matcher {
  /** Searched in `tool_name`. */
  readonly tool?: string
  /** Searched in `field` when that is given, else in the contract table's search fields. */
  readonly pattern?: string
  /** A dotted path into the payload, such as `tool_input.command`. */
  readonly field?: string
}

/**
 * One hook as a file proposes it, with every default applied. Nothing here has power until an owner approves it.
 * What stands as `?` is absent where it says nothing, so that an older approval's fingerprint stays what it was.
 */
export interface Entry {
  readonly event: EventName
  readonly type: HandlerType
  /**
   * What is asked, as the file spells it: the command of `command` and `process`, the URL of `http`, the name of a
   * `builtin`, the prompt of `llm`. What `/hooks approve <event> <command|url>` compares, byte for byte.
   */
  readonly command: string
  /** Appended to the words of `command`. */
  readonly args: readonly string[]
  /** `command` is text for this shell, not words. Only foreign systems' entries have one. */
  readonly shell?: Shell
  /** The hook system whose world the handler sees, and the event's name there; absent: ours. */
  readonly dialect?: { readonly name: ForeignDialect; readonly event: string }
  readonly matcher?: Matcher
  /** A permission rule of Claude Code, beside the matcher: both must hold. Only hooks in its dialect have one. */
  readonly condition?: string
  readonly timeoutMs: number
  readonly onError: OnError
  readonly priority: number
  readonly isAsync: boolean
  /** A started instance waits at its stdin. Only for `command`. */
  readonly isWarm?: true
  /** Relative to the workspace; absent: the workspace. */
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Further files that the program reads, sealed with it. Relative to the workspace. */
  readonly files: readonly string[]
  /**
   * The folder that its system gives to the hook, such as a plugin's: sealed with its program, and named to it by its
   * system's variables. Relative to the workspace, or absolute outside it.
   */
  readonly root?: string
  /** `http`: sent with each request; a value may name environment variables as `$NAME` that gate.yaml lists. */
  readonly headers?: Readonly<Record<string, string>>
  /** `http`: the environment variable, listed in gate.yaml, whose value signs each request. */
  readonly signWith?: string
  /** `llm`: absent: gate.yaml's. */
  readonly model?: string
  /** The file that proposes it, relative to the workspace, or absolute outside it. */
  readonly origin: string
  /** What the hook says of itself: the one text of it that the agent is told. */
  readonly description?: string
  /** For people only; the one option outside the fingerprint. */
  readonly name?: string
}

/** One place in a file that proposes hooks: an entry that could be read, or one that could not, with what it said of itself. */
export type ProposedHook =
  /** `remarks`: what of it is not taken as its own system would, as sentences for the person. */
  | { readonly kind: 'entry'; readonly entry: Entry; readonly remarks?: readonly string[] }
  | { readonly kind: 'invalid'; readonly event: string; readonly command: string; readonly problem: Problem }

/** The handler in the words of lists and records. */
export const handlerOf = ({ type, command }: Pick<Entry, 'type' | 'command'>): string => {
  if (type === 'http') return `POST ${command}`
  return type === 'builtin' || type === 'llm' ? `${type}: ${command}` : command
}

const maxLabelChars = 80

/** A hook's name for people, on one line: what a shell's text or a judge's prompt goes on to say is cut. */
export const labelOf = (entry: Pick<Entry, 'name' | 'type' | 'command'>): string => {
  const label = (entry.name ?? handlerOf(entry)).replaceAll(/\s+/g, ' ').trim()
  return label.length <= maxLabelChars ? label : `${label.slice(0, maxLabelChars - 1)}…`
}

const maxDisclosedChars = 4000

/** What an agent may know of the hooks in force: the names and descriptions that their authors gave them to be told. */
export const disclosed = (entries: readonly Pick<Entry, 'name' | 'description'>[]): string => {
  const lines = entries.flatMap(({ name, description }) =>
    description === undefined ? [] : [`- ${name ?? 'unnamed'}: ${description}`.replaceAll(/\s+/g, ' ')],
  )
  return lines.length === 0
    ? ''
    : `Hooks are in force here:\n${[...new Set(lines)].join('\n')}`.slice(0, maxDisclosedChars)
}

/** What an owner approved, ready to run from its seal. */
export interface ArmedHook {
  /** SHA-256 in hex over the canonical entry and its bytes. */
  readonly fingerprint: string
  readonly entry: Entry
  /** The words to execute, sealed paths in place of proposed ones; none for what is no program. */
  readonly argv: readonly string[]
  /** What the program hears as its own name; absent: the first of its words. */
  readonly argv0?: string
  readonly cwd: string
  /** Where it runs when that one is closed; absent: the entry asks for a folder, and without it cannot do its work. */
  readonly ownFolder?: string
  /** The owner let even a failure that the agent can bring about let the step pass. */
  readonly failsOpen?: true
  readonly workspace: string
  /** The folder that the program came from, for `HOOKGATE_HOOK_DIR`. */
  readonly hookDir: string
  /** Where the entry's `root` lies now: its sealed copy, or the folder itself where it was too large to be sealed. */
  readonly root?: string
  /** Compares the seal and the watched files with what was approved, by stat when nothing moved. A fault's words, or undefined when whole. */
  readonly checkSeal: () => string | undefined
  /**
   * Before its check: compares what it uses by its path with what was approved, byte for byte. A fault's words, or a
   * look for after the run, which gives a fault's words or undefined. Absent: it uses nothing so.
   */
  readonly watch?: () => Promise<string | (() => Promise<string | undefined>)>
}
