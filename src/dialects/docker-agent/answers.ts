import type { Client, Ruled } from '../../shared/gate/client.ts'
import type { Dialect, NativeEvent } from '../../shared/hooks/dialect.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { rewriteFrom } from '../calls.ts'
import { mustBe, type Field, type FieldTable } from '../reading/answer-fields.ts'
import { conclude, readOutput, readPlaced, type Printing, type ReadAnswer } from '../reading/conclude.ts'
import { maxContextChars, maxReasonChars, text } from '../reading/output.ts'
import { noRewrite, settledOf, unlessEmpty, whyOf, type Settled } from '../client-write.ts'
import { denial } from '../gates.ts'
import { objectIn } from '../table.ts'

const maxMetadata = 10

const annotations = (metadata: Json): Json =>
  (isObject(metadata) ? Object.entries(metadata) : []).slice(0, maxMetadata).flatMap(([key, value]) => {
    const words = text(value, maxReasonChars)
    return words === undefined ? [] : [`${key.slice(0, 60)}: ${words}`]
  })

/** The content of each instruction. */
const instructions = (value: Json): Json =>
  [value].flat().flatMap((one: Json) => (isObject(one) ? [one['content'] ?? null] : []))

/** The fields of an answer at one event. A rewrite counts only where docker-agent reads it. */
const fieldsAt = ({ name, isTextContext }: NativeEvent, payload: Payload): FieldTable => {
  const rewrite = (
    rewrites: string,
    must: Field['must'],
    at: readonly string[],
    read?: Field['read'],
  ): Field => ({
    means: at.includes(name) ? 'rewrite' : 'misplaced',
    rewrites,
    must,
    read,
  })
  const context = isTextContext === true ? 'context' : 'misplaced'
  return {
    continue: 'goesOn',
    stop_reason: 'stopReason',
    suppress_output: 'nothing',
    system_message: 'note',
    decision: { means: 'decision', must: { ...mustBe.decision, shape: 'block or allow' } },
    reason: 'reason',
    hook_specific_output: {
      means: 'inner',
      inside: {
        hook_event_name: 'nothing',
        permission_decision: { means: 'decision', must: mustBe.decision },
        permission_decision_reason: 'reason',
        additional_context: context,
        instruction_context: { means: context, read: instructions },
        metadata: { means: 'note', read: annotations },
        updated_input: rewrite(
          'tool_input',
          mustBe.object,
          ['pre_tool_use', 'tool_input_transform'],
          (input) => (isObject(input) ? rewriteFrom('docker-agent', payload, input) : input),
        ),
        updated_messages: rewrite('messages', mustBe.list, ['before_llm_call'], (list) =>
          Array.isArray(list) && list.length === 0 ? undefined : list,
        ),
        // In this field, unlike in others, the empty text counts: it clears the result.
        updated_tool_response: {
          ...rewrite('tool_result', mustBe.text, ['tool_response_transform']),
          isEmptied: name === 'tool_response_transform',
        },
        summary: rewrite('summary', mustBe.text, ['before_compaction']),
      },
    },
  }
}

const readAnswer = (json: JsonObject, native: NativeEvent, payload: Payload): ReadAnswer => {
  const { answer, isStop, stopReason, wrong } = readPlaced(json, fieldsAt(native, payload), native)
  const kind = isStop ? 'block' : answer.kind
  return {
    answer: {
      ...answer,
      // At a permission request the person is asked anyway, so a question adds nothing.
      kind: kind === 'ask' && native.event === 'on_permission_request' ? 'abstain' : kind,
      reason: answer.reason ?? stopReason,
      ...(isStop && native.isGate === true ? { stopsTurn: true } : {}),
    },
    wrong,
  }
}

/** docker-agent takes text that is not meant as JSON as text. */
const printing: Printing = {
  rule: 'A docker-agent hook exits 0 for an answer and 2 to block.',
  takesText: true,
}

/**
 * Reads a hook's output as docker-agent does, with these more careful differences: camelCase names count,
 * `decision` may also be deny, ask or allow, the printed reason stays at exit 2, and a readable deny denies
 * at any exit code.
 */
