import { gap, lettersOf, stop, type Letters } from './letters.ts'
import { also, table, type Role } from './words.ts'

/** How a word is written: as it is, in rot13, or backwards. */
type Voice = 'plain' | 'rot13' | 'backwards'

interface Word {
  readonly voice: Voice
  readonly roles: Role[]
}
/** A gap and the letters a to z have columns. */
const columnOf = (code: number): number => (code === gap ? 0 : code >= 97 && code <= 122 ? code - 96 : -1)
const columns = 27
/** A trie of all words: the next node for each node and column. Node 0 is the root, and no node's next. */
const cells: number[] = Array.from({ length: columns }, () => 0)
/** The next nodes for letters other than a to z. */
const further = new Map<number, number>()
/** The word that ends at a node, and the one of which the stem ends there. */
const wholes: (Word | undefined)[] = []
const stems: (Word | undefined)[] = []
let nodes = 1

const add = (word: string, role: Role, voice: Voice, isStem = false): void => {
  const { codes, length } = lettersOf(word)
  let node = 0
  for (const code of codes.subarray(0, length)) {
    const column = columnOf(code)
    const known = column < 0 ? further.get(node * 0x10000 + code) : cells[node * columns + column]
    if (known !== undefined && known !== 0) {
      node = known
      continue
    }
    if (column < 0) further.set(node * 0x10000 + code, nodes)
    else cells[node * columns + column] = nodes
    cells.push(...Array.from({ length: columns }, () => 0))
    node = nodes++
  }
  const ends = isStem ? stems : wholes
  const known = (ends[node] ??= { voice, roles: [] })
  // What is a word as it is written is never another one in disguise.
  if (known.voice === voice && !known.roles.includes(role)) known.roles.push(role)
}
const rot13 = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97))
const backwards = (text: string): string => Array.from(text).toReversed().join('')

const entries = (Object.entries(table) as [Role, string][]).flatMap(([role, words]) =>
  [role, ...(also[role] ?? [])].flatMap((role) =>
    words
      .trim()
      .split(/\s+/)
      .map((word) => ({
        role,
        word: word.replaceAll('*', '').replaceAll('+', ' '),
        isStem: word.endsWith('*'),
      })),
  ),
)
for (const { role, word, isStem } of entries) {
  add(word, role, 'plain', isStem)
  if (word.includes(' ')) add(word.replaceAll(' ', ''), role, 'plain', isStem)
}
for (const { role, word, isStem } of entries.filter((entry) => /^[a-z]{5,}$/.test(entry.word))) {
  add(rot13(word), role, 'rot13', isStem)
  add(backwards(word), role, 'backwards')
  if (isStem) add(backwards(`${word}s`), role, 'backwards')
}

const trie = Int32Array.from(cells)
const nextOf = (node: number, code: number): number => {
  const column = columnOf(code)
  return (column < 0 ? further.get(node * 0x10000 + code) : trie[node * columns + column]) ?? 0
}

export interface Found {
  readonly roles: readonly Role[]
  readonly start: number
  readonly end: number
  /** The number of sentences before it. */
  readonly sentence: number
}

/** The most letters after a stem. */
const maxEnding = 6
const isLetter = (code: number): boolean => code > stop
/** Chinese, Japanese and Korean words stand side by side without spaces. */
const isUnspaced = (code: number): boolean =>
  (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)

/** The longest known word that begins here. `isWhole`: it has to end where the written word ends. */
const longest = (
  { codes, length }: Letters,
  from: number,
  isWhole: boolean,
): { readonly word: Word; readonly end: number } | undefined => {
  let node = 0
  let best: { word: Word; end: number } | undefined
  // A word can be one that is known whole and have a stem that is known, too.
  const take = (word: Word | undefined, end: number): void => {
    if (word === undefined) return
    const roles = best?.end === end && best.word.voice === word.voice ? best.word.roles : []
    best = { word: roles.length === 0 ? word : { ...word, roles: [...roles, ...word.roles] }, end }
  }
  for (let at = from; at < length;) {
    const code: number = codes[at] ?? 0
    if (code === stop) break
    if (code === gap) {
      // In a phrase any signs may stand between two words, but not many.
      let next = at
      while (next < length && codes[next] === gap && next - at < 4) next += 1
      at = next
    } else at += 1
    node = nextOf(node, code)
    if (node === 0) break
    const isEnd = !isWhole || at >= length || !isLetter(codes[at] ?? gap)
    if (isEnd) take(wholes[node], at)
    if (stems[node] === undefined) continue
    let end = at
    if (isWhole) while (end < length && isLetter(codes[end] ?? gap) && end - at <= maxEnding) end += 1
    if (end - at <= maxEnding) take(stems[node], end)
  }
  return best
}

