import { abstain, withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import type { NativeEvent } from '../../shared/hooks/dialect.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { readAnswerFields, type AnswerFields, type FieldTable } from './answer-fields.ts'
import { notJson } from './lines.ts'
import { exited, jsonOf, maxReasonChars, text, truncated, type OutputFlaw } from './output.ts'

/** How the hooks of a system print an answer. */
export interface Printing {
  /** What exit codes mean there, in one sentence. */
  readonly rule: string
  /** Text that is not meant as JSON is allowed. */
  readonly takesText?: true
}

/** Returns why an output is not an answer; undefined if it is one. At exit 2 it always is. */
const flawOf = (
  output: HandlerOutput,
  { rule, takesText }: Printing,
  json: JsonObject | undefined,
  wrong: string | undefined,
): OutputFlaw | undefined => {
  const { exitCode, isTruncated, stdout } = output
  if (exitCode === 2) return undefined
  if (isTruncated) return truncated
  if (exitCode !== 0) return exited(output, rule)
  if (json !== undefined) return wrong === undefined ? undefined : { kind: 'output', detail: wrong }
  const words = stdout.trim()
  return words === '' || (takesText === true && !words.startsWith('{')) ? undefined : notJson(stdout)
}

/** An answer, and an error message for its first deciding field that cannot be read. */
export interface ReadAnswer {
  readonly answer: Answer
  readonly wrong?: string | undefined
}

/** Reads the JSON object of an output, if it is one. */
export const readOutput = (
  output: HandlerOutput,
  printing: Printing,
  read: (json: JsonObject) => ReadAnswer,
): {
  readonly answer: Answer
  readonly flaw: OutputFlaw | undefined
  readonly json: JsonObject | undefined
} => {
  const json = jsonOf(output)
  const { answer, wrong }: ReadAnswer = json === undefined ? { answer: abstain } : read(json)
  return { answer, flaw: flawOf(output, printing, json, wrong), json }
}

/** Reads an answer of which a field counts only where its event has a place for it. */
export const readPlaced = (
  json: JsonObject,
  fields: FieldTable,
  { name }: NativeEvent,
): AnswerFields & { readonly answer: Answer } => {
  const parsed = readAnswerFields(json, fields, { isSpelled: true })
  const { kind, reason, rewrite, context } = parsed
  const lost = parsed.misplaced.map((path) => {
    const field = path.slice(path.lastIndexOf('.') + 1)
    const why = field.endsWith('_context') ? 'has nowhere to put it' : 'cannot rewrite that'
    return `Its ${field} was not used: ${name} ${why}.`
  })
  return { ...parsed, answer: { kind, notes: [...parsed.notes, ...lost], reason, rewrite, context } }
}

/** What a system does with the parts of an output that its decoder has read. */
export interface Conclusion {
  readonly answer: Answer
  /** Why the output is not an answer. */
  readonly flaw: OutputFlaw | undefined
  /** Why nothing can be refused, and what is left of such an answer. Absent: a refusal counts. */
  readonly lost?: (Pick<Answer, 'rewrite' | 'context'> & { readonly because: string }) | false
  /** stderr takes precedence over the reason in the answer. */
  readonly isStderrFirst?: true
}

/** The reason of a refusal or a question is never empty. */
export const withQuestion = (answer: Answer): Answer =>
  answer.kind === 'ask' ? { ...answer, reason: answer.reason ?? 'the hook asks the person' } : answer

/** The words of stderr are a reason at exit 2 only; otherwise they are a log. */
export const refusalReason = (
  { kind, reason }: Answer,
  { exitCode, stderr }: HandlerOutput,
  isStderrFirst = false,
): string => {
  // The reason of an allow is not a reason to block.
  const printed = kind === 'allow' ? undefined : reason
  const said = exitCode === 2 ? text(stderr, maxReasonChars) : undefined
  return (isStderrFirst ? (said ?? printed) : (printed ?? said)) ?? 'blocked by hook'
}

/** Makes the answer of an output. A readable refusal refuses at any exit code, and exit 2 refuses. */
export const conclude = (
  { answer, flaw, lost = false, isStderrFirst }: Conclusion,
  output: HandlerOutput,
): Answer => {
  if (answer.kind === 'block' || output.exitCode === 2) {
    const reason = refusalReason(answer, output, isStderrFirst)
    if (lost === false) return { ...answer, kind: 'block', reason }
    const { because, ...left } = lost
    const notes = [...answer.notes, `It wanted to block (${reason}), but ${because}`]
    const noted: Answer = { kind: 'abstain', notes, ...left }
    return flaw === undefined ? noted : withFault(noted, flaw)
  }
  const read = withQuestion(answer)
  return flaw === undefined ? read : withFault(read, flaw)
}
