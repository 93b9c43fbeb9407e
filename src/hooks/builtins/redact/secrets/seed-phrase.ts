import { hash } from 'node:crypto'
import { wordlist as czech } from '@scure/bip39/wordlists/czech.js'
import { wordlist as english } from '@scure/bip39/wordlists/english.js'
import { wordlist as french } from '@scure/bip39/wordlists/french.js'
import { wordlist as italian } from '@scure/bip39/wordlists/italian.js'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js'
import { wordlist as korean } from '@scure/bip39/wordlists/korean.js'
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese.js'
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese.js'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js'
import { wordlist as traditionalChinese } from '@scure/bip39/wordlists/traditional-chinese.js'
import type { Span } from '../span.ts'

/** Without accents, which a reader may leave out and a reading of disguised text does; no list has two words that differ by one alone. */
const bare = (word: string): string =>
  /^[a-z]*$/.test(word) ? word : word.normalize('NFKD').replaceAll(/(?<=[a-z])\p{M}+/gu, '')

const lists = [
  english,
  czech,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
].map((words) => new Map(words.map((word, index) => [bare(word), index])))
/** The lists of each word, a bit for each: most texts have too few words of any. */
const known = new Map<string, number>()
for (const [bit, list] of lists.entries())
  for (const word of list.keys()) known.set(word, (known.get(word) ?? 0) | (1 << bit))

const lengths = [24, 21, 18, 15, 12]
const shortest = 12
/** Between two words of a phrase: spaces, line breaks, commas, quotes, dashes, and a number such as `1.` or `(12)`. */
const maxGap = 24
const gap = /^(?:\\[nrt]|[\s,;"'`“”‘’|>*•·–—_+-]|\(?\d{1,2}[.):\]]?)+$/

/** A line break may be written as \n, whose letter belongs to no word. */
const token = /\\[nrt]|\p{L}[\p{L}\p{M}]*/gu
/** The same where there are no others; it takes a quarter of the time. */
const plainToken = /\\[nrt]|[A-Za-z]+/g

interface PhraseWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * True when the indices of a phrase end in the checksum of the rest (BIP-39). Computed here because @scure/bip39 takes
 * 0.1 ms for one, and hostile text can hold thousands of candidates.
 */
export const isChecksummed = (indices: readonly number[]): boolean => {
  const checkBits = indices.length / 3
  const entropy = Buffer.alloc((indices.length * 11 - checkBits) / 8)
  let [pending, bits, at] = [0, 0, 0]
  for (const index of indices) {
    pending = (pending << 11) | index
    bits += 11
    while (bits >= 8 && at < entropy.length) {
      bits -= 8
      entropy[at++] = (pending >> bits) & 0xff
    }
    pending &= (1 << bits) - 1
  }
  const [first = 0] = hash('sha256', entropy, 'buffer')
  return pending === first >> (8 - checkBits)
}

/** Chance says hardly a word twice; settings that are true or false, and names in code, say few again and again. */
const isVaried = (indices: readonly number[]): boolean => new Set(indices).size * 3 >= indices.length
/** The first and the last key that there are, which people take for examples: one word and its checksum. */
const isExtreme = ([first, ...others]: readonly number[]): boolean =>
  (first === 0 || first === 2047) && others.slice(0, -1).every((index) => index === first)

/** One checksum in sixteen holds by chance: few words again and again are filler, and an alphabetical run is the list itself. */
const isPhrase = (indices: readonly number[]): boolean => {
  const steps = indices.slice(1).map((index, at) => index - (indices[at] ?? 0))
  return (
    (isVaried(indices) || isExtreme(indices)) &&
    !steps.every((step) => step > 0) &&
    steps.some((step) => step !== 0) &&
    isChecksummed(indices)
  )
}

/** No word of a list is longer, its marks counted; what a language writes without spaces is no word. */
const maxWordUnits = 24

const wordsOf = (text: string): readonly PhraseWord[] => {
  const words: PhraseWord[] = []
  for (const { 0: word, index } of text.matchAll(/[^\x00-\x7f]/.test(text) ? token : plainToken)) {
    if (word.startsWith('\\')) continue
    words.push({
      text: word.length > maxWordUnits ? '' : bare(word.toLowerCase()),
      start: index,
      end: index + word.length,
    })
  }
  return words
}

/** What stands between words of code is no gap: names of variables are words of these lists too. */
const isGap = (text: string, from: number, to: number): boolean =>
  to - from <= maxGap && gap.test(text.slice(from, to))

/** The phrases of one unbroken run of a list's words: the longest at each place that the checksum allows. */
const phrasesIn = (run: readonly PhraseWord[], indices: readonly number[]): readonly Span[] => {
  const found: Span[] = []
  for (let at = 0; at + shortest <= run.length; at++) {
    const length = lengths.find(
      (length) => at + length <= run.length && isPhrase(indices.slice(at, at + length)),
    )
    const [first, last] = [run[at], length === undefined ? undefined : run[at + length - 1]]
    if (first !== undefined && last !== undefined)
      found.push({ start: first.start, end: last.end, kind: 'seed phrase' })
  }
  return found
}

/** BIP-39 phrases of 12 to 24 words in any of its languages; every word is in the list and the checksum holds. */
export const findSeedPhrases = (text: string): readonly Span[] => {
  const words = wordsOf(text)
  const counts = lists.map(() => 0)
  for (const { text } of words)
    for (let bits = known.get(text) ?? 0, bit = 0; bits > 0; bits >>= 1, bit++)
      counts[bit] = (counts[bit] ?? 0) + (bits & 1)
  return lists
    .filter((_, bit) => (counts[bit] ?? 0) >= shortest)
    .flatMap((list) => {
      const found: Span[] = []
      let [run, indices]: [PhraseWord[], number[]] = [[], []]
      const close = (): void => {
        if (run.length >= shortest) found.push(...phrasesIn(run, indices))
        run = []
        indices = []
      }
      for (const word of words) {
        const index = list.get(word.text)
        const previous = run.at(-1)
        if (index === undefined || (previous !== undefined && !isGap(text, previous.end, word.start))) close()
        if (index === undefined) continue
        run.push(word)
        indices.push(index)
      }
      close()
      return found
    })
}
