import { compilePattern, type LinearPattern } from '../pattern.ts'

/** A pattern that is tried in linear time; undefined for one that cannot be, or is too large. */
export const linear = (source: string): LinearPattern | undefined => {
  const pattern = compilePattern(source)
  return 'kind' in pattern && pattern.kind === 'linear' ? pattern : undefined
}

/** `*` stands for any text, or for what `any` says; a backslash takes its meaning away. */
export const globOf = (text: string, any = '.*'): string =>
  text.replaceAll(/\\[*\\]|\*+|[\\^$.+?()[\]{}|]/g, (token) =>
    token.startsWith('*') ? any : `\\${token.at(-1)}`,
  )

/** Of a whole text, breaks between its lines included. */
export const whole = (source: string, flags = 's'): LinearPattern | undefined =>
  linear(String.raw`(?${flags})\A(?:${source})\z`)
