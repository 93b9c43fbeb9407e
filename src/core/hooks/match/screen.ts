/**
 * Searches for many words in one pass over a text. Gives the positions of the lists of which a word was
 * found.
 */
export type Screen = (text: string) => ReadonlySet<number>

const root = 0
const nowhere: ReadonlySet<number> = new Set()

/** Characters that a case-insensitive search treats as an ASCII letter: the long s and the Kelvin sign. */
const folded: Readonly<Record<number, string>> = { 0x17f: 's', 0x212a: 'k' }

/**
 * Maps each character to a class: its number among the characters of the words, the same for both cases of a
 * letter. Class 0 means that it is in no word.
 */
const classesOf = (words: readonly string[]): Uint8Array => {
  const classes = new Uint8Array(0x10000)
  for (const [index, char] of [...new Set(words.join(''))].entries()) {
    classes[char.charCodeAt(0)] = index + 1
    classes[char.toUpperCase().charCodeAt(0)] = index + 1
  }
  for (const [code, char] of Object.entries(folded)) classes[Number(code)] = classes[char.charCodeAt(0)] ?? 0
  return classes
}

/**
 * The Aho-Corasick automaton: one step per character, for any text and any number of words. The words are
 * lower-case ASCII; the texts need not be.
 */
export const createScreen = (lists: readonly (readonly string[])[]): Screen => {
  if (lists.length === 0) return () => nowhere
  const classes = classesOf(lists.flat())
  const width = Math.max(...classes) + 1
  const steps: (number | undefined)[][] = [[]]
  /** For each state, the lists that have a word ending there. */
  const ends: (readonly number[])[] = [[]]
  for (const [list, words] of lists.entries()) {
    for (const word of words) {
      let state = root
      for (const char of word) {
        const row = steps[state] ?? []
        const next = (row[classes[char.charCodeAt(0)] ?? 0] ??= steps.length)
        if (next === steps.length) {
          steps.push([])
          ends.push([])
        }
        state = next
      }
      ends[state] = [...new Set([...(ends[state] ?? []), list])]
    }
  }

  // The order is breadth first, so that a fallback state is complete before it is used.
  const table = new Int32Array(steps.length * width)
  const fallback = new Int32Array(steps.length)
  const queue = [root]
  for (const state of queue) {
    const fall = fallback[state] ?? root
    for (let cls = 1; cls < width; cls++) {
      const elsewhere = state === root ? root : (table[fall * width + cls] ?? root)
      const next = steps[state]?.[cls]
      table[state * width + cls] = next ?? elsewhere
      if (next === undefined) continue
      fallback[next] = elsewhere
      ends[next] = [...new Set([...(ends[next] ?? []), ...(ends[elsewhere] ?? [])])]
      queue.push(next)
    }
  }
  // A step is the offset of a row. A negative step is the complement of such an offset and leads to a state
  // at which a word ends.
  const rows = table.map((next) => ((ends[next] ?? []).length > 0 ? ~(next * width) : next * width))

  return (text) => {
    let found: Set<number> | undefined
    let row = root
    for (let index = 0; index < text.length; index++) {
      row = rows[row + (classes[text.charCodeAt(index)] ?? 0)] ?? root
      if (row >= 0) continue
      row = ~row
      found ??= new Set()
      for (const list of ends[row / width] ?? []) found.add(list)
      if (found.size === lists.length) break
    }
    return found ?? nowhere
  }
}
