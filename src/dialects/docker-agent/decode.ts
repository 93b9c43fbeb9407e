import { abstain, withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { Dialect, HandlerOutput, NativeEvent } from '../../core/model/hooks/dialect.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { readAnswer } from './answer.ts'
import { notJson } from '../reading/lines.ts'
import {
  jsonOf,
  exited,
  maxContextChars,
  maxReasonChars,
  text,
  truncated,
  type OutputFlaw,
} from '../reading/output.ts'

/**
 * Returns why an output is not an answer; undefined if it is one. Text that is not meant as JSON is allowed,
 * because docker-agent takes it as text.
 */
const flawOf = (
  output: HandlerOutput,
  json: JsonObject | undefined,
  wrong: string | undefined,
): OutputFlaw | undefined => {
  const { exitCode, stdout, isTruncated } = output
  if (exitCode === 2) return undefined
  if (isTruncated) return truncated
  if (exitCode !== 0) return exited(output, 'A docker-agent hook exits 0 for an answer and 2 to block.')
  if (json === undefined) return stdout.trim().startsWith('{') ? notJson(stdout) : undefined
  return wrong === undefined ? undefined : { kind: 'output', detail: wrong }
}

const ending = (reason: string, { notes, stopsTurn }: Answer): Answer => ({
  kind: 'block',
  reason,
  notes,
  stopsTurn,
})

/**
 * Turns a block into a note at an event that docker-agent cannot refuse; the step goes on. Output printed
 * beside exit 2 is not an answer.
 */
const asNote = (
  reason: string,
  { notes, rewrite, context }: Answer,
  { name }: NativeEvent,
  isExitTwo: boolean,
): Answer => ({
  kind: 'abstain',
  notes: [...notes, `It wanted to block (${reason}), but ${name} cannot be refused; the step went on.`],
  rewrite: isExitTwo ? undefined : rewrite,
  context: isExitTwo ? undefined : context,
})

/**
 * Reads a hook's output as docker-agent does, with these more careful differences: camelCase names count,
 * `decision` may also be deny, ask or allow, the printed reason stays at exit 2, and a readable deny denies
 * at any exit code.
 */
export const decodeDocker: Dialect['decode'] = (native, payload, output) => {
  const { exitCode, stdout, stderr } = output
  const json = jsonOf(output)
  const { answer, wrong } =
    json === undefined ? { answer: abstain, wrong: undefined } : readAnswer(json, native, payload)
  const flaw = flawOf(output, json, wrong)
  const isExitTwo = exitCode === 2
  if (answer.kind === 'block' || isExitTwo) {
    const printed = answer.kind === 'allow' ? undefined : answer.reason
    const reason = printed ?? (isExitTwo ? text(stderr, maxReasonChars) : undefined) ?? 'blocked by hook'
    if (native.isGate === true) return ending(reason, answer)
    const noted = asNote(reason, answer, native, isExitTwo)
    return flaw === undefined ? noted : withFault(noted, flaw)
  }
  const read: Answer =
    answer.kind === 'ask' ? { ...answer, reason: answer.reason ?? 'the hook asks the person' } : answer
  if (flaw !== undefined) return withFault(read, flaw)
  const context =
    json === undefined && native.isTextContext === true ? text(stdout, maxContextChars) : undefined
  return context === undefined ? read : { ...read, context }
}
