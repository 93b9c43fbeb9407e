import { twins } from '../../model/chat/alike.ts'

/** Scripts with many letters that look like ASCII letters and that are not mixed with ASCII in one word. */
const twinScripts =
  /[\p{sc=Cherokee}\p{sc=Lisu}\p{sc=Coptic}\p{sc=Gothic}\p{sc=Deseret}\p{sc=Old_Italic}\p{sc=Canadian_Aboriginal}\p{sc=Osage}\p{sc=Tifinagh}\p{sc=Lycian}\p{sc=Carian}\p{sc=Lydian}\p{sc=Elbasan}\p{sc=Miao}\p{sc=Warang_Citi}]/u

/**
 * True for full-width, mathematical and letter-like forms of ASCII letters and digits. Raised forms (ª, ²) do
 * not count.
 */
const isDressed = (char: string): boolean =>
  /^(?![ªº])[\p{Lu}\p{Ll}\p{Lo}\p{Nl}\p{Nd}]$/u.test(char) && /^[A-Za-z0-9]+$/.test(char.normalize('NFKC'))

const isTwin = (char: string): boolean =>
  char > '\u007F' && (twins.has(char) || twinScripts.test(char) || isDressed(char))
/**
 * True for a letter that clearly belongs to another script. A word that contains one is of that script, even
 * if it also has ASCII letters.
 */
const isPlainlyForeign = (char: string): boolean => /^(?!\p{sc=Latin})\p{L}$/u.test(char) && !isTwin(char)

export const codePoint = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

const asciiLetter = /[A-Za-z]/
/** A path, an address, a host, or an option with a value. Their letters are read one by one. */
const technical = /[/\\@=~$]|[\p{L}\p{N}][.:][\p{L}\p{N}]/u
const startsAsPath = /^(?:\.{0,2}|~)\/|:\/\//
/** Strokes and dots that look like those of a path or a host, next to an ASCII letter. */
const punctuation = /(?<=[A-Za-z])[∕⁄⧸⟋╱／․．։∶꞉](?=[A-Za-z0-9])|(?<=[0-9])[∕⁄⧸⟋╱／․．։∶꞉](?=[A-Za-z])/gu

const inToken = (token: string): string => {
  const isTechnical = technical.test(token)
  const isSuspect = isTechnical && (asciiLetter.test(token) || startsAsPath.test(token))
  return token
    .replace(/[\p{L}\p{M}\p{N}_]+/gu, (word) => {
      const chars = Array.from(word)
      // Within a path or an address a whole word may look like ASCII. A word in mathematical letters does so
      // everywhere.
      if (!asciiLetter.test(word) && !isSuspect && !/[\u{1D400}-\u{1D7FF}]/u.test(word)) return word
      if (chars.some(isPlainlyForeign)) return word
      return chars.map((char) => (isTwin(char) ? codePoint(char) : char)).join('')
    })
    .replace(punctuation, codePoint)
}

/**
 * Replaces letters that look like ASCII letters among ASCII letters with their code points. Words of other
 * scripts stay as they are.
 */
export const showLookAlikes = (text: string): string =>
  /[^\0-\x7F]/.test(text) ? text.replace(/\S+/gu, inToken) : text
