import type * as Unbash from 'unbash'

/** The parser is loaded for the first text: it takes 14 ms and a megabyte. */
let loaded: typeof Unbash | undefined
const load = process.getBuiltinModule('node:module').createRequire(import.meta.url) as (
  name: 'unbash',
) => typeof Unbash

const parser = (): typeof Unbash => (loaded ??= load('unbash'))

/** Longer texts are not read, in UTF-16 units. */
const maxUnits = 64 * 1024
/** Scripts may be longer than what a tool call runs. No verdict waits while they are read. */
const maxScriptUnits = 256 * 1024

/** Each sign costs the parser more than a letter does. Code has one among three or four letters. */
const maxSigns = 28 * 1024

const withoutSigns = /[\p{L}\p{N}_ \t./:-]+/gu

/** unbash reads the inside of nested substitutions again at each level. */
const maxNesting = 16

/** Many here-documents on one line cost more than linear time. */
const maxHereDocuments = 200

const maxOpen = 400

/** The number of backticks and of `${` in a text. */
const maxTicks = 1000

/** True for a text that can be parsed in linear time: its substitutions are not nested deeply. */
const isFlat = (text: string, times: number): boolean => {
  const opened: boolean[] = []
  let nesting = 0
  let hereDocuments = 0
  let ticks = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') {
      // A nested backtick is escaped once more at each level.
      let end = at
      while (text.charAt(end) === '\\') end++
      if (text.charAt(end) === '`' && end - at > 7) return false
      at = end
    } else if (char === '(') {
      const isSubstitution = /[$<>]/.test(text.charAt(at - 1))
      opened.push(isSubstitution)
      if (isSubstitution && ++nesting > maxNesting) return false
      if (opened.length > maxOpen) return false
    } else if (char === ')') {
      if (opened.pop() === true) nesting--
    } else if (char === '<' && text.charAt(at + 1) === '<' && ++hereDocuments > maxHereDocuments) return false
    else if (char === '`') {
      if (++ticks > maxTicks * times) return false
    } else if (char === '$' && text.charAt(at + 1) === '{' && ++ticks > maxTicks * times) return false
  }
  return true
}

/**
 * Parses a text for a shell. It takes linear time and runs nothing. A text with a syntax error has `errors`,
 * and what could be read before and behind them. Undefined for a text that cannot be read within the bounds.
 */
export const parseShell = (text: string, isScript = false): Unbash.ParsedScript | undefined => {
  const times = isScript ? maxScriptUnits / maxUnits : 1
  if (text.length > maxUnits * times) return undefined
  const maxSignsHere = maxSigns * times
  if (text.length > maxSignsHere && text.replaceAll(withoutSigns, '').length > maxSignsHere) return undefined
  if (!isFlat(text, times)) return undefined
  try {
    return parser().parse(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Calls `visit` for each direct part of a node: commands, words, the parts of a word. */
export const forEachPart = (node: Unbash.SyntaxNode, visit: (part: Unbash.SyntaxNode) => void): void =>
  parser().forEachChild(node, visit)
