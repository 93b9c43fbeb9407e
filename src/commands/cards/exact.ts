import { noticeMarks } from '../../core/model/chat/notice.ts'
import { whole, type Prose } from '../../core/model/chat/prose.ts'

/**
 * Characters that are shown unchanged: printable ASCII, letters, digits and marks of any script, the
 * punctuation of prose, and pictures. The mark of a notice is not among them, because a notice removes it
 * from quotes. A text that looks like a spelled-out character is not plain either.
 */
const letters = String.raw`\u0020-\u007E\p{L}\p{M}\p{N}`
const signs = String.raw`\u2013\u2014\u2018\u2019\u201C\u201D\u2026\u2022\xB7\u2192\u2713\u2717\u3001-\u3011\uFF01-\uFF5E\p{Extended_Pictographic}`
const plain = new RegExp(String.raw`^(?!.*(?: $|\\u\{))[${letters}${signs}]*$`, 'u')
const other = /[^\u0020-\u007E\p{L}\p{N}]/gu

const spelled = (char: string): string => {
  if (char === '\n') return '\\n'
  return char === '\t' ? '\\t' : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
}

const inQuotes = (text: string): string => `⟪${text.replaceAll('\\', '\\\\').replace(other, spelled)}⟫`

/**
 * A foreign text on one line of a card. Plain text is unchanged. Other text stands in ⟪ ⟫ with every special
 * character spelled out. Two different texts never become the same.
 */
export const exactText = (text: string): string => {
  const isPlain = text !== '' && plain.test(text) && text.search(noticeMarks) < 0
  return isPlain ? text : inQuotes(text)
}

/** A usual name of a tool or an argument. It is one word, so it cannot imitate the text of a card. */
const plainName = /^[\w.:/-]+$/

/** A foreign name: unchanged when it is one word, else in ⟪ ⟫. */
export const exactName = (name: string): string => (plainName.test(name) ? name : inQuotes(name))

/** The same as a quote that a notice never shortens. */
export const exactly = (text: string): Prose => whole(exactText(text))

const bareWord = /^[\w@%+=:,./-]+$/

/** Words as one could type them. A word with special characters stands in quotes. */
export const exactWords = (words: readonly string[]): Prose =>
  exactly(words.map((word) => (bareWord.test(word) ? word : JSON.stringify(word))).join(' '))

const exactLine = (line: string): string => {
  if (line === '') return ''
  const [, tabs, rest] = /^(\t*)([^\t]+)$/.exec(line) ?? []
  if (tabs === undefined || rest === undefined) return exactText(line)
  return '⇥'.repeat(tabs.length) + exactText(rest)
}

/**
 * A text of several lines, line by line. Tabs at the start of a line are shown as a sign, because code often
 * has them.
 */
export const exactLines = (text: string): readonly string[] => text.split('\n').map(exactLine)
