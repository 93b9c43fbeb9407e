/** One replacement in a text. `at` and `length` are in UTF-16 units. */
export interface TextEdit {
  readonly at: number
  readonly length: number
  readonly with: string
}

/** Blanks that differ from a space only in their width. */
const blanks = String.raw`\u1680\u2000-\u200A\u205F`
/** Controls, characters without a shape, and fillers. */
const shapeless = String.raw`\p{Cc}\p{Cf}\p{DI}\p{Noncharacter_Code_Point}\u2800\uFFFC\u{1D159}`
const carrier = new RegExp(String.raw`[[${shapeless}${blanks}]--[\t\n\r]]`, 'gv')
const isBlank = new RegExp(`[${blanks}]`)
/** Text without any carrier. This test is quick. */
const plainText = /^[\t\n\r -~]*$/

/** Scripts in which a joiner between two letters changes their shape. */
const joinedScripts = [
  'Arabic',
  'Syriac',
  'Nko',
  'Mandaic',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
const joined = `[[${joinedScripts.map((script) => String.raw`\p{sc=${script}}`).join('')}]--\\p{DI}]`
const afterJoined = new RegExp(String.raw`${joined}[\p{M}--\p{DI}]{0,3}$`, 'v')
const beforeJoined = new RegExp(`^${joined}`, 'v')
/**
 * A virama removes the vowel of a letter. A joiner behind it changes the letter's shape, also at the end of a
 * word.
 */
const afterVirama = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]$/

const picture = String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F]?\p{Emoji_Modifier}?`
const tags = (name: string): string =>
  Array.from(name, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
/** The flags of England, Scotland and Wales are a black flag with their names in tags. */
const flags = `\u{1F3F4}(?:${['gbeng', 'gbsct', 'gbwls'].map(tags).join('|')})\u{E007F}`
/** A picture that consists of several characters. */
const emojiSequence = new RegExp(String.raw`${picture}(?:\u200D${picture})+|${flags}`, 'gv')
/** The longest emoji sequence, in UTF-16 units. */
const maxEmojiUnits = 40
/**
 * True for one emoji of several characters. Phones sometimes leave out the variation selector for colour, so
 * it is added first.
 */
const isOneEmoji = (pictures: string): boolean =>
  pictures.length <= maxEmojiUnits &&
  /^\p{RGI_Emoji}$/v.test(
    pictures.replace(
      /(?!\p{Emoji_Presentation})\p{ExtPict}(?![\uFE0F\p{Emoji_Modifier}\u{E0020}-\u{E007F}])/gv,
      '$&\uFE0F',
    ),
  )

/** The ranges of emoji that consist of several characters. */
const emojiIn = (text: string): readonly { readonly from: number; readonly to: number }[] => {
  const known = new Map<string, boolean>()
  return Array.from(text.matchAll(emojiSequence)).flatMap(({ 0: pictures, index }) => {
    const isOne = known.get(pictures) ?? isOneEmoji(pictures)
    known.set(pictures, isOne)
    return isOne ? [{ from: index, to: index + pictures.length }] : []
  })
}

/** Format characters that are visible: the signs of numbers and verses, and those that place hieroglyphs. */
const isSeen = /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\u{13430}-\u{1345F}]/u

const mayBeNeeded = /\u200C|\u200D|\uFE0E|\uFE0F|[\u180B-\u180F]|\u2800/

/** The context on each side of a character that is inspected, in UTF-16 units. */
const nearUnits = 10

/**
 * True for an invisible character that its position requires: behind a picture, between letters, or in a
 * Mongolian letter.
 */
const isNeeded = (char: string, before: string, after: string): boolean => {
  if (char === '\uFE0E' || char === '\uFE0F')
    return (
      /\p{Extended_Pictographic}$/v.test(before) || (/[0-9#*]$/.test(before) && after.startsWith('\u20E3'))
    )
  if (char === '\u200C' || char === '\u200D') {
    if (afterJoined.test(before) && beforeJoined.test(after)) return true
    return afterVirama.test(before) && !/^[\u200C\u200D]/.test(after)
  }
  if (/[\u180B-\u180F]/.test(char)) return /[\p{sc=Mongolian}--\p{DI}]$/v.test(before)
  if (char === '\u2800') return /[\u2801-\u28FF]$/.test(before) || /^[\u2801-\u28FF]/.test(after)
  return false
}

/**
 * Finds characters that a reader does not see and that can carry a hidden message past every hook. They are
 * removed from what an agent says. Characters that a reader needs stay.
 */
export const carriersIn = (text: string): readonly TextEdit[] => {
  if (plainText.test(text)) return []
  const found = Array.from(text.matchAll(carrier))
  if (found.length === 0) return []
  const emoji = emojiIn(text)
  let next = 0
  return found.flatMap(({ 0: char, index }): readonly TextEdit[] => {
    while ((emoji[next]?.to ?? Infinity) <= index) next += 1
    if ((emoji[next]?.from ?? Infinity) < index) return []
    if (mayBeNeeded.test(char)) {
      if (
        isNeeded(
          char,
          text.slice(Math.max(0, index - nearUnits), index),
          text.slice(index + 1, index + 1 + nearUnits),
        )
      )
        return []
    } else if (isSeen.test(char)) return []
    return [{ at: index, length: char.length, with: isBlank.test(char) ? ' ' : '' }]
  })
}
