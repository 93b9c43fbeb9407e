/**
 * Misconfiguration, told so that it can be mended.
 * `message` has one grammar: `Expected "hooks[2].timeout" to be a number from 1 to 120, got "5s" (string).`
 */
export interface Problem {
  /** Stable, for machines: `entry.event`, `yaml.syntax`, … */
  readonly code: string
  readonly message: string
  readonly fix: string
  readonly file?: string
  /** 1-based. */
  readonly line?: number
  readonly column?: number
  /** The program that is not on this machine, where its absence is all that is wrong. */
  readonly lacks?: string
}

/** Thrown where a problem ends the program or the request. */
export class ProblemError extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.name = 'ProblemError'
    this.problem = problem
  }
}

/** What an error says, for a log or a sentence; whatever else was thrown may hold anything and says nothing. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

/** What `parseArgs` has against an option, without its advice on words that begin with a dash. */
export const optionWords = (error: unknown): string =>
  `${messageOf(error).split('. ')[0]?.replace(/\.$/, '')}.`

/** A value as an error message shows it: short, on one line, with its type. */
export const got = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'something')
  const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
  return `${text.length > 60 ? `${text.slice(0, 57)}…` : text}${value === undefined ? '' : ` (${type})`}`
}

export const formatProblem = (problem: Problem): string => {
  const place =
    problem.file === undefined
      ? ''
      : `${problem.file}${problem.line === undefined ? '' : `:${problem.line}`}${problem.column === undefined ? '' : `:${problem.column}`}: `
  return `${place}${problem.message} ${problem.fix}`
}
