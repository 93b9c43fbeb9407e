/**
 * A configuration error, with a fix. `message` has one grammar: `Expected "hooks[2].timeout" to be a number
 * from 1 to 120, got "5s" (string).`
 */
export interface Problem {
  /** A stable code for programs: `entry.event`, `yaml.syntax`, … */
  readonly code: string
  readonly message: string
  readonly fix: string
  readonly file?: string
  /** 1-based. */
  readonly line?: number
  readonly column?: number
  /** The missing program, where its absence is the only problem. */
  readonly lacks?: string
  /** Another machine said it, so its words are not ours. */
  readonly isForeign?: true
}

export interface WithProblem {
  readonly problem: Problem
}

export type Refusal = { readonly ok: false; readonly problem: Problem }

/** What came of an act: it is done, with what it gave, or it was refused. */
export type Acted<Given = unknown> = ({ readonly ok: true } & Given) | Refusal

/** Thrown when a problem ends the program or the request. */
export class ProblemError extends Error {
  /** The first problem. */
  readonly problem: Problem
  /** Everything that was found to be wrong, in the order in which it is told. */
  readonly problems: readonly Problem[]
  constructor(problem: Problem, ...more: readonly Problem[]) {
    super(problem.message)
    this.name = 'ProblemError'
    this.problem = problem
    this.problems = [problem, ...more]
  }
}

/** The message of an error. Any other thrown value may contain anything, so it gives only "unknown". */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

/** The code of an error of the system, such as `ENOENT`. Undefined: it has none. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** Formats a value for an error message: short, on one line, with its type. */
export const got = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'something')
  const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
  return `${text.length > 60 ? `${text.slice(0, 57)}…` : text}${value === undefined ? '' : ` (${type})`}`
}

/** What a person typed, for a sentence about it. */
export const quote = (typed: string): string => got(typed).replace(/ \(string\)$/, '')

/**
 * Turns an error of the operating system into a problem for the owner. Any other error is a bug and is thrown
 * again.
 */
export const asProblem = (error: unknown): Problem => {
  if (error instanceof ProblemError) return error.problem
  if (!(error instanceof Error && 'code' in error)) throw error
  return {
    code: 'home.write',
    message: `The folder of the gate cannot be written (${String(error.code)}).`,
    fix: "Make room on the disk and give hookgate's user the right to write its folder, then try again. Nothing was changed.",
  }
}
