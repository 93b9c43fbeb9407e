import { withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { maxReasonChars, text, type OutputFlaw } from './output.ts'

/** What a system does with the parts of an output that its decoder has read. */
export interface Conclusion {
  readonly answer: Answer
  /** Why the output is not an answer. */
  readonly flaw: OutputFlaw | undefined
  /** The answer to a refusal where nothing can be refused. Absent: a refusal counts. */
  readonly asNote?: ((reason: string) => Answer) | undefined
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
  { answer, flaw, asNote, isStderrFirst }: Conclusion,
  output: HandlerOutput,
): Answer => {
  if (answer.kind === 'block' || output.exitCode === 2) {
    const reason = refusalReason(answer, output, isStderrFirst)
    if (asNote === undefined) return { ...answer, kind: 'block', reason }
    const noted = asNote(reason)
    return flaw === undefined ? noted : withFault(noted, flaw)
  }
  const read = withQuestion(answer)
  return flaw === undefined ? read : withFault(read, flaw)
}
