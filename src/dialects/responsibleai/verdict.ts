import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'
import { isNonNull, maxReasonChars, text, unknownFields } from '../reading/output.ts'

/** A verdict of an interceptor, as the specification defines it in its section 5. */
export interface ReadVerdict {
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
const flawOf = (json: JsonObject): string | undefined => {
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
    ...unknownFields(json, known, ''),
  ]
}

/**
 * Reads one object as a verdict. `wrong` is why it is not one. A deny that is otherwise invalid is a plain
 * deny.
 */
export const readVerdict = (json: JsonObject): ReadVerdict | { readonly wrong: string } => {
  const wrong = flawOf(json)
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
