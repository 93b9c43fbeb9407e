import type { Machine, State } from './machine.ts'
import type { Words } from './reading/options.ts'
import type { Value } from './reading/value.ts'

/** One start of a program. */
export interface Call extends Words {
  readonly name: string
  /** The words behind the name, as they stand. */
  readonly words: readonly Value[]
  readonly input: Value
  readonly machine: Machine
  readonly state: State
  has(...names: string[]): boolean
  /** The values of an option. */
  values(name: string): readonly Value[]
  /** The first text of an operand. */
  text(index: number): string
  /** Starts another program with these words. Returns what it prints. */
  runs(words: readonly Value[], input?: Value): Value
  /** Runs the text of a shell of its own, here or on another machine. */
  runsShell(text: Value, change?: Partial<State>): Value
  /** Runs a text in the same shell, which keeps what it sets. */
  inShell(text: Value): Value
  /** The state with the variables that the program alone is given. */
  readonly given: State
  withState(state: State): Call
  /** Reads words by another grammar. */
  read(words: readonly Value[], grammar: string): Words
  /** The call of a command of this program, such as `git push`, with the settings before it. */
  as(words: readonly Value[], grammar: string, settings: string): Call
  readonly settings?: string
  sends(content: Value, isByLogin?: boolean): void
  /** The content of a file that the agent gets to see. */
  readsKey(name: Value): Value
  /** The content of a file that only the program sees. */
  contentOf(name: Value): Value
}

/** What a program does: it returns what it prints. Undefined where it prints nothing that matters. */
type Act = (call: Call) => Value | undefined | void

export interface Program {
  /** The grammar of its options. */
  readonly options: string
  readonly act: Act
}

export type Programs = Readonly<Record<string, Program>>

/** The same for several names. */
export const tools = (names: string, options: string, act: Act): Programs =>
  Object.fromEntries(names.split(' ').map((name) => [name, { options, act }]))
