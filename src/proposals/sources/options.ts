import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { got } from '../../core/model/gate/problem.ts'

const maxListedUnknown = 5

const isText = (value: Json): value is string => typeof value === 'string'
const isNumber = (value: Json): value is number => typeof value === 'number' && Number.isFinite(value)
const isFlag = (value: Json): value is boolean => typeof value === 'boolean'
const isPlain = (value: Json): value is string | number | boolean =>
  isText(value) || isNumber(value) || isFlag(value)

/** True for a matcher that matches everything, in every system. */
export const isAll = (pattern: Json | undefined): boolean =>
  pattern === undefined || pattern === null || pattern === '' || pattern === '*'

/**
 * Reads the options of a handler in another system's spelling. A null counts as absent. `flaw` describes the
 * first option with a value of the wrong type, and `unknownRemarks` lists the options that nobody read.
 */
export const takeOptions = (raw: JsonObject) => {
  const taken = new Set<string>()
  let flaw: string | undefined
  const take = <T>(
    key: string,
    what: string,
    read: (value: Json) => T | undefined,
    beside?: Json,
  ): T | undefined => {
    if (beside === undefined) taken.add(key)
    const value = beside === undefined && Object.hasOwn(raw, key) ? raw[key] : beside
    if (value === undefined || value === null) return undefined
    const found = read(value)
    if (found === undefined) flaw ??= `Expected its "${key}" to be ${what}, got ${got(value)}.`
    return found
  }
  const text = (key: string, beside?: Json): string | undefined =>
    take(key, 'text', (value) => (isText(value) ? value : undefined), beside)
  return {
    text,
    /** Several options that are text. */
    words: <K extends string>(...keys: readonly K[]) =>
      Object.fromEntries(keys.map((key) => [key, text(key)])) as Readonly<Record<K, string | undefined>>,
    /**
     * A matcher, which may stand in the group of the hook and not among its options. Undefined for one that
     * matches everything.
     */
    matcher: (beside?: Json) => {
      const found = text('matcher', beside)
      return isAll(found) ? undefined : found
    },
    number: (key: string) => take(key, 'a number', (value) => (isNumber(value) ? value : undefined)),
    /** A number of seconds, in milliseconds. */
    seconds: (key: string) => take(key, 'a number', (value) => (isNumber(value) ? value * 1000 : undefined)),
    /** Whether the option is there and true. */
    flag: (key: string): boolean =>
      take(key, 'true or false', (value) => (isFlag(value) ? value : undefined)) === true,
    oneOf: <T extends string>(key: string, known: readonly T[]) =>
      take(key, known.join(' or '), (value) => known.find((name) => name === value)),
    /** Such lists may also hold numbers and booleans, which are read as text. */
    texts: (key: string) =>
      take(key, 'a list of texts', (value) =>
        Array.isArray(value) && value.every(isPlain) ? value.map(String) : undefined,
      ),
    record: (key: string) =>
      take(key, 'names and texts', (value): Readonly<Record<string, string>> | undefined =>
        isObject(value) && Object.values(value).every(isPlain)
          ? Object.fromEntries(
              Object.entries(value).map(([name, inner]) => [name, isPlain(inner) ? String(inner) : '']),
            )
          : undefined,
      ),
    /** Marks options as read without checking them. */
    skip: (...keys: readonly string[]): void => {
      for (const key of keys) taken.add(key)
    },
    flaw: (): string | undefined => flaw,
    /**
     * One sentence that lists the options which nobody read. They have no effect here, but a person may
     * expect one.
     */
    unknownRemarks: (): readonly string[] => {
      const keys = Object.keys(raw).filter((key) => !taken.has(key))
      if (keys.length === 0) return []
      const shown = keys
        .slice(0, maxListedUnknown)
        .map((key) => got(key.slice(0, 40)).replace(' (string)', ''))
      return [
        `Unknown options without effect: ${shown.join(', ')}${keys.length > shown.length ? ' and more' : ''}.`,
      ]
    },
  }
}

export type HookOptions = ReturnType<typeof takeOptions>
