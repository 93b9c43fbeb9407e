import { faultAnswer, withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { Dialect, NativeEvent } from '../../shared/hooks/dialect.ts'
import { contractOf } from '../../core/model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got } from '../../core/model/gate/problem.ts'
import { readOutput, type Printing } from '../reading/conclude.ts'
import { isNonNull, jsonOf, maxReasonChars, text, unknownFields, type OutputFlaw } from '../reading/output.ts'
import { approvalRequest, encodeResponsibleAi, responsibleAiEvents, targetOf } from './events.ts'
import { hasRoundedNumber, noRoundedNumber, transformed } from './transform.ts'

/** A verdict of an interceptor, as the specification defines it in its section 5. */
interface ReadVerdict {
  readonly decision: 'allow' | 'deny' | 'transform'
  /** The texts for people: why, and what else is to be known. */
  readonly why?: string
  readonly notes: readonly string[]
  /** The deny may be lifted by a person. */
  readonly isLiftable: boolean
  readonly transform?: { readonly path: string; readonly value: Json }
}

/** The specification bounds the evidence of a verdict. */
const maxEvidenceBytes = 10_240
const reserved = 'host_error:'
const known = [
  'decision',
  'reason',
  'message',
  'warnings',
  'approval',
  'transform',
  'evidence',
  'result_labels',
]

const isDecision = (word: Json | undefined): word is ReadVerdict['decision'] =>
  word === 'allow' || word === 'deny' || word === 'transform'

const transformIn = (value: Json | undefined): ReadVerdict['transform'] => {
  const { path, value: after = null } = isObject(value) ? value : {}
  return typeof path === 'string' ? { path, value: after } : undefined
}

/** Returns what makes a verdict invalid; undefined for a valid one. */
const verdictFlaw = (json: JsonObject): string | undefined => {
  const { decision, reason, warnings, approval, transform, evidence, result_labels: labels } = json
  if (!isDecision(decision))
    return `Expected "decision" to be allow, deny or transform, got ${got(decision)}.`
  if (isNonNull(reason) && (typeof reason !== 'string' || reason.startsWith(reserved)))
    return `Expected "reason" to be a text that does not begin with ${reserved}, got ${got(reason)}.`
  if (decision === 'transform' ? transformIn(transform) === undefined : transform !== undefined)
    return `Expected "transform" to be {path, value} beside the decision transform and absent elsewhere, got ${got(transform)}.`
  if (approval !== undefined && (decision !== 'deny' || !isObject(approval)))
    return `Expected "approval" to be an object beside the decision deny and absent elsewhere, got ${got(approval)}.`
  if (isNonNull(warnings) && !(Array.isArray(warnings) && warnings.every(isObject)))
    return `Expected "warnings" to be a list of objects, got ${got(warnings)}.`
  if (isNonNull(labels) && !(Array.isArray(labels) && labels.every((label) => typeof label === 'string')))
    return `Expected "result_labels" to be a list of texts, got ${got(labels)}.`
  if (evidence === undefined) return undefined
  if (!isObject(evidence)) return `Expected "evidence" to be an object, got ${got(evidence)}.`
  return Buffer.byteLength(JSON.stringify(evidence)) > maxEvidenceBytes
    ? `Expected "evidence" of at most ${maxEvidenceBytes} bytes, got more.`
    : undefined
}

/** A machine reads `reason` and a person reads `message`. A person gets both. */
const whyIn = ({ message, reason }: JsonObject): string | undefined => {
  const words = text(message, maxReasonChars)
  const code = text(reason, maxReasonChars)
  return words === undefined || code === undefined ? (words ?? code) : `${words} (${code})`
}

const maxWarnings = 20

const notesIn = ({ warnings, evidence, result_labels: labels, ...json }: JsonObject): readonly string[] => {
  const list = Array.isArray(warnings) ? warnings.slice(0, maxWarnings) : []
  const artefact = isObject(evidence) ? text(evidence['artefact'], 200) : undefined
  return [
    ...list.flatMap((warning) => (isObject(warning) ? (whyIn(warning) ?? []) : [])),
    ...(artefact === undefined ? [] : [`Its evidence: ${artefact}`]),
    ...(Array.isArray(labels) && labels.length > 0
      ? ['Its result_labels were not kept: hookgate has no place for labels.']
      : []),
    ...unknownFields(Object.keys(json), known, ''),
  ]
}

/**
 * Reads one object as a verdict. `wrong` is why it is not one. A deny that is otherwise invalid is a plain
 * deny.
 */
const readVerdict = (json: JsonObject): ReadVerdict | { readonly wrong: string } => {
  const wrong = verdictFlaw(json)
  const { decision } = json
  if (wrong !== undefined && decision !== 'deny') return { wrong }
  const why = whyIn(json)
  const transform = transformIn(json['transform'])
  return {
    decision: isDecision(decision) ? decision : 'deny',
    notes: wrong === undefined ? notesIn(json) : [wrong],
    isLiftable: wrong === undefined && json['approval'] !== undefined,
    why,
    transform: decision === 'transform' ? transform : undefined,
  }
}

const textual = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The only member of a target that we can change, where the target has others. */
const contentOf = (before: Json | undefined, after: Json): Json | undefined => {
  if (!isObject(before) || !isObject(after)) return undefined
  const { content: _old, ...rest } = before
  const { content, ...others } = after
  return JSON.stringify(rest) === JSON.stringify(others) ? content : undefined
}

/** By event, our rewrite for a changed target. Undefined: the change does not fit there. */
const rewrites: Readonly<Record<string, (after: Json, before: Json | undefined) => JsonObject | undefined>> =
  {
    input: (after, before) => {
      const content = contentOf(before, after)
      return content === undefined ? undefined : { message: textual(content) }
    },
    pre_model_call: (after) => ({ messages: after }),
    pre_tool_call: (after) => (isObject(after) ? { tool_input: after } : undefined),
    post_tool_call: (after) => ({ tool_result: textual(after) }),
    output: (after, before) => {
      const content = contentOf(before, after)
      return content === undefined ? undefined : { notification: textual(content) }
    },
  }

/** A transform as our rewrite, or the fault that the specification makes of it. */
const applied = (
  native: NativeEvent,
  payload: Payload,
  { path, value }: NonNullable<ReadVerdict['transform']>,
): { readonly rewrite: JsonObject } | { readonly flaw: string } => {
  const back = rewrites[native.name]
  if (back === undefined)
    return { flaw: `host_error:transform_target_forbidden: ${native.name} permits no transform here.` }
  if (hasRoundedNumber(value)) return { flaw: `host_error:context_invalid: ${noRoundedNumber}` }
  const before = targetOf(native.name, encodeResponsibleAi(native, payload))
  const after = transformed(before ?? null, path, value)
  if ('wrong' in after) return { flaw: `${after.reason}: ${after.wrong}` }
  const rewrite = back(after.value, before)
  return rewrite === undefined
    ? { flaw: `host_error:transform_invalid: at ${native.name} only the content can be changed.` }
    : { rewrite }
}

/** A deny, as far as the event can be refused. */
const denied = (
  { name }: NativeEvent,
  { event }: Payload,
  { why = 'blocked by hook', notes, isLiftable }: ReadVerdict,
): Answer => {
  const { gate } = contractOf(event)
  if (isLiftable && gate.includes('ask')) return { kind: 'ask', reason: why, notes }
  if (gate.includes('block')) return { kind: 'block', reason: why, notes }
  if (event === 'transform_tool_result')
    return { kind: 'abstain', notes, rewrite: { tool_result: `[withheld by a hook: ${why}]` } }
  return {
    kind: 'abstain',
    notes: [...notes, `It wanted to block (${why}), but at ${name} there is nothing left to block.`],
  }
}

/** `allow` is no consent: it is what an interceptor says that has nothing against the step. */
const answerOf = (native: NativeEvent, payload: Payload, verdict: ReturnType<typeof readVerdict>): Answer => {
  if ('wrong' in verdict) return faultAnswer('garbled', `host_error:verdict_invalid: ${verdict.wrong}`)
  const { decision, notes, transform } = verdict
  if (decision === 'deny') return denied(native, payload, verdict)
  if (transform === undefined) return { kind: 'abstain', notes }
  const change = applied(native, payload, transform)
  if ('rewrite' in change) return { kind: 'abstain', notes, rewrite: change.rewrite }
  return contractOf(payload.event).gate.length > 0
    ? { ...faultAnswer('rewrite', change.flaw), notes }
    : { kind: 'abstain', notes: [...notes, `Its transform was not used: ${change.flaw}`] }
}

/** Reads what a resolver said about a request for an approval, in the order that the specification sets. */
const resolved = (json: JsonObject, payload: Payload): Answer => {
  const { outcome, context_identity: echo, verdict } = json
  const invalid = (code: string, detail: string): Answer =>
    faultAnswer('garbled', `host_error:${code}: ${detail}`)
  if ((echo ?? null) !== (payload['context_identity'] ?? null))
    return invalid(
      'approval_identity_mismatch',
      'Expected "context_identity" to be the one of the request, got another.',
    )
  if (outcome !== 'approve' && outcome !== 'reject' && outcome !== 'unresolved')
    return invalid(
      'approval_resolver_failed',
      `Expected "outcome" to be approve, reject or unresolved, got ${got(outcome)}.`,
    )
  if ((verdict === undefined) !== (outcome === 'unresolved') || (verdict !== undefined && !isObject(verdict)))
    return invalid(
      'approval_resolver_failed',
      `Expected "verdict" beside approve and reject, and nowhere else, got ${got(verdict)}.`,
    )
  if (!isObject(verdict)) return { kind: 'abstain', notes: [] }
  const read = readVerdict(verdict)
  if ('wrong' in read) return invalid('verdict_invalid', read.wrong)
  if ((outcome === 'reject') !== (read.decision === 'deny'))
    return invalid('verdict_invalid', `Expected a verdict that fits to ${outcome}, got ${read.decision}.`)
  if (outcome === 'reject') return { kind: 'block', reason: read.why ?? 'blocked by hook', notes: read.notes }
  return read.decision === 'allow'
    ? { kind: 'allow', notes: read.notes }
    : {
        kind: 'abstain',
        notes: [...read.notes, 'Its approval carries a transform, which cannot be used here, so it is none.'],
      }
}

const printing: Printing = { rule: 'A hook of Agent Hooks 0.1 prints one verdict and exits 0.' }

/**
 * Reads the output of a hook as a verdict, or as the resolution of a request. Silence is a fault, because the
 * specification wants a verdict of every interceptor. A readable deny denies at any exit code, and exit 2
 * denies as in other systems.
 */
const decode: Dialect['decode'] = (native, payload, output) => {
  const isRequest = native.name === approvalRequest
  if (output.exitCode === 2) {
    const json = jsonOf(output)
    const read = json === undefined || isRequest ? undefined : readVerdict(json)
    const own = read !== undefined && 'decision' in read && read.decision === 'deny' ? read : undefined
    const why = own?.why ?? text(output.stderr, maxReasonChars)
    return denied(native, payload, { decision: 'deny', isLiftable: false, notes: own?.notes ?? [], why })
  }
  const { answer, json, flaw } = readOutput(output, printing, (said) => ({
    answer: isRequest ? resolved(said, payload) : answerOf(native, payload, readVerdict(said)),
  }))
  const silence: OutputFlaw = {
    kind: 'output',
    detail: `It printed no verdict. ${printing.rule}`,
  }
  if (json === undefined) return withFault(answer, flaw ?? silence)
  return flaw === undefined || answer.kind === 'block' ? answer : withFault(answer, flaw)
}

/**
 * Agent Hooks 0.1 of github.com/responsibleai/agent-hooks. The specification has interceptors in the agent's
 * process and defines no transport. Here a hook is a program or a server: the context is its input, and the
 * verdict is its output.
 */
export const responsibleAi: Dialect = {
  name: 'responsibleai-agent-hooks',
  events: responsibleAiEvents,
  shell: 'sh',
  timeoutMs: { default: 5000, min: 100, max: 600_000 },
  asksByDeny: true,
  encode: encodeResponsibleAi,
  decode,
  env: () => ({}),
}
