import { noticeMarks } from '../../model/chat/notice.ts'
import { whole, type Prose } from '../../model/chat/prose.ts'

/**
 * What a reader sees as it is: printable ASCII, letters, digits and marks of any script, the punctuation of
 * prose, and pictures. The mark of a notice is none of it, since a notice takes it out of whatever it
 * quotes; nor is what reads like the spelling of a character that a notice cannot show as it is.
 */
const letters = String.raw`\u0020-\u007E\p{L}\p{M}\p{N}`
const signs = String.raw`–—‘’“”…•·→✓✗\u3001-\u3011\uFF01-\uFF5E\p{Extended_Pictographic}`
const plain = new RegExp(String.raw`^(?!.*(?: $|\\u\{))[${letters}${signs}]*$`, 'u')
const other = /[^\u0020-\u007E\p{L}\p{N}]/gu

const spelled = (char: string): string => {
  if (char === '\n') return '\\n'
  return char === '\t' ? '\\t' : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
}

const inQuotes = (text: string): string => `⟪${text.replaceAll('\\', '\\\\').replace(other, spelled)}⟫`

/**
 * A text of somebody else's on one line of a card: as it is where it is plain, else in ⟪ ⟫ with every other
 * character spelled out. Two texts that differ never become the same.
 */
export const exactText = (text: string): string => {
  const isPlain = text !== '' && plain.test(text) && text.search(noticeMarks) < 0
  return isPlain ? text : inQuotes(text)
}

/** As programs call their tools and arguments: one word, which has no room for words of a card. */
const plainName = /^[\w.:/-]+$/

/** A name that somebody else chose: as it is where it is one word, else in ⟪ ⟫. */
export const exactName = (name: string): string => (plainName.test(name) ? name : inQuotes(name))

/** The same as a quote that a notice never shortens. */
export const exactly = (text: string): Prose => whole(exactText(text))

const bareWord = /^[\w@%+=:,./-]+$/

/** Words as one could type them: what is no bare word stands in quotes. */
export const exactWords = (words: readonly string[]): Prose =>
  exactly(words.map((word) => (bareWord.test(word) ? word : JSON.stringify(word))).join(' '))

const exactLine = (line: string): string => {
  if (line === '') return ''
  const [, tabs, rest] = /^(\t*)([^\t]+)$/.exec(line) ?? []
  if (tabs === undefined || rest === undefined) return exactText(line)
  return '⇥'.repeat(tabs.length) + exactText(rest)
}

/**
 * A text that spreads over lines, line by line. A tab at the start has a sign of its own: code is full of
 * them.
 */
export const exactLines = (text: string): readonly string[] => text.split('\n').map(exactLine)
