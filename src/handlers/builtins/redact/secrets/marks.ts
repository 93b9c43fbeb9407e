/** Looks around, which add no letter to a match. */
const lookaround = /^(?:\(\?<?[=!][^()]*\))+/
/** A group, a class, a sign with a backslash, or a letter. */
const item = /^(?:\(\?:([^()]*)\)|\[([^\]^]+)\]|\\([^\w])|([^\\()[\]{}|^$.*+?]))/
const quantifier = /^[?*+{]/
const optional = /^(?:[?*]|\{0)/
/** A class of more letters tells too little. */
const maxLetters = 10

const range = /([^\\])-(.)/g
const lettersOf = (written: string): readonly string[] | undefined => {
  if (written.includes('\\w')) return undefined
  const all = written.replaceAll(range, (_, from: string, to: string) =>
    Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (_letter, by) =>
      String.fromCharCode(from.charCodeAt(0) + by),
    ).join(''),
  )
  return all.length > maxLetters ? undefined : Array.from(all)
}

interface Literals {
  readonly words: readonly string[]
  /** True when the words are the whole pattern and not only its beginning. */
  readonly isWhole: boolean
}

const literals = (pattern: string): Literals => {
  let [words, rest]: [readonly string[], string] = [[''], pattern]
  for (;;) {
    rest = rest.replace(lookaround, '').replace(/^\\d/, '[0-9]')
    if (rest === '') return { words, isWhole: true }
    const [whole = '', inGroup, inClass, escaped, plain = ''] = item.exec(rest) ?? []
    rest = rest.slice(whole.length)
    const inner = inGroup?.split('|').map(literals)
    const next =
      inner?.flatMap((alternative) => alternative.words) ??
      (inClass === undefined ? [escaped ?? plain] : lettersOf(inClass))
    if (whole === '' || next === undefined || optional.test(rest)) return { words, isWhole: false }
    words = words.flatMap((word) => next.map((more) => word + more))
    if (quantifier.test(rest) || inner?.some(({ isWhole }) => !isWhole) === true)
      return { words, isWhole: false }
  }
}

/** The words with which a match can begin, as far as the pattern says them letter by letter. */
export const beginningsOf = (pattern: string): readonly string[] => literals(pattern).words

/**
 * Makes a search for the beginnings of many patterns in one run over the text. It calls `found` with the
 * index of a pattern and the place of its beginning, from left to right.
 */
export const createSearch = (
  patterns: readonly string[],
): ((text: string, found: (pattern: number, at: number) => void) => void) => {
  /** For the first two bytes of a word, the number of its row. */
  const rowOf = new Uint16Array(0x10000)
  const rows: { readonly word: string; readonly third: number; readonly pattern: number }[][] = [[]]
  patterns.forEach((source, pattern) => {
    for (const word of beginningsOf(source)) {
      if (word === '') throw new Error(`Expected a pattern that begins with a letter, got ${source}.`)
      const first = word.charCodeAt(0)
      for (const second of word.length > 1 ? [word.charCodeAt(1)] : Array(256).keys()) {
        const pair = (first << 8) | second
        if (rowOf[pair] === 0) rowOf[pair] = rows.push([]) - 1
        rows[rowOf[pair] ?? 0]?.push({ word, third: word.length > 2 ? word.charCodeAt(2) : 0, pattern })
      }
    }
  })
  return (text, found) => {
    // A unit that is no byte keeps its lower half, so the word is compared with the text itself.
    const bytes = Buffer.from(`${text} `, 'latin1')
    for (let at = 1, pair = bytes[0] ?? 0; at < bytes.length; at++) {
      pair = ((pair << 8) | (bytes[at] ?? 0)) & 0xffff
      const row = rowOf[pair] ?? 0
      if (row === 0) continue
      const next = bytes[at + 1]
      for (const { word, third, pattern } of rows[row] ?? [])
        if (third === 0 || (third === next && text.startsWith(word, at - 1))) found(pattern, at - 1)
    }
  }
}
