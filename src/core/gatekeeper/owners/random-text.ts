import { randomInt } from 'node:crypto'

/** Lower case without look-alikes (0 o, 1 l i, 5 s, 2 z) and vowels, so that no text of it spells a word. */
export const nameAlphabet = '346789bcdfghjkmnpqrtvwx'

/** Returns `length` characters of `alphabet`, each chosen by the system's cryptographic generator. */
export const randomText = (length: number, alphabet = nameAlphabet): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
