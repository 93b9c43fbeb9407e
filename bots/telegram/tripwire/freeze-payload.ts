import { isProxy, isUint8Array } from 'node:util/types'
import { InputFile } from 'grammy'
import { maxJsonDepth } from '../../../src/core/model/base/json.ts'

/** The value of a data property. A getter is never called; it throws a TypeError. */
const fieldOf = (holder: object, key: string): unknown => {
  const field = Object.getOwnPropertyDescriptor(holder, key)
  if (field !== undefined && !('value' in field)) throw new TypeError('Expected plain data, got a getter.')
  return field?.value
}

/** A file without bytes for the ticket. */
const emptyFile = (): InputFile => {
  const file = Object.create(InputFile.prototype) as InputFile
  Object.freeze(file)
  return file
}

/**
 * Copies a file that holds bytes. Throws a TypeError for a path, a URL, a stream or a function, because its
 * content is known only when it is sent.
 */
const copyFile = (file: InputFile): InputFile => {
  const bytes = fieldOf(file, 'fileData')
  const name = fieldOf(file, 'filename')
  if (!isUint8Array(bytes) || (name !== undefined && typeof name !== 'string'))
    throw new TypeError('Expected a file of bytes, got another kind.')
  return new InputFile(new Uint8Array(bytes), name)
}

/**
 * True for a plain object, and for an array without holes. Both must have no `toJSON` and no own `__proto__`.
 */
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
  // This check comes before any access, because every access of a proxy runs foreign code.
  if (isProxy(value)) throw new TypeError('Expected plain data, got a proxy.')
  if (value instanceof InputFile) return file(value)
  if (depth >= maxJsonDepth || !isPlain(value))
    throw new TypeError('Expected plain data, got something else or too deep.')
  const made: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
  for (const key of Object.keys(value)) Reflect.set(made, key, copy(fieldOf(value, key), file, depth + 1))
  return Object.freeze(made)
}

export interface FrozenPayload<T> {
  /**
   * The payload that is sent. Other code must not get it when it has files, because the bytes of a file
   * cannot be frozen.
   */
  readonly frozen: T
  /** A copy that other code may hold. It has the same fields, and its files are empty. */
  readonly ticket: T
}

/**
 * Makes a frozen copy of a payload. Every file in the copy has its own bytes. Undefined when the payload is
 * not plain data, because it could change before it is sent.
 */
export const freezePayload = <T extends object>(payload: T): FrozenPayload<T> | undefined => {
  let hasFiles = false
  const fileOf = (file: InputFile): InputFile => {
    hasFiles = true
    return copyFile(file)
  }
  try {
    const frozen = copy(payload, fileOf, 0) as T
    return { frozen, ticket: hasFiles ? (copy(payload, emptyFile, 0) as T) : frozen }
  } catch {
    return undefined
  }
}
