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
/** The same for texts in ASCII, in a quarter of the time. */
const plainToken = /\\[nrt]|[A-Za-z]+/g
/** Matches a word, and also a label of one: `word1=`, `"word":`, `Word 12:`, a tag. */
const labelOrToken =
  /\\[nrt]|<[^<>]{1,40}>|\p{L}+(?:_?\d{1,2}(?!\d)|(?:[ _#-]{1,2}\d{1,2})?["'\])]{0,2}\s?[:=])|\p{L}[\p{L}\p{M}]*/gu
/** Every label of a word has one of these. */
const labelSign = /[<:=\d]/
const letterA = 0x41

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

/** The words of a text in one list or another that stand side by side, in runs that a phrase fits into. */
interface Runs {
  readonly runs: readonly (readonly PhraseWord[])[]
  /** The number of all words. */
  readonly count: number
  /** The most listed words in a row that have nothing between them, or what may be labels. */
  readonly longest: number
}

const runsOf = (text: string, pattern: RegExp): Runs => {
  const runs: PhraseWord[][] = []
  let run: PhraseWord[] = []
  let [count, chain, longest, behind, isNext] = [0, 0, 0, 0, true]
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
    const isListed = known.has(plain)
    if (isListed) {
      const gap = isNext ? '' : text.slice(behind, index)
      chain = isNext || (gap.length <= maxGap && labelSign.test(gap)) ? chain + 1 : 1
      longest = Math.max(longest, chain)
      behind = index + word.length
      run.push({ text: plain, start: index, end: behind })
    } else close()
    isNext = isListed
  }
  close()
  return { runs, count, longest }
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
  const all = runsOf(text, /[^\x00-\x7f]/.test(text) ? token : plainToken)
  if (all.longest < shortest) return []
  const unlabelled = runsOf(text, labelOrToken)
  // One alone is a word of a sentence, such as "is:", and a phrase can follow it.
  const hasLabels = all.count - unlabelled.count > 1
  return [...all.runs, ...(hasLabels ? unlabelled.runs : [])].flatMap((run) =>
    lists.flatMap((list) => phrasesOf(run, list)),
  )
}
