import { alike } from '../../../core/model/chat/alike.ts'

/**
 * Letters that look alike are one letter here, so that no spelling hides a word: case, accents, full-width
 * and mathematical forms, other alphabets, and digits for letters.
 */

/** What stands between words. `stop` also ends a sentence. */
export const gap = 1
export const stop = 2
/** Nothing is seen here: marks, and invisible characters. */
const skipped = 0

/** Digits and signs that are written for letters. `l` and `1` both may be an `i`. */
const leet = new Map(Array.from('0123457$89l', (sign, at) => [sign, 'oizeastsbgi'.charAt(at)]))

/**
 * The text with the letters that it seems to have, for patterns. An Arabic ligature of a whole phrase stays,
 * because it would come apart into up to 18 letters.
 */
export const plainly = (text: string): string =>
  text.replaceAll(/[^\x00-\x7f\ufdf0-\ufdff]+/g, (run) =>
    run
      .normalize('NFKD')
      .replaceAll(/[\p{M}\p{Cf}]/gu, '')
      .replaceAll(/[\u0370-\u058f]/g, (letter) => alike.get(letter) ?? letter)
      .normalize(),
  )

const invisible = /^[\p{Cf}\p{M}\p{DI}\u2800]$/u
const wordSign = /^[\p{L}\p{N}$]$/u
/** What ends a sentence, or begins and ends a quote. */
const sentenceEnd = /^[.!?;。！？；…।"'`‘’“”«»「」『』<>]$/u

const foldOne = (char: string): number => {
  if (invisible.test(char)) return skipped
  // A syllable of Hangul would come apart into its letters.
  if (/^[가-힣]$/.test(char)) return char.charCodeAt(0)
  if (sentenceEnd.test(char)) return stop
  const [first = ' '] = char.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')
  const looked = alike.get(first) ?? first
  const letter = leet.get(looked) ?? looked
  return wordSign.test(letter) ? (letter.codePointAt(0) ?? gap) : gap
}

/** One code for each unit of the basic plane, made when it is first met. 0xffff: not made yet. */
const known = new Uint16Array(0x10000).fill(0xffff)
const codeOf = (char: string): number => {
  const unit = char.charCodeAt(0)
  let code = known[unit] ?? 0xffff
  if (code === 0xffff) known[unit] = code = foldOne(char) & 0xffff
  return code
}

/** A text in plain letters. `at` has the place of each in the text as it was written. */
export interface Letters {
  readonly codes: Uint16Array
  readonly at: Uint32Array
  readonly length: number
}

const isApostrophe = (unit: number): boolean => unit === 0x27 || unit === 0x2019
const [newline, dot] = [0x0a, 0x2e]

export const lettersOf = (text: string): Letters => {
  const codes = new Uint16Array(text.length)
  const at = new Uint32Array(text.length)
  let length = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    let code: number
    if (unit >= 0xd800 && unit < 0xdc00) {
      const point = text.codePointAt(index) ?? 0
      code = foldOne(String.fromCodePoint(point)) & 0xffff
      if (point > 0xffff) index += 1
    } else code = codeOf(text.charAt(index))
    if (code === skipped) continue
    const before = length === 0 ? gap : (codes[length - 1] ?? gap)
    // An apostrophe in a word is no quote, and a dot in a name ends no sentence.
    if (isApostrophe(unit) && before > stop) {
      const next = /^\p{L}{1,3}/u.exec(text.slice(index + 1, index + 4))?.[0].length ?? 0
      if (next > 0 && next < 3) continue
      if (next > 0) code = gap
    }
    if (unit === dot && /[\p{L}\p{N}_/]/u.test(text.charAt(index + 1))) code = gap
    // A new line is a space, unless it is empty or begins a point of a list, a heading or a row.
    if (unit === newline && /^\s*?(?:\n|[-*#|+]\s|\d+[.)])/.test(text.slice(index + 1, index + 8)))
      code = stop
    at[length] = index
    codes[length++] = code
  }
  return { codes, at, length }
}
