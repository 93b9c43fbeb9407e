import type { Answer, FaultKind } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { parseUnambiguous } from '../../shared/base/unambiguous.ts'
import { nearest } from '../../shared/base/nearest.ts'

/**
 * These functions read the output of hooks for every dialect. All of them are bounded, because a hook's
 * output may be hostile.
 */
export const maxReasonChars = 2000
export const maxContextChars = 64_000

/** The decision words of all hook systems, and their meanings. */
export const decisions: Readonly<Record<string, Answer['kind']>> = {
  block: 'block',
  deny: 'block',
  ask: 'ask',
  allow: 'allow',
  approve: 'allow',
}

/** The strongest kind comes first: if an answer contradicts itself, the most careful part counts. */
const byStrength: readonly Answer['kind'][] = ['block', 'ask', 'allow']

export const strongest = (kinds: readonly (Answer['kind'] | undefined)[]): Answer['kind'] =>
  byStrength.find((kind) => kinds.includes(kind)) ?? 'abstain'

export const isNonNull = (value: Json | undefined): value is Json => value !== undefined && value !== null

export const decisionOf = (word: Json | undefined): Answer['kind'] | undefined =>
  typeof word === 'string' && Object.hasOwn(decisions, word) ? decisions[word] : undefined

/** Returns a field's text for people or the model; undefined if there is none. */
export const text = (value: Json | undefined, maxChars: number): string | undefined => {
  if (!isNonNull(value)) return undefined
  const words = (typeof value === 'string' ? value : JSON.stringify(value)).trim()
  return words === '' ? undefined : words.slice(0, maxChars).toWellFormed()
}

/**
 * Returns a note for each unknown field (at most five), with the most similar known name. `where` is the path
 * before it, with its dot.
 */
export const unknownFields = (
  names: readonly string[],
  known: readonly string[],
  where: string,
): readonly string[] =>
  names
    .filter((key) => !known.includes(key))
    .slice(0, 5)
    .map((key) => {
      const name = key.slice(0, 40)
      const meant = nearest(name, known)
      return `Its answer has the unknown field "${where}${name}", which has no effect${meant === undefined ? '.' : `; did it mean "${where}${meant}"?`}`
    })

/**
 * Returns the one JSON answer on stdout; undefined for anything else. A byte order mark and white space are
 * ignored.
 */
export const answerIn = (stdout: string): JsonObject | undefined => parseUnambiguous(stdout.trim())

/** The JSON answer of an output, which is read once; undefined when it has none. */
export const jsonOf = ({ stdout, json, isTruncated }: HandlerOutput): JsonObject | undefined =>
  isTruncated ? undefined : (json ?? answerIn(stdout))

/** Returns the beginning of an output, quoted. */
export const head = (output: string): string =>
  `${JSON.stringify(output.slice(0, 80))}${output.length > 80 ? '…' : ''}`

export interface OutputFlaw {
  readonly kind: FaultKind
  readonly detail: string
}

export const truncated: OutputFlaw = {
  kind: 'limit',
  detail: 'It printed more than 1 MiB to stdout. An answer is one small JSON object.',
}

/** The first characters of a failed program's output say what it did, and the last ones what went wrong. */
const [firstUnits, lastUnits] = [200, 400]
const bothEnds = (text: string): string => {
  if (text.length <= firstUnits + lastUnits) return text.toWellFormed()
  const start = text.slice(0, firstUnits).replace(/\n[^\n]*$/, '')
  const tail = text.slice(-lastUnits).replace(/^[^\n]*\n/, '')
  return `${start}\n…\n${tail}`.toWellFormed()
}

/** Describes a failed exit. `rule` says in one sentence what exit codes mean in that system. */
export const exited = ({ exitCode, stderr }: HandlerOutput, rule: string): OutputFlaw => {
  const end = exitCode === null ? 'a signal' : `exit code ${exitCode}`
  const excerpt = bothEnds(stderr.trim())
  const kind = exitCode === 1 ? 'exit' : 'crash'
  return {
    kind: exitCode === null ? 'killed' : kind,
    detail: excerpt === '' ? `It ended with ${end}. ${rule}` : `It ended with ${end}: ${excerpt}. ${rule}`,
  }
}

/** Returns a tool's result as text, from the shapes in which systems write results. */
export const resultText = (value: Json): string => {
  if (typeof value === 'string') return value
  if (!isObject(value)) return JSON.stringify(value)
  const { stdout, stderr, textResultForLlm, text_result_for_llm: snake } = value
  if (typeof stdout === 'string')
    return typeof stderr === 'string' && stderr !== ''
      ? `${stdout}${stdout === '' ? '' : '\n'}${stderr}`
      : stdout
  const forModel = textResultForLlm ?? snake
  return typeof forModel === 'string' ? forModel : JSON.stringify(value)
}
