import { faultAnswer, withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import type { Dialect, NativeEvent } from '../../shared/hooks/dialect.ts'
import { contractOf } from '../../core/model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { got } from '../../core/model/gate/problem.ts'
import { notJson } from '../reading/lines.ts'
import { jsonOf, exited, maxReasonChars, text, truncated, type OutputFlaw } from '../reading/output.ts'
import { encodeResponsibleAi } from './context.ts'
import { approvalRequest, targetOf } from './events.ts'
import { hasRoundedNumber, noRoundedNumber, transformed } from './transform.ts'
import { readVerdict, type ReadVerdict } from './verdict.ts'

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
const answerOf = (native: NativeEvent, payload: Payload, verdict: ReadVerdict): Answer => {
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

const rule = 'A hook of Agent Hooks 0.1 prints one verdict and exits 0.'

const flawOf = (output: HandlerOutput, json: JsonObject | undefined): OutputFlaw | undefined => {
  if (output.isTruncated) return truncated
  if (output.exitCode !== 0) return exited(output, rule)
  if (json !== undefined) return undefined
  return output.stdout.trim() === ''
    ? { kind: 'output', detail: `Expected a verdict on stdout, got nothing. ${rule}` }
    : notJson(output.stdout)
}

/**
 * Reads the output of a hook as a verdict, or as the resolution of a request. Silence is a fault, because the
 * specification wants a verdict of every interceptor. A readable deny denies at any exit code, and exit 2
 * denies as in other systems.
 */
export const decodeResponsibleAi: Dialect['decode'] = (native, payload, output) => {
  const json = jsonOf(output)
  const flaw = flawOf(output, json)
  const verdict = json === undefined || native.name === approvalRequest ? undefined : readVerdict(json)
  if (output.exitCode === 2) {
    const own =
      verdict !== undefined && 'decision' in verdict && verdict.decision === 'deny' ? verdict : undefined
    const why = own?.why ?? text(output.stderr, maxReasonChars)
    const notes = own?.notes ?? []
    return denied(native, payload, {
      decision: 'deny',
      isLiftable: false,
      notes,
      why,
    })
  }
  if (json === undefined) return withFault({ kind: 'abstain', notes: [] }, flaw ?? notJson(output.stdout))
  const answer =
    verdict === undefined
      ? resolved(json, payload)
      : 'wrong' in verdict
        ? faultAnswer('garbled', `host_error:verdict_invalid: ${verdict.wrong}`)
        : answerOf(native, payload, verdict)
  return flaw === undefined || answer.kind === 'block' ? answer : withFault(answer, flaw)
}
