import { hasMoreTokens } from './json-tokens.ts'

/** JSON as data. It crosses every boundary of the gate. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

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

/** Parses JSON. Undefined for text that is not JSON. */
export const parseJson = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const countNames = (value: Json): number => {
  if (Array.isArray(value)) return value.reduce((sum: number, item: Json) => sum + countNames(item), 0)
  if (!isObject(value)) return 0
  return Object.values(value).reduce((sum: number, inner) => sum + 1 + countNames(inner), 0)
}

/** In valid JSON, a string before a colon is a name, and every name is such a string. */
const namesIn = /"(?:[^"\\]|\\.)*"\s*(:)?/g

/**
 * Parses a JSON object. Undefined for anything else, for one that is too deep or has too many tokens, and for
 * one with a duplicate name, since two readers could use different values.
 */
export const parseUnambiguous = (source: string): JsonObject | undefined => {
  if (hasMoreTokens(Buffer.from(source))) return undefined
  const value = parseJson(source)
  if (!isObject(value) || isTooDeep(value)) return undefined
  const written = [...source.matchAll(namesIn)].filter(([, colon]) => colon !== undefined).length
  return written === countNames(value) ? value : undefined
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

/**
 * Makes every string well-formed, so that a lone surrogate looks the same to a hook and to a reader. Names
 * that would become equal get a number, so that none hides another.
 */
export const wellFormed = (value: Json): Json => {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (isObject(value)) {
    const all = Object.entries(value)
    if (all.every(([key]) => key.isWellFormed()))
      return Object.fromEntries(all.map(([key, inner]) => [key, wellFormed(inner)]))
    const entries = new Map<string, Json>()
    const again = new Map<string, number>()
    for (const [key, inner] of all) {
      const plain = key.toWellFormed()
      let name = plain
      for (let n = again.get(plain) ?? 2; entries.has(name); n++) {
        name = `${plain}${n}`
        again.set(plain, n + 1)
      }
      entries.set(name, wellFormed(inner))
    }
    return Object.fromEntries(entries)
  }
  return value
}
