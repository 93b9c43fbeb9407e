import { hash } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english.js'

const letterA = 0x61
/** The number of words that make a pair of letters an ordinary one. */
const leastWords = 4
/** For each pair of small letters, the number of times that it stands in 2048 English words. */
const pairs = new Uint16Array(26 * 26)
const pairOf = (first: number, second: number): number => (first - letterA) * 26 + second - letterA
for (const word of wordlist)
  for (let at = 1; at < word.length; at++) {
    const pair = pairOf(word.charCodeAt(at - 1), word.charCodeAt(at))
    pairs[pair] = (pairs[pair] ?? 0) + 1
  }

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
/** The small letter of a letter, and 0 for another character. */
const small = (code: number): number => {
  const letter = code | 0x20
  return letter >= letterA && letter < letterA + 26 ? letter : 0
}

/**
 * True for two neighbours that words do not have: a letter beside a digit, or two letters that are no
 * ordinary pair. The same letter again and the next one of the alphabet do not count, because fillers are
 * made of them.
 */
const isSurprise = (first: number, second: number): boolean => {
  const [before, after] = [small(first), small(second)]
  if (before === 0 || after === 0) return (isDigit(first) && after !== 0) || (isDigit(second) && before !== 0)
  return after !== before && after !== before + 1 && (pairs[pairOf(before, after)] ?? 0) < leastWords
}

/** The number of characters that are looked at together. */
const stretchUnits = 16
/** The surprises among them that words and names do not reach. A random stretch has ten. */
const leastSurprises = 6

/**
 * True when a stretch of the text is random. Words, names, numbers and fillers such as `xxxx` are not, and
 * they do not hide a random stretch beside them.
 */
export const hasRandom = (text: string, units = stretchUnits, least = leastSurprises): boolean => {
  let surprises = 0
  for (let at = 1; at < text.length; at++) {
    if (isSurprise(text.charCodeAt(at - 1), text.charCodeAt(at))) surprises += 1
    if (at >= units && isSurprise(text.charCodeAt(at - units), text.charCodeAt(at - units + 1)))
      surprises -= 1
    if (surprises >= least) return true
  }
  return false
}

/**
 * The first eight digits of the SHA-256 of keys that their vendors publish as examples: those in the tests
 * and pages of Firebase and Stripe, and the passwords of the page about `nuget.config`. The keys themselves
 * would be found by every scanner.
 */
const published: ReadonlySet<string> = new Set(
  (
    '2037abca 3f370c9d e4a5542b a19f89ab 0b476bdf eb540d2b 37f8f09b 8731261c 49f777db 27a9a429 dc0fcf04 ' +
    '4c98242d ea9bb108 3a8b61d0 a6c814bc 2cafc097 f2d6ca16 7e8de44e dba72c00 a0702bc9'
  ).split(' '),
)
export const isPublished = (secret: string): boolean => published.has(hash('sha256', secret).slice(0, 8))
