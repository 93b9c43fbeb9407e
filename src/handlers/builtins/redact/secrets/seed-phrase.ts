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

/**
 * Removes accents, because a person may leave them out and the reading of disguised text does so. No list has
 * two words that differ only by accents.
 */
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
/** The words of all lists. In most texts, too few of them stand side by side. */
const known: ReadonlySet<string> = new Set(lists.flatMap((list) => [...list.keys()]))

const lengths = [24, 21, 18, 15, 12]
const shortest = 12
/** The longest gap between two words of a phrase. It may hold anything but another word. */
const maxGap = 64

/** Matches a word. A line break may be written as \n, and its letter belongs to no word. */
const token = /\\[nrt]|\p{L}[\p{L}\p{M}]*/gu
const tags = '<[^<>]{1,40}>'
const labelEnd = `(?:_?\\d{1,2}(?!\\d)|(?:[ _#-]{1,2}\\d{1,2})?["'\\])]{0,2}\\s?[:=])`
/** Matches a word, and also a label of one: `word1=`, `"word":`, `Word 12:`, a tag. */
const labelOrToken = new RegExp(`\\\\[nrt]|${tags}|\\p{L}+${labelEnd}|\\p{L}[\\p{L}\\p{M}]*`, 'gu')
const tag = new RegExp(tags, 'y')
const ending = new RegExp(labelEnd, 'y')
/** The end of what the pattern matches at a place, or 0. */
const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : 0
}
const letterA = 0x41
const backslash = 0x5c
const isEscape = /[nrt]/
const lessThan = 0x3c