/** The fewest letters of a word that stands among others without spaces. */
const leastJoined = 4

/** The words of letters that stand without spaces. */
const segment = (letters: Letters, from: number, to: number, sentence: number, found: Found[]): void => {
  for (let at = from; at < to;) {
    const hit = longest(letters, at, false)
    const isLong = hit !== undefined && (isUnspaced(letters.codes[at] ?? 0) || hit.end - at >= leastJoined)
    if (hit !== undefined && isLong && hit.end <= to && hit.word.voice === 'plain') {
      found.push({ roles: hit.word.roles, start: at, end: hit.end, sentence })
      at = hit.end
    } else at += 1
  }
}

/** Words of one length, one after another: the fewest that look like letters with signs between them. */
const leastRun = 8
const maxRunLength = 6
/** A written word that is longer than this may be several. */
const longWord = 15

interface Run {
  readonly length: number
  readonly starts: number[]
}

/** Puts words of one length together into one. */
const join = ({ codes, at }: Letters, { length, starts }: Run): Letters => {
  const joined = {
    codes: new Uint16Array(starts.length * length),
    at: new Uint32Array(starts.length * length),
    length: 0,
  }
  for (const start of starts)
    for (let index = start; index < start + length && isLetter(codes[index] ?? gap); index++) {
      joined.codes[joined.length] = codes[index] ?? gap
      joined.at[joined.length++] = at[index] ?? 0
    }
  return joined
}

/** Words in a row of one voice, and where their letters stand in the text. */
export interface Speech {
  readonly words: readonly Found[]
  readonly letters: Letters
  /** True where the words were written to be read by nobody: spelt, joined, turned. */
  readonly isDisguised: boolean
}

/** Reads all words that the grammar knows. */
export const speechesOf = (letters: Letters): readonly Speech[] => {
  const { codes, length } = letters
  const plain: Found[] = []
  const joined: Found[] = []
  const byVoice: Record<Voice, Found[]> = { plain, rot13: [], backwards: [] }
  const runs: Run[] = []
  let run: Run = { length: 0, starts: [] }
  let sentence = 0
  let until = 0
  const endRun = (): void => {
    if (run.starts.length >= leastRun && run.length <= maxRunLength) runs.push(run)
  }
  for (let at = 0; at < length;) {
    const code = codes[at] ?? 0
    if (!isLetter(code)) {
      if (code === stop) sentence += 1
      at += 1
      continue
    }
    let end = at
    while (end < length && isLetter(codes[end] ?? gap)) end += 1
    // The last piece of a spelt text may be shorter.
    if (run.length === end - at || (run.length > end - at && end === length)) run.starts.push(at)
    else {
      endRun()
      run = { length: end - at, starts: [at] }
    }
    if (at >= until) {
      const hit = longest(letters, at, true)
      if (hit !== undefined) {
        byVoice[hit.word.voice].push({ roles: hit.word.roles, start: at, end: hit.end, sentence })
        until = hit.end
      } else {
        for (let from = at; from < end;) {
          const isDense = isUnspaced(codes[from] ?? 0)
          let to = from
          while (to < end && isUnspaced(codes[to] ?? 0) === isDense) to += 1
          if (isDense) segment(letters, from, to, sentence, plain)
          else if (to - from > longWord) segment(letters, from, to, at, joined)
          from = to
        }
      }
    }
    at = end
  }
  endRun()
  const spelt = runs.map((one) => {
    const together = join(letters, one)
    const words: Found[] = []
    segment(together, 0, together.length, 0, words)
    return { words, letters: together, isDisguised: true }
  })
  return [
    { words: plain, letters, isDisguised: false },
    ...[joined, byVoice.rot13, byVoice.backwards.toReversed()].map((words) => ({
      words,
      letters,
      isDisguised: true,
    })),
    ...spelt,
  ].filter(({ words }) => words.length > 0)
}
