import { isProxy, isUint8Array } from 'node:util/types'
import { InputFile } from 'grammy'
import { maxJsonDepth } from '../../src/model/json.ts'

/** What lies there as data. A getter is never called. */
const fieldOf = (holder: object, key: string): unknown => {
  const field = Object.getOwnPropertyDescriptor(holder, key)
  if (field !== undefined && !('value' in field)) throw new TypeError('Expected plain data, got a getter.')
  return field?.value
}

/** What stands in for a file where its bytes are not to be had. */
const hollow = (): InputFile => {
  const file = Object.create(InputFile.prototype) as InputFile
  Object.freeze(file)
  return file
}

/** Of bytes alone: a path, an address, a stream or a function would say only when it is sent what it holds. */
const copyFile = (file: InputFile): InputFile => {
  const bytes = fieldOf(file, 'fileData')
  const name = fieldOf(file, 'filename')
  if (!isUint8Array(bytes) || (name !== undefined && typeof name !== 'string'))
    throw new TypeError('Expected a file of bytes, got another kind.')
  return new InputFile(new Uint8Array(bytes), name)
}

/** True for a list without holes or an object, of this language's own kinds, without a way of its own to become JSON or another kind. */
const isPlain = (value: object): boolean => {
  const isList = Array.isArray(value)
  const kind: unknown = Reflect.getPrototypeOf(value)
  const isOwnKind = kind === (isList ? Array.prototype : Object.prototype) || (kind === null && !isList)
  return (
    isOwnKind &&
    !('toJSON' in value) &&
    !Object.hasOwn(value, '__proto__') &&
    (!isList || Object.keys(value).length === value.length)
  )
}

const copy = (value: unknown, file: (of: InputFile) => InputFile, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
      throw new TypeError('Expected plain data, got another kind.')
    return value
  }
  // Nothing of it is touched before this: every touch of a proxy runs somebody's code.
  if (isProxy(value)) throw new TypeError('Expected plain data, got a proxy.')
  if (value instanceof InputFile) return file(value)
  if (depth >= maxJsonDepth || !isPlain(value))
    throw new TypeError('Expected plain data, got something else or too deep.')
  const made: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
  for (const key of Object.keys(value)) Reflect.set(made, key, copy(fieldOf(value, key), file, depth + 1))
  return Object.freeze(made)
}

export interface FrozenPayload<T> {
  /** The bytes that it will be. Nobody else may hold it where there are files in it: their bytes cannot be frozen. */
  readonly frozen: T
  /** What may be handed out in its place: it looks the same, and its files are empty. */
  readonly ticket: T
}

/**
 * A payload as it stands now: a frozen copy of plain data in which every file holds bytes of its own.
 * Undefined where nobody can say now what it will be when it is sent.
 */
export const freezePayload = <T extends object>(payload: T): FrozenPayload<T> | undefined => {
  let hasFiles = false
  const fileOf = (file: InputFile): InputFile => {
    hasFiles = true
    return copyFile(file)
  }
  try {
    const frozen = copy(payload, fileOf, 0) as T
    return { frozen, ticket: hasFiles ? (copy(payload, hollow, 0) as T) : frozen }
  } catch {
    return undefined
  }
}
