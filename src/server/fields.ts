import type { IncomingHttpHeaders } from 'node:http'
import { contractOf, type EventName, fieldsOf } from '../model/events/event.ts'
import type { Json, JsonObject } from '../model/base/json.ts'
import { got } from '../model/gate/problem.ts'
import type { FireOptions } from '../model/events/step.ts'
import { RefusedError } from './ports.ts'

const typeOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value

const maxNameLength = 256
const names = ['channel', 'chat_id', 'parent_session_id', 'prompt_id', 'push_id'] as const

export const wrong = (field: string, expected: string, value: Json | undefined): RefusedError =>
  new RefusedError(
    400,
    'body.field',
    `Expected "${field}" to be ${expected}, got ${got(value)}.`,
    `Send "${field}" as ${expected}.`,
  )

export const checkType = (body: JsonObject, field: string, type: string, isRequired: boolean): void => {
  const value = body[field]
  if (value === undefined ? isRequired : typeOf(value) !== type)
    throw wrong(field, `${type === 'object' ? 'an' : 'a'} ${type}`, value)
}

/** Checks an id or a name. It must not be empty, and not long enough to hide text in it. */
export const checkName = (body: JsonObject, field: string, isRequired: boolean): void => {
  checkType(body, field, 'string', isRequired)
  const value = body[field]
  if (typeof value === 'string' && (value === '' || value.length > maxNameLength)) {
    throw wrong(field, `a string of 1 to ${maxNameLength} characters`, value)
  }
}

/**
 * Compares the body of an event with the contract table. Every field in the body must have the type of its
 * sample. Where a hook may block, the fields that matchers search are required, so that a misspelled field
 * name cannot bypass a hook.
 */
export const checkEvent = (event: EventName, body: JsonObject): void => {
  const contract = contractOf(event)
  checkName(body, 'session_id', true)
  checkType(body, 'cwd', 'string', true)
  for (const name of names) checkName(body, name, false)
  for (const [field, sample] of Object.entries(fieldsOf(event))) {
    const isSearched = contract.gate.length > 0 && contract.search.includes(field)
    // A missing list counts as an empty list.
    checkType(body, field, typeOf(sample), isSearched && !Array.isArray(sample))
  }
}

const maxChain = 32
const [minAskMs, maxAskMs] = [1_000, 24 * 60 * 60 * 1000]

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
