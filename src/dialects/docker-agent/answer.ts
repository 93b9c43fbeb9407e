import type { Answer } from '../../core/model/hooks/answer.ts'
import type { NativeEvent } from '../../core/model/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got } from '../../core/model/gate/problem.ts'
import { decisionOf, isNonNull, maxContextChars, maxReasonChars, strongest, text } from '../reading/output.ts'
import { fieldsOf, type SpelledFields } from '../reading/spelling.ts'
import { rewriteFrom } from '../calls.ts'

const maxMetadata = 10

const topFields = [
  'continue',
  'stop_reason',
  'suppress_output',
  'system_message',
  'decision',
  'reason',
  'hook_specific_output',
]
const specificFields = [
  'hook_event_name',
  'permission_decision',
  'permission_decision_reason',
  'updated_input',
  'additional_context',
  'instruction_context',
  'summary',
  'updated_messages',
  'updated_tool_response',
  'metadata',
]

/**
 * The possible rewrites: docker-agent's field, our field, the required shape, and the events at which it
 * counts.
 */
const rewrites = [
  {
    field: 'updated_input',
    ours: 'tool_input',
    isFit: isObject,
    shape: 'an object',
    at: ['pre_tool_use', 'tool_input_transform'],
  },
  {
    field: 'updated_messages',
    ours: 'messages',
    isFit: (value: Json) => Array.isArray(value),
    shape: 'a list',
    at: ['before_llm_call'],
  },
  {
    field: 'updated_tool_response',
    ours: 'tool_result',
    isFit: (value: Json) => typeof value === 'string',
    shape: 'a string',
    at: ['tool_response_transform'],
  },
  {
    field: 'summary',
    ours: 'summary',
    isFit: (value: Json) => typeof value === 'string',
    shape: 'a string',
    at: ['before_compaction'],
  },
] as const

interface DockerAnswerFields {
  readonly top: SpelledFields
  readonly specific: SpelledFields
}

/** Returns an error message for the first field that should decide something and cannot be read. */
const unreadable = ({ top, specific }: DockerAnswerFields): string | undefined => {
  const wrong = (
    name: string,
    expected: string,
    values: readonly Json[],
    isFit: (value: Json) => boolean,
  ): readonly string[] =>
    values
      .filter((value) => !isFit(value))
      .map((value) => `Expected "${name}" to be ${expected}, got ${got(value)}.`)
  const isWord = (value: Json): boolean => decisionOf(value) !== undefined
  return [
    ...wrong('decision', 'block or allow', top.all('decision'), isWord),
    ...wrong('continue', 'true or false', top.all('continue'), (value) => typeof value === 'boolean'),
    ...wrong('hook_specific_output', 'an object', top.all('hook_specific_output'), isObject),
    ...wrong('permission_decision', 'allow, deny or ask', specific.all('permission_decision'), isWord),
    ...rewrites.flatMap(({ field, shape, isFit }) => wrong(field, shape, specific.all(field), isFit)),
  ][0]
}

type Rewriting = Pick<Answer, 'rewrite' | 'notes'>

const rewriteOf = (specific: SpelledFields, { name }: NativeEvent, payload: Payload): Rewriting => {
  const given = rewrites.flatMap((each) =>
    specific
      .all(each.field)
      .slice(0, 1)
      .map((value) => ({ ...each, value })),
  )
  const applied = given.filter(({ at }) => at.some((event) => event === name))
  const entries = applied.flatMap(({ ours, value }): readonly (readonly [string, Json])[] => {
    if (Array.isArray(value) && value.length === 0) return []
    return [
      [ours, ours === 'tool_input' && isObject(value) ? rewriteFrom('docker-agent', payload, value) : value],
    ]
  })
  // In this field, unlike in others, the empty text counts: it clears the result.
  const isCleared =
    name === 'tool_response_transform' && entries.length === 0 && specific.isEmptied('updated_tool_response')
  const rewrite: JsonObject = isCleared ? { tool_result: '' } : Object.fromEntries(entries)
  return {
    notes: given
      .filter((each) => !applied.includes(each))
      .map(({ field }) => `Its ${field} was not used: ${name} cannot rewrite that.`),
    ...(Object.keys(rewrite).length === 0 ? {} : { rewrite }),
  }
}

/** Returns the text for the model: plain context, and the content of each instruction. */
const contextOf = (specific: SpelledFields): string | undefined => {
  const instructions = specific
    .all('instruction_context')
    .flat()
    .filter(isObject)
    .map(({ content }) => content)
  return text(
    [...specific.all('additional_context'), ...instructions]
      .flatMap((value) => text(value, maxContextChars) ?? [])
      .join('\n'),
    maxContextChars,
  )
}

const annotationsOf = (specific: SpelledFields): readonly string[] =>
  specific
    .objects('metadata')
    .flatMap((object) => Object.entries(object))
    .slice(0, maxMetadata)
    .flatMap(([key, value]) => {
      const words = text(value, maxReasonChars)
      return words === undefined ? [] : [`${key.slice(0, 60)}: ${words}`]
    })

const firstText = (...values: readonly Json[]): string | undefined =>
  values.map((value) => text(value, maxReasonChars)).find(isNonNull)

/**
 * Reads one JSON object as an answer. `wrong` is an error message for a deciding field that cannot be read.
 */
export const readAnswer = (
  json: JsonObject,
  native: NativeEvent,
  payload: Payload,
): { readonly answer: Answer; readonly wrong: string | undefined } => {
  const top = fieldsOf(json)
  const specific = fieldsOf(...top.objects('hook_specific_output'))
  const permission = strongest(specific.all('permission_decision').map(decisionOf))
  const isEnd = top.all('continue').includes(false)
  const kind = strongest([
    ...top.all('decision').map(decisionOf),
    permission,
    ...(isEnd ? ['block' as const] : []),
  ])
  const permissionReasons = specific.all('permission_decision_reason')
  const reasons = [...top.all('reason'), ...top.all('stop_reason')]
  // If two parts disagree, the reason comes from the part that counts.
  const reason =
    permission === kind
      ? firstText(...permissionReasons, ...reasons)
      : firstText(...reasons, ...permissionReasons)
  const { rewrite, notes: unused } = rewriteOf(specific, native, payload)
  const context = contextOf(specific)
  const isLost = context !== undefined && native.isTextContext === undefined
  const answer: Answer = {
    // At a permission request the person is asked anyway, so a question adds nothing.
    kind: kind === 'ask' && native.event === 'on_permission_request' ? 'abstain' : kind,
    notes: [
      ...top.all('system_message').flatMap((value) => text(value, maxReasonChars) ?? []),
      ...annotationsOf(specific),
      ...top.strange(topFields, ''),
      ...specific.strange(specificFields, 'hook_specific_output.'),
      ...unused,
      ...(isLost ? [`Its additional_context was not used: ${native.name} has nowhere to put it.`] : []),
    ],
    reason,
    rewrite,
    context: isLost ? undefined : context,
    ...(isEnd && native.isGate === true ? { stopsTurn: true } : {}),
  }
  return { answer, wrong: unreadable({ top, specific }) }
}
