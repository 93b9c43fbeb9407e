import { memoizeEach } from '../../core/model/base/memoize.ts'
import type { Answer } from '../../core/model/hooks/answer.ts'
import type { EventName } from '../../core/model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'
import {
  decisionOf,
  isNonNull,
  maxContextChars,
  maxReasonChars,
  strongest,
  text,
  unknownFields,
} from './output.ts'

/** The meaning of a field in an answer, whatever its name. */
type Meaning =
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
  /** A known field in the wrong part of the answer. It has no effect there. */
  | 'misplaced'
  /** A known field that has no effect here, and nothing is lost by that. */
  | 'nothing'
  /** A known field that asks for something hookgate cannot do. */
  | 'unused'

export interface Field {
  readonly means: Meaning
  /**
   * The field of our payload that it rewrites. `read` returns the new value, or undefined if the field says
   * nothing.
   */
  readonly rewrites?: string
  readonly read?: (value: Json) => Json | undefined
  /** What its value must be, where that is not what its meaning says. */
  readonly must?: Shape
  /** The empty text is a value here. */
  readonly isEmptied?: boolean
  /** The known fields of an object in this place. */
  readonly inside?: FieldTable
}

interface Shape {
  readonly shape: string
  readonly isFit: (value: Json) => boolean
}

export const mustBe = {
  object: { shape: 'an object', isFit: isObject },
  list: { shape: 'a list', isFit: (value: Json) => Array.isArray(value) },
  text: { shape: 'a string', isFit: (value: Json) => typeof value === 'string' },
  decision: { shape: 'allow, deny or ask', isFit: (value: Json) => decisionOf(value) !== undefined },
} as const satisfies Readonly<Record<string, Shape>>

/** The fields of one system at one level: name → meaning. */
export type FieldTable = Readonly<Record<string, Meaning | Field>>

/** One field that an answer has. `where` is the path before it, with its dot. */
interface FoundField {
  readonly field: Field
  readonly name: string
  readonly where: string
  readonly value: Json
}

/**
 * Returns the plain spelling: `permission_decision`, `permissionDecision` and `PermissionDecision` are one
 * name. A deny must not fail because of its spelling.
 */
export const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()

/** Returns the fields inside an object. A decision is a word, or an object that holds the word. */
const insideOf = ({ means, inside }: Field, value: Json): FieldTable | undefined =>
  isObject(value) && (means === 'inner' || Object.hasOwn(value, 'behavior')) ? inside : undefined

/** The names of a table by their plain spelling. They are made once for a table. */
const plainNames = memoizeEach(
  (fields: FieldTable) => new Map(Object.keys(fields).map((name) => [plain(name), name])),
)

/**
 * Finds all fields that are not null, in the order of the table. Inner fields come first, because they are
 * more exact. `strange` has a note for each unknown field.
 */
const findFields = (
  json: JsonObject,
  fields: FieldTable,
  isSpelled: boolean,
  where: string,
): { readonly found: readonly FoundField[]; readonly strange: readonly string[] } => {
  const own: FoundField[] = []
  const within: FoundField[] = []
  const answers = Object.entries(json)
  if (answers.length === 0) return { found: [], strange: [] }
  const nameOf = (key: string): string | undefined => {
    if (isSpelled) return plainNames(fields).get(plain(key))
    return Object.hasOwn(fields, key) ? key : undefined
  }
  const said = Map.groupBy(answers, ([key]) => nameOf(key))
  const unknown = said.get(undefined)?.map(([key]) => key)
  const strange = unknown === undefined ? [] : [...unknownFields(unknown, Object.keys(fields), where)]
  for (const name in fields) {
    const values = said.get(name)
    const meaning = fields[name]
    if (values === undefined || meaning === undefined) continue
    const field: Field = typeof meaning === 'string' ? { means: meaning } : meaning
    for (const [, value] of values) {
      if (!isNonNull(value) || (isSpelled && value === '' && field.isEmptied !== true)) continue
      const inside = insideOf(field, value)
      if (inside === undefined || !isObject(value)) {
        own.push({ field, name, where, value })
        continue
      }
      const deeper = findFields(value, inside, isSpelled, `${where}${name}.`)
      within.push(...deeper.found)
      strange.push(...deeper.strange)
    }
  }
  return { found: [...within, ...own], strange }
}

