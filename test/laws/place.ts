/**
 * What a formatter may put between two characters of the same code: spaces, lines, and a comma before a
 * bracket that closes.
 */
const between = (next: string): string => (')]}'.includes(next) ? String.raw`\s*,?\s*` : String.raw`\s*`)
const escaped = (character: string): string => character.replace(/[$()*+.?[\\\]^{|}]/, String.raw`\$&`)

/**
 * Looks for code, whatever lines it is laid out in. A planted fault names the code that it takes away as one
 * line, which the formatter may have broken into several.
 */
const placesOf = (code: string): RegExp => {
  const [first = '', ...rest] = Array.from(code.replaceAll(/\s+/g, ''))
  return new RegExp(escaped(first) + rest.map((next) => between(next) + escaped(next)).join(''), 'g')
}

/** How often the code stands in a source. */
export const countOf = (source: string, code: string): number => [...source.matchAll(placesOf(code))].length

/** The source with `replacement` in the place of the code. */
export const plant = (source: string, code: string, replacement: string): string =>
  source.replace(placesOf(code), () => replacement)
