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
  if (!isUint8Array(bytes) || (name !== undefined && typeof name !== 'string')) throw new TypeError('Expected a file of bytes, got another kind.')
  return new InputFile(new Uint8Array(bytes), name)
}

/** True for a list without holes or an object, of this language's own kinds and without a way of its own to become JSON. */
const isPlain = (value: object): boolean => {
  const isList = Array.isArray(value)
  const kind: unknown = Reflect.getPrototypeOf(value)
  const isOwnKind = kind === (isList ? Array.prototype : Object.prototype) || (kind === null && !isList)
  return isOwnKind && !('toJSON' in value) && (!isList || Object.keys(value).length === value.length)
}

const copy = (value: unknown, file: (of: InputFile) => InputFile, depth: number): unknown => {
  if (typeof value !== 'object' || value === null) {
    if (['string', 'number', 'boolean', 'undefined'].includes(typeof value) || value === null) return value
    throw new TypeError('Expected plain data, got a function, a symbol or a big integer.')
  }
  // Nothing of it is touched before this: every touch of a proxy runs somebody's code.
  if (isProxy(value)) throw new TypeError('Expected plain data, got a proxy.')
  if (value instanceof InputFile) return file(value)
  if (depth >= maxJsonDepth || !isPlain(value)) throw new TypeError('Expected plain data, got something else or too deep.')
  const fields = Object.keys(value).map((key) => [key, copy(fieldOf(value, key), file, depth + 1)] as const)
  return Object.freeze(Array.isArray(value) ? fields.map(([, item]) => item) : Object.fromEntries(fields))
}

const tryCopy = <T extends object>(value: T, file: (of: InputFile) => InputFile): T | undefined => {
  try {
    return copy(value, file, 0) as T
  } catch {
    return undefined
  }
}

/**
 * A payload as the bytes that it will be: a frozen copy of plain data in which every file holds its own bytes.
 * Nobody else may hold it. Undefined where nobody can say now what it will be when it is sent.
 */
export const seal = <T extends object>(payload: T): T | undefined => tryCopy(payload, copyFile)

/** The same to hand out: it looks like the payload, frozen, and its files are empty. */
export const ticketFor = <T extends object>(payload: T): T | undefined => tryCopy(payload, hollow)