export const decodeDocker: Dialect['decode'] = (native, payload, output) => {
  const { answer, flaw, json } = readOutput(output, printing, (said) => readAnswer(said, native, payload))
  const isExitTwo = output.exitCode === 2
  const { notes, rewrite, stopsTurn, context } = answer
  const isRefusal = answer.kind === 'block' || isExitTwo
  const plain =
    json === undefined && !isRefusal && flaw === undefined && native.isTextContext === true
      ? text(output.stdout, maxContextChars)
      : undefined
  return conclude(
    {
      // A refusal is only that: the step does not happen, so nothing is rewritten.
      answer: isRefusal
        ? { kind: answer.kind, reason: answer.reason, notes, stopsTurn }
        : { ...answer, context: context ?? plain },
      flaw,
      // The step goes on. Output printed beside exit 2 is not an answer.
      lost: native.isGate !== true && {
        because: `${native.name} cannot be refused; the step went on.`,
        rewrite: isExitTwo ? undefined : rewrite,
        context: isExitTwo ? undefined : context,
      },
    },
    output,
  )
}

/** The events at which a verdict is a permission decision. At other events a block is a block. */
const permissions = ['pre_tool_use', 'tool_guard', 'permission_request']

/** The field of ours that docker-agent lets hooks rewrite, its name there, and whether it fits there. */
const rewritten: Readonly<
  Record<string, { readonly here: string; readonly there: string; readonly isFit: (value: Json) => boolean }>
> = {
  pre_tool_use: { here: 'tool_input', there: 'updated_input', isFit: isObject },
  tool_input_transform: { here: 'tool_input', there: 'updated_input', isFit: isObject },
  before_llm_call: {
    here: 'messages',
    there: 'updated_messages',
    isFit: (value) => Array.isArray(value) && value.length > 0,
  },
  tool_response_transform: {
    here: 'tool_result',
    there: 'updated_tool_response',
    isFit: (value) => typeof value === 'string',
  },
  before_compaction: {
    here: 'summary',
    there: 'summary',
    isFit: (value) => typeof value === 'string' && value !== '',
  },
}

/** Returns the rewritten field in docker-agent's words. */
const placed = (name: string, { payload }: Ruled, { isChanged, input }: Settled): JsonObject => {
  const place = rewritten[name]
  if (place === undefined || isChanged(place.here) === false) return {}
  const value = place.here === 'tool_input' ? input : payload[place.here]
  return value !== undefined && place.isFit(value) ? { [place.there]: value } : {}
}

/**
 * Returns the reason of a refusal if hooks rewrote something that this event cannot replace, because the
 * original must not pass unchanged.
 */
const unplaced = (
  { name, event }: NativeEvent,
  { isChanged, input, noPrompt }: Settled,
): string | undefined =>
  event === 'pre_tool_call' &&
  rewritten[name] === undefined &&
  isChanged('tool_input') === true &&
  input !== undefined
    ? noRewrite('docker-agent', input)
    : noPrompt

export const writeDocker: Client['write'] = (native, ruled, asked) => {
  const { verdict, isConsent, contexts, notes, stopsTurn } = ruled
  const { name } = native
  const settled = settledOf({ speaker: 'docker-agent', title: 'docker-agent' }, ruled, asked)
  const why = verdict === 'allow' ? unplaced(native, settled) : whyOf(ruled)
  const refused = why === undefined ? undefined : denial('docker-agent', name, why)
  const isEnd = stopsTurn === true && native.isGate === true
  const added = contexts.join('\n')
  const isPlaced = added !== '' && native.isTextContext === true
  const { hook_specific_output: denied, ...top } = refused ?? {}
  const specific: JsonObject =
    refused === undefined
      ? {
          ...(isConsent && permissions.includes(name) ? { permission_decision: 'allow' } : {}),
          ...placed(name, ruled, settled),
          ...(isPlaced ? { additional_context: added } : {}),
        }
      : objectIn(denied)
  const personNotes = [
    ...notes,
    ...(why !== undefined && refused === undefined
      ? [`hookgate: a hook wanted to block here, but ${name} cannot be refused: ${why}`]
      : []),
    ...(stopsTurn === true && !isEnd
      ? [`hookgate: a hook wanted to end the turn, which ${name} cannot.`]
      : []),
    ...(added !== '' && !isPlaced && refused === undefined
      ? [`hookgate: a hook had context for the model, for which ${name} has no place.`]
      : []),
  ]
  return unlessEmpty({
    ...top,
    ...(isEnd ? { continue: false, stop_reason: why ?? whyOf(ruled) } : {}),
    ...(personNotes.length === 0 ? {} : { system_message: personNotes.join('\n') }),
    ...(unlessEmpty(specific) === undefined
      ? {}
      : { hook_specific_output: { hook_event_name: name, ...specific } }),
  })
}
