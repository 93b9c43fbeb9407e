import { parse, type ParsedScript } from 'unbash'

/** Longer texts are not read, in UTF-16 units. */
const maxUnits = 64 * 1024

/** Each sign costs the parser more than a letter does. Code has one among three or four letters. */
const maxSigns = 28 * 1024

const withoutSigns = /[\p{L}\p{N}_ \t./:-]+/gu

/** unbash reads the inside of nested substitutions again at each level. */
const maxNesting = 16

/** Many here-documents on one line cost more than linear time. */
const maxHereDocuments = 200

const maxOpen = 400

/** True for a text that can be parsed in linear time: its substitutions are not nested deeply. */
const isFlat = (text: string): boolean => {
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
      if (++ticks > 1000) return false
    } else if (char === '$' && text.charAt(at + 1) === '{' && ++ticks > 1000) return false
  }
  return true
}

/** Parses a text of a shell. Undefined for one that cannot be read within the bounds. */
export const parsed = (text: string): ParsedScript | undefined => {
  if (text.length > maxUnits || text.replaceAll(withoutSigns, '').length > maxSigns) return undefined
  if (!isFlat(text)) return undefined
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
