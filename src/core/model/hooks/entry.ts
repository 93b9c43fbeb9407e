import { memoizeEach } from '../base/memoize.ts'
import type { ForeignDialect, Shell } from './dialect.ts'
import type { BudgetLimits, TokenPrice } from './budget.ts'
import type { EventName } from '../events/event.ts'

export type OnError = 'warn' | 'block' | 'ignore'

/** The ways to run a handler. */
export const HANDLER_TYPES = ['command', 'process', 'http', 'builtin', 'llm'] as const
export type HandlerType = (typeof HANDLER_TYPES)[number]

/**
 * The payloads that the handler is asked about. Absent: all payloads of the event. The regular expressions
 * run in linear time and search. A foreign hook's are matched against the names that its own system gives to
 * tools and arguments.
 */
export interface Matcher {
  /** A regular expression that is searched in `tool_name`. */
  readonly tool?: string
  /**
   * A regular expression that is searched in `field` or, without one, in the contract table's search fields.
   */
  readonly pattern?: string
  /** A dotted path into the payload, such as `tool_input.command`. */
  readonly field?: string
}

/**
 * One hook as a file proposes it, with all defaults applied. It has no effect until an owner approves it. An
 * optional field without a value is not part of the fingerprint, so the fingerprints of older approvals stay
 * the same.
 */
export interface Entry {
  readonly event: EventName
  readonly type: HandlerType
  /**
   * The handler as the file spells it: the command of `command` and `process`, the URL of `http`, the name of
   * a `builtin`, the prompt of `llm`. `/hooks approve <event> <command|url>` compares it byte for byte.
   */
  readonly command: string
  /** Appended to the words of `command`. */
  readonly args: readonly string[]
  /**
   * The shell that interprets `command`. Absent: `command` is a list of words. Only entries of foreign
   * systems have a shell.
   */
  readonly shell?: Shell
  /** The hook system that the handler was written for, and its name for the event. Absent: hookgate. */
  readonly dialect?: { readonly name: ForeignDialect; readonly event: string }
  /**
   * The agents that the hook is for, by their names. Absent: all. What hookgate itself says is judged for any
   * of them.
   */
  readonly agents?: readonly string[]
  /**
   * The node whose workspace proposes the hook. It runs there, on the events of that machine alone. Absent:
   * the workspace of the gate proposes it, and it runs there, on the events of all machines.
   */
  readonly node?: string
  /**
   * `all`: the hook runs on every machine, each time on the one whose event it is about. One approval counts
   * for all of them, whichever workspace proposes it. Only for `command`.
   */
  readonly nodes?: 'all'
  readonly matcher?: Matcher
  /**
   * A rule of the hook's own system, in addition to the matcher. Both must match. Few systems have one.
   */
  readonly condition?: string
  readonly timeoutMs: number
  readonly onError: OnError
  readonly priority: number
  readonly isAsync: boolean
  /** An instance is started in advance and waits at its stdin. Only for `command`. */
  readonly isWarm?: true
  /** The working folder, relative to the workspace. Absent: the workspace. */
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  /** Additional files that the program reads, sealed with it. Relative to the workspace. */
  readonly files: readonly string[]
  /**
   * The folder that its system gives to the hook, such as a plugin's. It is sealed with the program, and the
   * system's variables name it. Relative to the workspace, or absolute outside it.
   */
  readonly root?: string
  /**
   * `http`: headers of each request. A value may name environment variables as `$NAME` if gate.yaml lists
   * them.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** `http`: the environment variable whose value signs each request. gate.yaml must list it. */
  readonly signWith?: string
  /** `llm`: the model. Absent: the model of gate.yaml. */
  readonly model?: string
  /** `budget`: the most that an agent may use. */
  readonly limits?: BudgetLimits
  /** `budget`: the price of tokens whose model call states no cost. */
  readonly price?: TokenPrice
  /** `tell_owner`: the hours without notices, for all owners, or by the owner's id. */
  readonly quiet?: QuietHours
  /** `tell_owner`: how long a turn lasts before the owner is told that the agent is busy. */
  readonly busyMs?: number
  /** The file that proposes it, relative to the workspace, or absolute outside it. */
  readonly origin: string
  /** The hook's description of itself. It is the only text of the hook that the agent sees. */
  readonly description?: string
  /** The name for people. It is the only option that is not part of the fingerprint. */
  readonly name?: string
}

