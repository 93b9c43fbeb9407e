import { compilePattern, type LinearPattern } from '../../core/model/base/pattern.ts'

/** A pattern that is tested in linear time; undefined when that is impossible or it is too large. */
export const linear = (source: string): LinearPattern | undefined => {
  const pattern = compilePattern(source)
  return 'kind' in pattern && pattern.kind === 'linear' ? pattern : undefined
}

/**
 * Translates a glob into a regular expression. `*` stands for any text, or for the expression `any`. A
 * backslash makes the next character literal.
 */
export const globOf = (text: string, any = '.*'): string =>
  text.replaceAll(/\\[*\\]|\*+|[\\^$.+?()[\]{}|]/g, (token) =>
    token.startsWith('*') ? any : `\\${token.at(-1)}`,
  )

/** A pattern for the whole text, including its line breaks. */
export const whole = (source: string, flags = 's'): LinearPattern | undefined =>
  linear(String.raw`(?${flags})\A(?:${source})\z`)
