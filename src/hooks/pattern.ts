import { RE2JS } from 're2js'

export const maxPatternChars = 1000
/** Larger programs cost too much for each character that somebody else chooses. */
export const maxProgramSize = 600

/**
 * A compiled pattern. `linear` runs here; `backtracking` needs something that a linear engine cannot express
 * (lookahead, backreference) and runs in a worker that can be killed.
 */
export type Pattern =
  | { readonly kind: 'linear'; readonly source: string; readonly size: number; readonly test: (text: string) => boolean }
  | { readonly kind: 'backtracking'; readonly source: string }

// `^` and `$` meet at each line, since each text of a payload stands on a line of its own.
const linear = (source: string): Pattern => {
  const compiled = RE2JS.compile(source, RE2JS.MULTILINE)
  return { kind: 'linear', source, size: compiled.programSize(), test: (text) => compiled.test(text) }
}

/** Compiles a matcher's pattern, or says what is wrong with it in one clause. */
export const compilePattern = (source: string): Pattern | { readonly wrong: string } => {
  if (source.length > maxPatternChars) return { wrong: `it has ${source.length} characters; at most ${maxPatternChars} are allowed` }
  try {
    const pattern = linear(source)
    if (pattern.kind === 'linear' && pattern.size > maxProgramSize) {
      return { wrong: `it is too costly (${pattern.size} instructions; at most ${maxProgramSize}): use smaller repeat counts` }
    }
    return pattern
  } catch (linearError) {
    try {
      // eslint-disable-next-line no-new -- only whether it compiles
      new RegExp(source, 'm')
      return { kind: 'backtracking', source }
    } catch {
      return { wrong: linearError instanceof Error ? linearError.message.replace(/^error parsing regexp: /, '').replace(/: `[^]*`$/, '') : 'it does not compile' }
    }
  }
}

/** Several linear patterns as one: a miss of the group is a miss of each, for the price of one. */
export const unite = (patterns: readonly Pattern[]): Pattern => linear(patterns.map((pattern) => `(?:${pattern.source})`).join('|'))
