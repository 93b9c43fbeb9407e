import { RE2JS, RE2Set } from 're2js'

export const maxPatternChars = 1000
/** Larger programs cost too much for each character that somebody else chooses. */
export const maxProgramSize = 600

export interface LinearPattern {
  readonly kind: 'linear'
  readonly source: string
  /** In instructions. */
  readonly size: number
  readonly test: (text: string) => boolean
}

/** What a linear engine cannot express (lookaround, backreference). It runs in a worker that can be killed. */
export interface BacktrackingPattern {
  readonly kind: 'backtracking'
  /** For `RegExp`. */
  readonly source: string
  readonly flags: string
}

export type Pattern = LinearPattern | BacktrackingPattern

/** Compiling a class such as `\pL` costs this many times what compiling a character costs. */
const unicodeClassCost = 60

/** About how costly a pattern would be to compile, in instructions, without compiling it: counted repeats multiply. */
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

// `^` and `$` meet at each line, since each text of a payload stands on a line of its own.
const linear = (source: string): LinearPattern => {
  const compiled = RE2JS.compile(source, RE2JS.MULTILINE)
  return { kind: 'linear', source, size: compiled.programSize(), test: (text) => compiled.test(text) }
}

/** With `u`, so that what RegExp reads otherwise than the linear engine is refused, not misread. */
const backtracking = (source: string): BacktrackingPattern => {
  const [head = '', letters = ''] = /^\(\?([ims]+)\)/.exec(source) ?? []
  const rest = source.slice(head.length)
  const flags = [...new Set(`mu${letters}`)].join('')
  // Compiled here only to learn whether it does: what is wrong with it throws.
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

/** Compiles a matcher's pattern, or says what is wrong with it in one clause. Bounded in time, whatever the pattern. */
export const compilePattern = (source: string): Pattern | { readonly wrong: string } => {
  if (source.length > maxPatternChars)
    return { wrong: `it has ${source.length} characters; at most ${maxPatternChars} are allowed` }
  const guess = estimate(source)
  // Twice, since the guess may be too high; what it lets through is counted exactly.
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

/** Searches a text for all patterns at once, for the price of one; gives their places in the list. */
export const searchAll = (patterns: readonly LinearPattern[]): ((text: string) => readonly number[]) => {
  const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.MULTILINE)
  for (const { source } of patterns) set.add(source)
  set.compile()
  return (text) => set.match(text)
}
