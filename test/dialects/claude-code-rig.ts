import { expect, test } from 'vitest'
import { decodeFor, nativeEvent } from '../../src/dialects/dialects.ts'
import type { Answer, FaultKind } from '../../src/core/model/hooks/answer.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'
import { endOf, speaking } from './speaking.ts'

interface Left {
  readonly exitCode?: number | null
  readonly stderr?: string
  readonly isTruncated?: boolean
  /** Fields of our payload in place of the samples. */
  readonly payload?: JsonObject
}

export const decode = (
  name: string,
  printed: string | object,
  { exitCode = 0, stderr = '', isTruncated = false, payload = {} }: Left = {},
): Answer => {
  const native = nativeEvent('claude-code', name)
  if (native?.event === undefined) throw new Error(`no event ${name}`)
  const stdout = typeof printed === 'string' ? printed : JSON.stringify(printed)
  return decodeFor(
    speaking('claude-code', native),
    { ...syntheticPayload(native.event, '/project', new Date(0)), ...payload },
    { exitCode, stdout, stderr, isTruncated },
  )
}

/** What stands in hookSpecificOutput, of the event by its name. */
export const inner = (hookEventName: string, fields: object): object => ({
  hookSpecificOutput: { hookEventName, ...fields },
})

export const pre = (fields: object): object => inner('PreToolUse', fields)
export const permission = (decision: object): object => inner('PermissionRequest', { decision })

export const abstain: Answer = { kind: 'abstain', notes: [] }
export const block = (reason = 'blocked by hook', ...notes: readonly string[]): Answer => ({
  kind: 'block',
  reason,
  notes,
})

export const noted = (...notes: readonly string[]): Answer => ({ kind: 'abstain', notes })
export const ended = (reason: string, ...notes: readonly string[]): Answer => ({
  kind: 'block',
  reason,
  notes,
  stopsTurn: true,
})

export const rewritten = (rewrite: JsonObject, ...notes: readonly string[]): Answer => ({
  kind: 'abstain',
  notes,
  rewrite,
})

export const fault = (kind: FaultKind, detail: string, ...notes: readonly string[]): Answer => ({
  kind: 'fault',
  notes,
  fault: { kind, detail },
})

export const exited = (how: string, ...notes: readonly string[]): Answer =>
  fault(
    endOf(how),
    `It ended with ${how}. A Claude Code hook exits 0 for an answer and 2 to block.`,
    ...notes,
  )

export const notJson = (head: string): Answer =>
  fault(
    'output',
    `It printed text that is no answer: ${head}. Print one JSON object or nothing to stdout, and logs to stderr.`,
  )

export const tooMuch = fault(
  'limit',
  'It printed more than 1 MiB to stdout. An answer is one small JSON object.',
)

export const foreign =
  'Its hookSpecificOutput.hookEventName is not "PreToolUse"; Claude Code would drop the answer, here it counts.'

export const misplaced = (path: string): string =>
  `Its "${path}" has no effect where it stands; it belongs in "hookSpecificOutput".`

export const unbound = (name: string, reason = ''): string =>
  `It wanted to block${reason === '' ? '' : ` (${reason})`}, but ${name} cannot be blocked; the step went on.`

export const unused = (path: string): string => `Its "${path}" was not used: hookgate has no such thing.`
export const counts = (end: string): string =>
  `It ended with ${end}; what its JSON says counts all the same, as in Claude Code.`

export const left = (key: string): string =>
  `Its updatedInput leaves out "${key}", which Claude Code would drop; it was kept.`

/** What a hook printed at an event of Claude Code's, and the answer that it is. */
export type Case = [what: string, event: string, printed: string | object, answer: Answer, left?: Left]

/** One test for each case. */
export const testEach = (cases: readonly Case[]): void =>
  test.each<Case>(cases)('%s (%s)', (_, event, printed, answer, given) =>
    expect(decode(event, printed, given)).toEqual(answer),
  )
