import { createRequire } from 'node:module'
import type * as Re2 from 're2js'

/** The engine is loaded for the first pattern: it takes 8 ms and a megabyte. */
const load = createRequire(import.meta.url) as (name: 're2js') => typeof Re2

export const maxPatternChars = 1000
/** Larger compiled programs cost too much for each character of hostile text. In instructions. */
export const maxProgramSize = 600

export interface LinearPattern {
  readonly kind: 'linear'
  readonly source: string
  /** In instructions. */
  readonly size: number
  readonly test: (text: string) => boolean
}

/**
 * A pattern with lookaround or a backreference, which a linear engine does not support. It runs in a thread
 * that can be killed.
 */
export interface BacktrackingPattern {
  readonly kind: 'backtracking'
  /** For `RegExp`. */
  readonly source: string
  readonly flags: string
}

export type Pattern = LinearPattern | BacktrackingPattern

/** Searches a text for such a pattern. What does not end in time counts as a match. Never rejects. */
export type BacktrackingTest = (pattern: BacktrackingPattern, text: string) => Promise<boolean>

/** Compiling a class such as `\pL` costs this many times what compiling a character costs. */
const unicodeClassCost = 60

/**
 * Estimates the compiled size of a pattern, in instructions, without compiling it. Counted repeats multiply.
 */
const estimate = (source: string): number => {
  const sums = [unicodeClassCost * [...source.matchAll(/\\[pP]/g)].length]
  let last = 0
  const add = (cost: number): void => {
    last = cost
    sums[sums.length - 1] = (sums.at(-1) ?? 0) + cost
  }
  for (const [token, least, most] of source.matchAll(/\\.|\[(?:\\.|[^\\\]])*\]|\{(\d+)(?:,(\d*))?\}|[^]/g)) {
    if (token === '(') sums.push(0)
    else if (token === ')' && sums.length > 1) add(sums.pop() ?? 0)
    else if (least !== undefined) {
      const total = last * Math.max(1, Number(least), Number(most ?? 0))
      add(total - last)
      last = total
    } else add(1)
  }
  return sums.reduce((sum, cost) => sum + cost, 0)
}

// `^` and `$` match at each line, because each text of a payload is on its own line.
const linear = (source: string): LinearPattern => {
  const { RE2JS } = load('re2js')
  const compiled = RE2JS.compile(source, RE2JS.MULTILINE)
  return { kind: 'linear', source, size: compiled.programSize(), test: (text) => compiled.test(text) }
}

/** The flag `u` makes RegExp reject syntax that it would read differently from the linear engine. */
const backtracking = (source: string): BacktrackingPattern => {
  const [head = '', letters = ''] = /^\(\?([ims]+)\)/.exec(source) ?? []
  const rest = source.slice(head.length)
  const flags = [...new Set(`mu${letters}`)].join('')
  // It is compiled here only to throw when the pattern is invalid.
  RegExp(rest, flags)
  return { kind: 'backtracking', source: rest, flags }
}

const needsBacktracking = /\(\?<?[=!]|\\[1-9]|\\k</

const clause = (error: unknown): string =>
  error instanceof Error
    ? error.message
        .replace(/^error parsing regexp: /, '')
        .replace(/^Invalid regular expression: \/[^]*\/[a-z]*: /, '')
        .replace(/: `[^]*`$/, '')
    : 'it does not compile'

const tooCostly = (size: number): { readonly wrong: string } => ({
  wrong: `it is too costly (${size} instructions; at most ${maxProgramSize}): use smaller repeat counts`,
})

/**
 * Compiles a matcher's pattern, or gives the reason why it is not usable as one clause. The time is bounded
 * for any pattern.
 */
export const compilePattern = (source: string): Pattern | { readonly wrong: string } => {
  if (source.length > maxPatternChars)
    return { wrong: `it has ${source.length} characters; at most ${maxPatternChars} are allowed` }
  const guess = estimate(source)
  // The bound is doubled because the estimate may be too high. The exact size is checked after compiling.
  if (guess > 2 * maxProgramSize) return tooCostly(guess)
  try {
    const pattern = linear(source)
    return pattern.size > maxProgramSize ? tooCostly(pattern.size) : pattern
  } catch (linearError) {
    try {
      return backtracking(source)
    } catch (error) {
      return { wrong: clause(needsBacktracking.test(source) ? error : linearError) }
    }
  }
}

/** The test whether a whole text matches, or the reason why there is none. */
export type WholeTest = ((text: string) => boolean) | { readonly wrong: string }

/** Compiles a pattern that has to match a whole text, in linear time. */
export const compileWhole = (source: string): WholeTest => {
  // The pattern alone has to be complete. Otherwise a bracket in it could close the one around it.
  const alone = compilePattern(source)
  if ('wrong' in alone) return alone
  if (alone.kind === 'backtracking')
    return { wrong: 'it has lookaround or a backreference, which needs unbounded time' }
  const anchored = compilePattern(String.raw`\A(?:${source})\z`)
  if ('wrong' in anchored) return anchored
  return anchored.kind === 'linear' ? anchored.test : { wrong: 'it cannot be anchored' }
}

/** Searches a text for all patterns in one pass and gives the positions of those found in the list. */
export const searchAll = (patterns: readonly LinearPattern[]): ((text: string) => readonly number[]) => {
  const { RE2JS, RE2Set } = load('re2js')
  const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.MULTILINE)
  for (const { source } of patterns) set.add(source)
  set.compile()
  return (text) => set.match(text)
}
