import { jsonFacts, maxJsonTokens, nameTwice, type JsonFacts } from './json-tokens.ts'

/**
 * JSON as data. It crosses every boundary of the gate. A bigint is an integer that a double would round, such
 * as the 64-bit id of a chat.
 */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

type Reviver = (name: string, value: Json, at: { readonly source?: string }) => Json
const { rawJSON, parse } = JSON as unknown as {
  readonly rawJSON: (text: string) => object
  readonly parse: (text: string, reviver?: Reviver) => Json
}

/** With this, `JSON.stringify` writes a bigint as the number that it is, wherever it is called. */
Object.assign(BigInt.prototype, {
  toJSON(this: bigint) {
    return rawJSON(String(this))
  },
})

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The greatest nesting depth. No event or answer of ours is deeper. Later code walks a value recursively, and
 * this bound protects its stack.
 */
export const maxJsonDepth = 64

/**
 * True when objects and lists are nested deeper than `maxJsonDepth`. It does not recurse, since it protects
 * recursive code.
 */
export const isTooDeep = (value: Json): boolean => {
  let level: readonly Json[] = [value]
  for (let depth = 0; depth <= maxJsonDepth && level.length > 0; depth++) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return level.length > 0
}

export const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const countNames = (value: Json): number => {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (isList(value)) for (const inner of value) count += countNames(inner)
  else for (const name in value) count += 1 + countNames(value[name] ?? null)
  return count
}

/** JSON that is not read, because programs would read it differently or for too long. */
export class JsonFault extends Error {
  readonly code: 'tokens' | 'depth' | 'name' | 'number'
  readonly fix: string
  constructor(code: JsonFault['code'], message: string, fix: string) {
    super(message)
    this.code = code
    this.fix = fix
  }
}

/** Our own files may be larger than what others may send. */
const unbounded = { maxTokens: Infinity, maxDepth: 1000 }
const bounded = { maxTokens: maxJsonTokens, maxDepth: maxJsonDepth }

/** The facts of a JSON text. Throws a JsonFault when it is not within the bounds. */
export const boundedFacts = (text: string, { maxTokens, maxDepth } = bounded): JsonFacts => {
  const facts = jsonFacts(text, maxTokens)
  if (facts.tokens > maxTokens)
    throw new JsonFault(
      'tokens',
      `Expected at most ${maxTokens} texts, commas, colons and brackets, got more.`,
      'Send long lists as text, or less at once.',
    )
  if (facts.depth > maxDepth)
    throw new JsonFault(
      'depth',
      `Expected JSON that is nested at most ${maxDepth} deep, got more.`,
      'Send deep values as text.',
    )
  return facts
}

/**
 * Reads JSON that came from outside. Its value is what every other reader finds in it: a name occurs once in
 * an object, and no number is rounded. Throws a JsonFault, or a SyntaxError for text that is not JSON.
 */
export const readJson = (text: string, bounds = bounded): Json => {
  const { names, isWide, lost } = boundedFacts(text, bounds)
  const value = parse(text)
  if (countNames(value) !== names)
    throw new JsonFault(
      'name',
      `Expected each name once in an object, got ${JSON.stringify(nameTwice(text).slice(0, 80))} twice.`,
      'Send each name once.',
    )
  if (lost !== undefined)
    throw new JsonFault(
      'number',
      `Expected only numbers that every program reads alike, got ${lost.slice(0, 80)}.`,
      'Send this number as text.',
    )
  if (!isWide) return value
  return parse(text, (_, inner, { source = '' }) =>
    typeof inner === 'number' && !Number.isSafeInteger(inner) && /^-?\d+$/.test(source)
      ? BigInt(source)
      : inner,
  )
}

/** Parses JSON of any size. Undefined for text that is not JSON and for what `readJson` refuses. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return readJson(text, unbounded)
  } catch {
    return undefined
  }
}

/** Freezes a value and everything in it, so that it stays what was judged. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    for (const inner of inside) if (typeof inner === 'object') deepFreeze(inner)
  }
  return value
}

/** A frozen copy with names that are well-formed. Those that would become equal get a number. */
const withWellFormedNames = (value: JsonObject): JsonObject => {
  const copy = new Map<string, Json>()
  const again = new Map<string, number>()
  for (const name in value) {
    const plain = name.toWellFormed()
    let free = plain
    for (let n = again.get(plain) ?? 2; copy.has(free); n++) {
      free = `${plain}${n}`
      again.set(plain, n + 1)
    }
    copy.set(free, frozen(value[name] ?? null))
  }
  return Object.freeze(Object.fromEntries(copy))
}

/**
 * A copy that is frozen throughout, so that it stays what was judged. Every string in it is well-formed, so
 * that a lone surrogate looks the same to a hook and to a reader, and no name hides another.
 */
export const frozenCopy = <T extends Json>(value: T): T => frozen(value) as T

const frozen = (value: Json): Json => {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return Object.freeze(value.map(frozen))
  const copy: Record<string, Json> = { ...value }
  for (const name in copy) {
    if (!name.isWellFormed()) return withWellFormedNames(value)
    const inner = copy[name]
    // An own "__proto__" is set as any other name is, since the copy has one already.
    if (typeof inner === 'string' ? !inner.isWellFormed() : typeof inner === 'object' && inner !== null)
      copy[name] = frozen(inner as Json)
  }
  return Object.freeze(copy)
}
