import { noticeMarks } from '../../model/chat/notice.ts'
import type { CodeRange } from '../../model/chat/push.ts'
import { codePoint, showLookAlikes } from './look-alikes.ts'
import type { MessengerLinks } from './messenger-links.ts'

/** Makes an agent's text well-formed and removes the mark of a notice. */
export const cleanText = (text: string): string => text.toWellFormed().replace(noticeMarks, '')

/** Scripts whose orthography needs joiners inside a word. */
const joined = String.raw`[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gurmukhi}\p{sc=Gujarati}\p{sc=Oriya}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Khmer}\p{sc=Myanmar}]`
/**
 * Characters that are visible or needed: a whole emoji, a joiner in such a script, and the wide blank of
 * Chinese and Japanese.
 */
const honest = String.raw`\p{RGI_Emoji}|\p{Extended_Pictographic}[\uFE0E\uFE0F]|(?<=${joined})[\u200C\u200D](?=${joined})|(?<=^|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303F\uFF00-\uFF65])\u3000`
/**
 * Characters that a reader cannot see, or that cover others: controls, zero-width and bidirectional
 * characters, tags, fillers, blanks other than the space, unassigned characters, and marks stacked over their
 * neighbours.
 */
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u2800\uFFFC\u{1D159}[\p{Zs}--[\u0020]]]|(?<=\p{M}{4})\p{M}`
let made: RegExp | undefined
/** It is made for the first text that is not plain, because that takes milliseconds and a megabyte. */
const invisible = (): RegExp => (made ??= new RegExp(`(${honest})|${hidden}`, 'gv'))
/** Text without anything to replace. This test is quick. */
const isPlain = /^[ -~]*$/
const escaped = (char: string, seen: string | undefined): string => seen ?? codePoint(char)
const maxQuotedUnits = 600
/** Only this much of a long quote is processed, in UTF-16 units: the notice shows only its two ends. */
const maxSeenUnits = 20_000

/**
 * Formats a quoted part for a notice, on one line. Invisible characters and look-alike letters are replaced
 * with their code points. A long quote is shown by its head, tail and length, unless `isWhole`.
 */
export const visibleText = (quoted: string, isWhole = false): string => {
  const isShort = isWhole || quoted.length <= maxSeenUnits
  const seen = isShort ? quoted : `${quoted.slice(0, maxQuotedUnits)}${quoted.slice(-maxQuotedUnits)}`
  const line = isPlain.test(seen)
    ? seen
    : showLookAlikes(cleanText(seen).replace(/\r?\n/g, '⏎').replace(/\t/g, ' ').replace(invisible(), escaped))
  if (isWhole || line.length <= maxQuotedUnits) return line
  const [head, tail] = [line.slice(0, 400).toWellFormed(), line.slice(-120).toWellFormed()]
  return `${head}… (${quoted.length} characters) …${tail}`
}

/**
 * A client makes a command tappable behind anything but a letter, a digit, `_`, `/`, `<` or `>`, so also in
 * `：/new` and `./new`.
 */
const shownAsCode =
  /^ {0,2}│.*(?:\n {0,2}│.*)*|\/(?<=(?:^[ \t]*|→ )\/)[\p{L}\p{N}_][^\s/]*(?=\s|$).*|(?<![\p{L}\p{N}_/<>])[.~]{0,2}\/[\p{L}\p{N}_]\S*(?<![.,:;])/gmu

/** Sorts the ranges and merges those that overlap. */
const united = (ranges: readonly CodeRange[]): readonly CodeRange[] => {
  const all: CodeRange[] = []
  for (const range of ranges.toSorted((a, b) => a.offset - b.offset)) {
    const last = all.at(-1)
    const end = range.offset + range.length
    if (last === undefined || range.offset >= last.offset + last.length) all.push(range)
    else all[all.length - 1] = { ...last, length: Math.max(last.length, end - last.offset) }
  }
  return all
}

/**
 * The ranges that a client would make tappable. They are shown as code: a reader can copy them, but a tap
 * cannot send them. A command at the start of a line or behind an arrow is one range to the end of the line,
 * so that one tap copies all of it. A stop or colon behind a word belongs to the sentence. An address that
 * the messenger opens by itself is a range, too. The lines of a file in a card or a diff are one range: where
 * a phone wraps such a line, the rest must not look like hookgate's own words.
 */
export const commandRanges = (text: string, { messengerRanges }: MessengerLinks): readonly CodeRange[] =>
  united([
    ...Array.from(text.matchAll(shownAsCode), (match) => ({ offset: match.index, length: match[0].length })),
    ...messengerRanges(text),
  ])

/**
 * The last position at or before `max` where a text can be cut. Its last quarter is searched for the end of a
 * paragraph, a line or a word; otherwise a character's end is used.
 */
const cutAt = (text: string, max: number): number => {
  const from = Math.floor(max * 0.75)
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(separator, max - separator.length)
    if (at >= from) return at + separator.length
  }
  // It starts at the beginning of the text: within a row of flags the segmenter would pair the halves
  // wrongly.
  let at = 0
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (const { index, segment } of segmenter.segment(text.slice(0, max + 40))) {
    if (index + segment.length > max) break
    at = index + segment.length
  }
  if (at > 0) return at
  // This one character is longer than a message. It has to be cut, but never inside a surrogate pair.
  return max > 1 && /[\uD800-\uDBFF]/.test(text.charAt(max - 1)) ? max - 1 : max
}

/**
 * Cuts a text that was judged as a whole into messages of at most `max` UTF-16 units, the first of at most
 * `first`. The pieces joined give the text again.
 */
export const cutText = (
  text: string,
  max: number,
  first = max,
): readonly { readonly offset: number; readonly text: string }[] => {
  const cuts: { offset: number; text: string }[] = []
  let offset = 0
  for (let rest = text, most = first; rest !== ''; rest = text.slice(offset), most = max) {
    const length = rest.length > most ? cutAt(rest, most) : rest.length
    cuts.push({ offset, text: rest.slice(0, length) })
    offset += length
  }
  return cuts
}
