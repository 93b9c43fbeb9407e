import type { CodeRange } from '../model/push.ts'

/** What a notice begins with, and what nothing else may hold. */
export const mark = '🛡'

/** Agent text as it may be judged and sent: well-formed, and without the mark of a notice. */
export const cleanText = (text: string): string => text.toWellFormed().replace(/\u{1F6E1}\uFE0F?/gu, '')

// Controls, zero-width and bidirectional characters, tags, fillers, unassigned: what a reader cannot see.
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu
const maxQuotedUnits = 600

/** A quoted part as a notice shows it: on one line, nothing invisible in it, a long one by head, tail and length. */
export const visibleText = (quoted: string): string => {
  const line = cleanText(quoted).replace(/\r?\n/g, '⏎').replace(/\t/g, ' ').replace(invisible, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
  return line.length <= maxQuotedUnits ? line : `${line.slice(0, 400).toWellFormed()}… (${quoted.length} characters) …${line.slice(-120).toWellFormed()}`
}

/**
 * Where a client would make a command tappable: such text is shown as code, so that it can be copied but a tap
 * cannot send it. A line that is a command as a whole is one range, so that one tap copies all of it.
 */
export const commandRanges = (text: string): readonly CodeRange[] => {
  const ranges: CodeRange[] = []
  const found = /(^|[\s([{"'`])(\/[\p{L}\p{N}_][^\s]*)/gmu
  for (const match of text.matchAll(found)) {
    const offset = match.index + (match[1]?.length ?? 0)
    const word = match[2] ?? ''
    const isLineStart = offset === 0 || /(^|\n)[ \t]*(→ )?$/.test(text.slice(Math.max(0, offset - 8), offset))
    const isCommand = isLineStart && !word.slice(1).includes('/')
    const lineEnd = text.indexOf('\n', offset)
    const end = isCommand ? (lineEnd === -1 ? text.length : lineEnd) : offset + word.length
    const last = ranges.at(-1)
    if (last === undefined || offset >= last.offset + last.length) ranges.push({ offset, length: end - offset })
  }
  return ranges
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The last place at or before `max` where a text can be cut, looked for in its last quarter: paragraph, line, word, character. */
const cutAt = (text: string, max: number): number => {
  const from = Math.floor(max * 0.75)
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(separator, max - separator.length)
    if (at >= from) return at + separator.length
  }
  let at = 0
  for (const { index, segment } of segmenter.segment(text.slice(from, max + 40))) {
    const end = from + index + segment.length
    if (end > max) break
    at = end
  }
  return at > from ? at : max - (/[\uD800-\uDBFF]/.test(text.charAt(max - 1)) ? 1 : 0)
}

/** Cuts a text that was judged as a whole into messages of at most `max` UTF-16 units. Nothing is lost between them. */
export const splitText = (text: string, max: number): readonly string[] => {
  const pieces: string[] = []
  let rest = text
  while (rest.length > max) {
    const at = cutAt(rest, max)
    pieces.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  return [...pieces, rest].filter((piece) => piece.trim() !== '')
}