/** The meaning of an answer's fields, before the rules of the event are applied. */
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
  /** The rewrites: our field → its new value. Absent: there is none. */
  readonly rewrite: JsonObject | undefined
  readonly notes: readonly string[]
  /** The paths of fields that have no effect in their place. */
  readonly misplaced: readonly string[]
  /** An error message for the first field that should decide something and cannot be read. */
  readonly wrong: string | undefined
}

/** At these events a block makes the agent go on, and `continue: false` lets it stop. */
export const goOnEvents: readonly EventName[] = ['on_stop', 'on_completion_claim', 'on_subagent_stop']

/**
 * Returns the kind of a decision word. `defer` parks a call until a person answers, so here it is a question
 * to the person.
 */
export const kindOf = (word: Json): Answer['kind'] | undefined =>
  word === 'defer' ? 'ask' : decisionOf(word)

/** The required shape of each field that decides something. */
const yesOrNo: Shape = { shape: 'true or false', isFit: (value) => typeof value === 'boolean' }
const shapes: Readonly<Partial<Record<Meaning, Shape>>> = {
  decision: { shape: 'block, allow or ask', isFit: (value) => kindOf(value) !== undefined },
  goesOn: yesOrNo,
  inner: mustBe.object,
  ok: yesOrNo,
}

const mustOf = ({ means, must }: Field): Shape | undefined => must ?? shapes[means]
const isUnfit = ({ field, value }: FoundField): boolean => mustOf(field)?.isFit(value) === false

const unreadable = (found: readonly FoundField[]): string | undefined => {
  const all = found.filter(isUnfit)
  const order = [...Object.keys(shapes), 'rewrite', 'misplaced']
  const [unfit] = all.toSorted((a, b) => order.indexOf(a.field.means) - order.indexOf(b.field.means))
  if (unfit === undefined) return undefined
  const { field, name, value } = unfit
  const called = field.means === 'decision' && field.must === undefined ? 'decision' : name
  return `The "${called}" of its answer has to be ${mustOf(field)?.shape ?? ''}, and is ${got(value)}.`
}

const rewriteOf = (found: readonly FoundField[]): JsonObject | undefined => {
  const values = found.flatMap(({ field: { rewrites, read }, name, value }) => {
    const newValue = read === undefined ? value : read(value)
    return newValue === undefined ? [] : [{ ours: rewrites ?? name, name, value: newValue }]
  })
  // If a rewrite stands under two names, the one under our name counts.
  const inOrder = values.toSorted((a, b) => Number(a.name === a.ours) - Number(b.name === b.ours))
  return values.length === 0 ? undefined : Object.fromEntries(inOrder.map(({ ours, value }) => [ours, value]))
}

/** Reads an answer by the field table of its system. */
export const readAnswerFields = (
  json: JsonObject,
  fields: FieldTable,
  { isSpelled = false }: { readonly isSpelled?: boolean } = {},
): AnswerFields => {
  const { found, strange } = findFields(json, fields, isSpelled, '')
  const all = (means: Meaning): readonly FoundField[] => found.filter(({ field }) => field.means === means)
  const words = (means: Meaning, maxChars = maxReasonChars): readonly string[] =>
    all(means).flatMap(({ field: { read }, value }) => {
      const said = read?.(value) ?? value
      return (read !== undefined && Array.isArray(said) ? said : [said]).flatMap(
        (one: Json) => text(one, maxChars) ?? [],
      )
    })
  const has = (means: Meaning, value: boolean): boolean => all(means).some((one) => one.value === value)
  const paths = (means: Meaning): readonly string[] => all(means).map(({ where, name }) => `${where}${name}`)

  const decided = all('decision').map((one) => ({
    where: one.where,
    kind: isUnfit(one) ? undefined : kindOf(one.value),
  }))
  const kind = strongest(decided.map((one) => one.kind))
  // If two parts disagree, the reason comes from the part that counts.
  const decidingPath = decided.find((one) => one.kind === kind)?.where
  const reasons = all('reason')
  return {
    kind,
    isStop: has('goesOn', false),
    isRefused: has('ok', false),
    isImpossible: has('impossible', true),
    isInterrupt: has('interrupt', true),
    reason: [...reasons.filter(({ where }) => where === decidingPath), ...reasons]
      .map(({ value }) => text(value, maxReasonChars))
      .find(isNonNull),
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