interface PhraseWord {
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * True when the indices of a phrase end in the right checksum (BIP-39). It is computed here because
 * @scure/bip39 takes 0.1 ms for one, and hostile text can hold thousands of candidates.
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

/**
 * True when at most a quarter of the words repeat. Hardly any random phrase repeats so many, and the phrase
 * that most examples show repeats three of twelve. Settings of true or false and names in code repeat more.
 */
const isVaried = (indices: readonly number[]): boolean => new Set(indices).size * 4 >= indices.length * 3
/** The fewest different words among the first twelve of a varied phrase of 24 words. */
const leastVaried = 6
/**
 * True for the first and the last possible key, which people use as examples: one word, repeated, with its
 * checksum.
 */
const isExtreme = ([first, ...others]: readonly number[]): boolean =>
  (first === 0 || first === 2047) && others.slice(0, -1).every((index) => index === first)

/**
 * True for a plausible phrase. One checksum in sixteen is right by chance, so repeated words and alphabetical
 * runs, which come from the list itself, do not count.
 */
const isPhrase = (indices: readonly number[]): boolean => {
  const steps = indices.slice(1).map((index, at) => index - (indices[at] ?? 0))
  return (
    (isVaried(indices) || isExtreme(indices)) &&
    !steps.every((step) => step > 0) &&
    steps.some((step) => step !== 0) &&
    isChecksummed(indices)
  )
}

/**
 * The longest word of any list in UTF-16 units, with its marks. Longer runs are text of a language without
 * spaces.
 */
const maxWordUnits = 24

/** A bit for the hash of each word that is written in ASCII. */
const bits = new Uint8Array(1 << 17)
const hashOf = (before: number, unit: number): number => Math.imul(before ^ (unit | 0x20), 0x0100_0193)
const byteOf = (hashed: number): number => hashed >>> 15
const bitOf = (hashed: number): number => 1 << ((hashed >>> 12) & 7)
for (const word of known) {
  let hashed = 0
  for (let at = 0; at < word.length; at++) hashed = hashOf(hashed, word.charCodeAt(at))
  bits[byteOf(hashed)] = (bits[byteOf(hashed)] ?? 0) | bitOf(hashed)
}

const [letter, mark, other] = [1, 2, 3]
/** What each unit is, as far as one was asked for. A half of a pair is no letter of a word. */
const kinds = new Uint8Array(0x10000)
const kindOf = (unit: number): number => {
  const kind = kinds[unit] ?? 0
  if (kind !== 0) return kind
  const sign = String.fromCharCode(unit)
  return (kinds[unit] = /\p{L}/u.test(sign) ? letter : /\p{M}/u.test(sign) ? mark : other)
}

/**
 * Finds the place from the first row of twelve listed words to the last. Only what may be labels stands
 * between the words of a row. Each unit is looked at once, and a few other words are taken for listed ones.
 */
const phrasePlace = (text: string) => {
  let [chain, behind, tagged] = [0, 0, 0]
  let [first, from, to] = [0, text.length, 0]
  for (let at = 0; at < text.length;) {
    let unit = text.charCodeAt(at)
    if (unit === backslash && isEscape.test(text.charAt(at + 1))) at += 2
    else if (kindOf(unit) !== letter) {
      if (unit === lessThan) tagged = Math.max(tagged, endOf(tag, text, at))
      at += 1
    } else {
      const start = at
      let [hashed, isPlain] = [0, true]
      do {
        hashed = hashOf(hashed, unit)
        if (unit > 0x7f) isPlain = false
        at += 1
        unit = at < text.length ? text.charCodeAt(at) : 0
      } while (kindOf(unit) < other)
      const isListed =
        at - start <= maxWordUnits &&
        (isPlain
          ? ((bits[byteOf(hashed)] ?? 0) & bitOf(hashed)) !== 0
          : known.has(bare(text.slice(start, at).toLowerCase())))
      if (isListed) {
        chain = start - behind <= maxGap ? chain + 1 : 1
        behind = at
        if (chain === 1) first = start
        if (chain < shortest) continue
        from = Math.min(from, first)
        to = at
      } else if (chain > 0 && start >= tagged && endOf(ending, text, at) === 0) chain = 0
    }
  }
  return { from, to }
}

/**
 * The words of a text in one list or another that stand side by side, in runs that a phrase fits into, and
 * the number of all words.
 */
const runsOf = (text: string, pattern: RegExp) => {
  const runs: PhraseWord[][] = []
  let run: PhraseWord[] = []
  let count = 0
  const close = (): void => {
    if (run.length >= shortest) runs.push(run)
    if (run.length > 0) run = []
  }
  for (const { 0: word, index } of text.matchAll(pattern)) {
    // An escape begins with a backslash, and a label ends with a digit or a sign.
    if (word.startsWith('\\') || word.charCodeAt(word.length - 1) < letterA) continue
    count += 1
    const lower = word.length > maxWordUnits ? '' : word.toLowerCase()
    const plain = known.has(lower) ? lower : bare(lower)
    if (known.has(plain)) run.push({ text: plain, start: index, end: index + word.length })
    else close()
  }
  close()
  return { runs, count }
}

/**
 * Finds the phrases in one unbroken run of words from a list: the longest at each position with a right
 * checksum.
 */
const phrasesIn = (run: readonly PhraseWord[], indices: readonly number[]): readonly Span[] => {
  const found: Span[] = []
  for (let at = 0; at + shortest <= run.length; at++) {
    // No phrase that begins here is varied enough, however long it is.
    if (
      new Set(indices.slice(at, at + shortest)).size < leastVaried &&
      !isExtreme(indices.slice(at, at + shortest))
    )
      continue
    const length = lengths.find(
      (length) => at + length <= run.length && isPhrase(indices.slice(at, at + length)),
    )
    const [first, last] = [run[at], length === undefined ? undefined : run[at + length - 1]]
    if (first !== undefined && last !== undefined)
      found.push({ start: first.start, end: last.end, kind: 'seed phrase' })
  }
  return found
}

/** Finds the phrases of words that stand near each other in one list. */
const phrasesOf = (words: readonly PhraseWord[], list: ReadonlyMap<string, number>): readonly Span[] => {
  const found: Span[] = []
  let [run, indices]: [PhraseWord[], number[]] = [[], []]
  const close = (): void => {
    if (run.length >= shortest) found.push(...phrasesIn(run, indices))
    run = []
    indices = []
  }
  for (const word of words) {
    const index = list.get(word.text)
    if (index === undefined || word.start - (run.at(-1)?.end ?? word.start) > maxGap) close()
    if (index === undefined) continue
    run.push(word)
    indices.push(index)
  }
  close()
  return found
}

/**
 * Finds BIP-39 phrases of 12 to 24 words in any of its languages. Every word is in the list and the checksum
 * is right. What stands between the words, and labels of theirs, make no difference.
 */
export const findSeedPhrases = (text: string): readonly Span[] => {
  const { from, to } = phrasePlace(text)
  if (to === 0) return []
  const place = text.slice(from, to)
  const all = runsOf(place, token)
  const unlabelled = runsOf(place, labelOrToken)
  // One alone is a word of a sentence, such as "is:", and a phrase can follow it.
  const hasLabels = all.count - unlabelled.count > 1
  return [...all.runs, ...(hasLabels ? unlabelled.runs : [])]
    .flatMap((run) => lists.flatMap((list) => phrasesOf(run, list)))
    .map((span) => ({ ...span, start: span.start + from, end: span.end + from }))
}
