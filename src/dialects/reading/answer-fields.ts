import type { Answer } from '../../model/hooks/answer.ts'
import type { EventName } from '../../model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../model/base/json.ts'
import { got } from '../../model/gate/problem.ts'
import {
  decisionOf,
  isSaid,
  maxContextChars,
  maxReasonChars,
  strongest,
  text,
  unknownFields,
} from './output.ts'

/** What a field of an answer means, whatever its name. */
export type Meaning =
  | 'decision'
  | 'reason'
  | 'stopReason'
  | 'context'
  | 'note'
  | 'goesOn'
  | 'ok'
  | 'impossible'
  | 'interrupt'
  | 'rewrite'
  /** An object of further fields. */
  | 'inner'
  /** Known elsewhere in the answer; where it stands it has no effect. */
  | 'misplaced'
  /** Known, and nothing is lost when it has no effect. */
  | 'nothing'
  /** Known, and what it asks for cannot be done. */
  | 'unused'

export interface Field {
  readonly means: Meaning
  /** The field of our payload that it rewrites; `read` gives its new value, or undefined where it says nothing. */
  readonly rewrites?: string
  readonly read?: (value: Json) => Json | undefined
  /** What is known in an object that stands there. */
  readonly inside?: FieldTable
}

/** Name → what it means: one system's fields at one level. */
export type FieldTable = Readonly<Record<string, Meaning | Field>>

/** One field that was said. `where`: the path before it, with its dot. */
interface FoundField {
  readonly field: Field
  readonly name: string
  readonly where: string
  readonly value: Json
}

/** A decision is a word, or an object with that word in it. */
const insideOf = ({ means, inside }: Field, value: Json): FieldTable | undefined =>
  isObject(value) && (means === 'inner' || Object.hasOwn(value, 'behavior')) ? inside : undefined

/** Every field that says something; what stands within comes first, as it is more exact. `strange`: a note for each unknown one. */
const findFields = (
  json: JsonObject,
  fields: FieldTable,
  where: string,
): { readonly found: readonly FoundField[]; readonly strange: readonly string[] } => {
  const own: FoundField[] = []
  const within: FoundField[] = []
  const strange = [...unknownFields(json, Object.keys(fields), where)]
  for (const [name, known] of Object.entries(fields)) {
    const value = Object.hasOwn(json, name) ? json[name] : undefined
    if (!isSaid(value)) continue
    const field: Field = typeof known === 'string' ? { means: known } : known
    const inside = insideOf(field, value)
    if (inside === undefined || !isObject(value)) {
      own.push({ field, name, where, value })
      continue
    }
    const deeper = findFields(value, inside, `${where}${name}.`)
    within.push(...deeper.found)
    strange.push(...deeper.strange)
  }
  return { found: [...within, ...own], strange }
}

/** An answer by what its fields mean, before the event has its say. */
export interface AnswerFields {
  readonly kind: Answer['kind']
  /** `continue: false`. */
  readonly isStop: boolean
  /** `ok: false`. */
  readonly isRefused: boolean
  readonly isImpossible: boolean
  readonly isInterrupt: boolean
  readonly reason: string | undefined
  readonly stopReason: string | undefined
  readonly context: string | undefined
  /** Our field → new value. */
  readonly rewrite: JsonObject
  readonly notes: readonly string[]
  /** The paths of what has no effect where it stands. */
  readonly misplaced: readonly string[]
  /** The first thing that was meant to steer and cannot be read. */
  readonly wrong: string | undefined
}

/** Where a block means "go on", and `continue: false` lets the agent stop. */
export const goOnEvents: readonly EventName[] = ['on_stop', 'on_completion_claim', 'on_subagent_stop']

/** `defer` parks a call until a person answers: here that is a question to the person. */
export const kindOf = (word: Json): Answer['kind'] | undefined =>
  word === 'defer' ? 'ask' : decisionOf(word)

/** How each field that steers has to look. */
const shapes: Readonly<
  Partial<Record<Meaning, { readonly shape: string; readonly isFit: (value: Json) => boolean }>>
> = {
  decision: { shape: 'block, allow or ask', isFit: (value) => kindOf(value) !== undefined },
  goesOn: { shape: 'true or false', isFit: (value) => typeof value === 'boolean' },
  inner: { shape: 'an object', isFit: isObject },
  ok: { shape: 'true or false', isFit: (value) => typeof value === 'boolean' },
}

const unreadable = (found: readonly FoundField[]): string | undefined => {
  for (const [means, { shape, isFit }] of Object.entries(shapes)) {
    const misfit = found.find(({ field, value }) => field.means === means && !isFit(value))
    if (misfit !== undefined)
      return `Expected "${means === 'decision' ? 'decision' : misfit.name}" to be ${shape}, got ${got(misfit.value)}.`
  }
  return undefined
}

const rewriteOf = (found: readonly FoundField[]): JsonObject => {
  const said = found.flatMap(({ field: { rewrites, read }, name, value }) => {
    const read_ = read === undefined ? value : read(value)
    return read_ === undefined ? [] : [{ ours: rewrites ?? name, name, value: read_ }]
  })
  // Said under two names, our own counts.
  const isOwn = (one: (typeof said)[number]): boolean => one.name === one.ours
  return Object.fromEntries(
    [...said.filter((one) => !isOwn(one)), ...said.filter(isOwn)].map(({ ours, value }) => [ours, value]),
  )
}

/** Reads an answer by a table of its system's fields. */
export const readSaid = (json: JsonObject, fields: FieldTable): AnswerFields => {
  const { found, strange } = findFields(json, fields, '')
  const all = (means: Meaning): readonly FoundField[] => found.filter(({ field }) => field.means === means)
  const words = (means: Meaning, maxChars = maxReasonChars): readonly string[] =>
    all(means).flatMap(({ value }) => text(value, maxChars) ?? [])
  const has = (means: Meaning, value: boolean): boolean => all(means).some((one) => one.value === value)
  const paths = (means: Meaning): readonly string[] => all(means).map(({ where, name }) => `${where}${name}`)

  const decided = all('decision').map(({ where, value }) => ({ where, kind: kindOf(value) }))
  const kind = strongest(decided.map((one) => one.kind))
  // Of two halves that disagree, the reason is that of the one which counts.
  const place = decided.find((one) => one.kind === kind)?.where
  const reasons = all('reason')
  return {
    kind,
    isStop: has('goesOn', false),
    isRefused: has('ok', false),
    isImpossible: has('impossible', true),
    isInterrupt: has('interrupt', true),
    reason: [...reasons.filter(({ where }) => where === place), ...reasons]
      .map(({ value }) => text(value, maxReasonChars))
      .find(isSaid),
    stopReason: words('stopReason')[0],
    context: text([...new Set(words('context', maxContextChars))].join('\n'), maxContextChars),
    rewrite: rewriteOf(all('rewrite')),
    notes: [
      ...words('note'),
      ...strange,
      ...paths('unused').map((path) => `Its "${path}" was not used: hookgate has no such thing.`),
    ],
    misplaced: paths('misplaced'),
    wrong: unreadable(found),
  }
}