/** The node on which a hook runs for an event of a node. Undefined, for both: the machine of the gate. */
export const machineFor = (
  { node, nodes }: Pick<Entry, 'node' | 'nodes'>,
  ofEvent: string | undefined,
): string | undefined => (nodes === 'all' ? ofEvent : node)

/** True when the hook runs on the machine of the gate, for some events at least. */
export const isForGate = (entry: Pick<Entry, 'node' | 'nodes'>): boolean =>
  machineFor(entry, undefined) === undefined

/** The handler as lists and records show it. */
export const handlerOf = ({ type, command }: Pick<Entry, 'type' | 'command'>): string => {
  if (type === 'http') return `POST ${command}`
  return type === 'builtin' || type === 'llm' ? `${type}: ${command}` : command
}

const maxLabelChars = 80

/** The name of a hook for people, on one line. Long text is cut. Each event at a hook needs it. */
export const labelOf = memoizeEach((entry: Pick<Entry, 'name' | 'type' | 'command'>): string => {
  const label = (entry.name ?? handlerOf(entry)).replaceAll(/\s+/g, ' ').trim()
  return label.length <= maxLabelChars ? label : `${label.slice(0, maxLabelChars - 1)}…`
})

/** An approved hook, ready to run from its seal. */
export interface ArmedHook {
  /** SHA-256 in hex over the canonical entry and its bytes. */
  readonly fingerprint: string
  readonly entry: Entry
  /**
   * The words to execute, with sealed paths in place of the proposed ones. Empty for a handler that is no
   * program.
   */
  readonly argv: readonly string[]
  /** The program's argv[0]. Absent: the first word. */
  readonly argv0?: string
  readonly cwd: string
  /**
   * The folder to use when `cwd` is closed. Absent: the entry needs its own folder and cannot run without it.
   */
  readonly ownFolder?: string
  /** The owner chose that no failure blocks, even one that the agent can cause. */
  readonly failsOpen?: true
  /** It is asked after the verdict, and its answer is only recorded. */
  readonly isShadow?: true
  readonly workspace: string
  /** The folder that the program came from, for `HOOKGATE_HOOK_DIR`. */
  readonly hookDir: string
  /**
   * The current folder of the entry's `root`: the sealed copy, or the original folder if it was too large to
   * seal.
   */
  readonly root?: string
  /**
   * Compares the seal and the watched files with the approval, by file status when nothing was modified.
   * Returns a fault's text, or undefined when all is unchanged. A program that runs already needs no
   * interpreter to start it.
   */
  readonly checkSeal: (isRunning?: boolean) => string | undefined
  /**
   * Runs before `checkSeal`: reads a large seal in turns, so that `checkSeal` then only compares file status.
   * Absent for a small seal.
   */
  readonly readSeal?: () => Promise<void>
  /**
   * Runs before `checkSeal`: compares byte for byte the files that the hook uses by their path. Returns a
   * fault's text, or a check for after the run, which returns a fault's text or undefined. Absent: the hook
   * uses no such files.
   */
  readonly watch?: () => Promise<string | (() => Promise<string | undefined>)>
}

/** The handler as lists and records show it, with the shell that runs its text. */
export const handlerUnder = (entry: Pick<Entry, 'type' | 'command'>, under: Shell | undefined): string =>
  under === undefined ? handlerOf(entry) : `${under}: ${entry.command}`

/** The hours without notices, such as `22:00-07:00`: for all owners, or by the owner's id. */
export type QuietHours = string | Readonly<Record<string, string>>
