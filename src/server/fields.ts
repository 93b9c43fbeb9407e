import type { IncomingHttpHeaders } from 'node:http'
import { contractOf, EVENT_NAMES, type EventName, fieldsOf } from '../core/model/events/event.ts'
import type { Json, JsonObject } from '../core/model/base/json.ts'
import { got } from '../core/model/gate/problem.ts'
import type { FireOptions } from '../shared/events/patience.ts'
import { RefusedError } from './ports.ts'

type FieldType = 'null' | 'list' | 'string' | 'number' | 'boolean' | 'object'

const typeOf = (value: Json): FieldType => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'boolean' : 'object'
}

/** The check of one field of a body. The description of the interface for machines is made from it, too. */
export interface BodyField {
  readonly name: string
  readonly type: FieldType
  readonly isRequired: boolean
  /** It is an id or a name: not empty, and not long enough to hide text in it. */
  readonly isName?: true
}

export const maxNameLength = 256

export const nameField = (name: string, isRequired = false): BodyField => ({
  name,
  type: 'string',
  isRequired,
  isName: true,
})

export const wrong = (field: string, expected: string, value: Json | undefined): RefusedError =>
  new RefusedError(
    400,
    'body.field',
    `Expected "${field}" to be ${expected}, got ${got(value)}.`,
    `Send "${field}" as ${expected}.`,
  )

/** Checks the fields of a body. Fields that are not listed pass. Throws a RefusedError. */
export const checkFields = (fields: readonly BodyField[], body: JsonObject): void => {
  for (const { name, type, isRequired, isName } of fields) {
    const value = body[name]
    if (value === undefined ? isRequired : typeOf(value) !== type)
      throw wrong(name, `${type === 'object' ? 'an' : 'a'} ${type}`, value)
    if (isName === true && typeof value === 'string' && (value === '' || value.length > maxNameLength))
      throw wrong(name, `a string of 1 to ${maxNameLength} characters`, value)
  }
}

const ofEveryEvent: readonly BodyField[] = [
  nameField('session_id', true),
  { name: 'cwd', type: 'string', isRequired: true },
  ...['channel', 'chat_id', 'parent_session_id', 'prompt_id', 'push_id'].map((name) => nameField(name)),
]

/**
 * The fields of an event's body, by the contract table. Every field must have the type of its sample. Where a
 * hook may block, the fields that matchers search are required, so that a misspelled field name cannot bypass
 * a hook.
 */
export const eventFields = (event: EventName): readonly BodyField[] => {
  const { gate, search } = contractOf(event)
  return [
    ...ofEveryEvent,
    ...Object.entries(fieldsOf(event)).map(([name, sample]) => {
      const isSearched = gate.length > 0 && search.includes(name)
      // A missing list counts as an empty list.
      return { name, type: typeOf(sample), isRequired: isSearched && !Array.isArray(sample) }
    }),
  ]
}

const fieldsByEvent = new Map(EVENT_NAMES.map((event) => [event, eventFields(event)]))

/** Compares the body of an event with the contract table. Throws a RefusedError. */
export const checkEvent = (event: EventName, body: JsonObject): void =>
  checkFields(fieldsByEvent.get(event) ?? [], body)

const maxChain = 32
export const [minAskMs, maxAskMs] = [1_000, 24 * 60 * 60 * 1000]

/**
 * Returns how long a caller waits for a person, in milliseconds, or undefined when it does not wait. Only
 * tool calls use it.
 */
const askMsOf = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  const askMs = Number(header)
  if (!/^\d+$/.test(header) || askMs < minAskMs || askMs > maxAskMs) {
    throw new RefusedError(
      400,
      'header.ask',
      `Expected "X-Hookgate-Ask-Ms" to be a whole number from ${minAskMs} to ${maxAskMs}, got ${got(header)}.`,
      'Send milliseconds, or leave the header out.',
    )
  }
  return askMs
}

/**
 * Reads the headers of an event: its deadline, how long the caller waits for a person, and the chain of
 * events that caused it.
 */
export const fireOptions = (headers: IncomingHttpHeaders): FireOptions => {
  const deadline = headers['x-hookgate-deadline-ms']
  const deadlineMs = Number(deadline)
  if (deadline !== undefined && !(Number.isSafeInteger(deadlineMs) && deadlineMs > 0)) {
    throw new RefusedError(
      400,
      'header.deadline',
      `Expected "X-Hookgate-Deadline-Ms" to be a whole number above 0, got ${got(deadline)}.`,
      'Send milliseconds, or leave the header out.',
    )
  }
  const chain = String(headers['x-hookgate-chain'] ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  if (chain.length > maxChain || chain.some((id) => !/^[\w.:-]{1,128}$/.test(id))) {
    throw new RefusedError(
      400,
      'header.chain',
      `Expected "X-Hookgate-Chain" to be at most ${maxChain} event ids, got something else.`,
      'Pass HOOKGATE_CHAIN on as it is.',
    )
  }
  const askMs = askMsOf(headers['x-hookgate-ask-ms']?.toString())
  return { chain, ...(deadline !== undefined && { deadlineMs }), ...(askMs !== undefined && { askMs }) }
}
