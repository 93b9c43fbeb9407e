import { noticeMarks } from '../../model/chat/notice.ts'
import type { CodeRange } from '../../model/chat/push.ts'
import { codePoint, showLookAlikes } from './look-alikes.ts'
import { messengerRanges } from './messenger-links.ts'

/** Agent text as it may be judged and sent: well-formed, and without the mark of a notice. */
export const cleanText = (text: string): string => text.toWellFormed().replace(noticeMarks, '')

/** Scripts whose orthography needs joiners inside a word. */
const joined = String.raw`[\p{sc=Arabic}\p{sc=Syriac}\p{sc=Mongolian}\p{sc=Devanagari}\p{sc=Bengali}\p{sc=Gurmukhi}\p{sc=Gujarati}\p{sc=Oriya}\p{sc=Tamil}\p{sc=Telugu}\p{sc=Kannada}\p{sc=Malayalam}\p{sc=Sinhala}\p{sc=Khmer}\p{sc=Myanmar}]`
/** What is seen, or belongs to what is: an emoji whole, a joiner of such a script, the wide blank of Chinese and Japanese. */
const honest = String.raw`\p{RGI_Emoji}|\p{Extended_Pictographic}[\uFE0E\uFE0F]|(?<=${joined})[\u200C\u200D](?=${joined})|(?<=^|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303F\uFF00-\uFF65])\u3000`
/**
 * Controls, zero-width and bidirectional characters, tags, fillers, blanks that are no space, unassigned, and marks piled
 * up over what stands around them: what a reader cannot see, or cannot see through.
 */
const hidden = String.raw`[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u2800\uFFFC\u{1D159}[\p{Zs}--[\u0020]]]|(?<=\p{M}{4})\p{M}`
const invisible = new RegExp(`(${honest})|${hidden}`, 'gv')
const escaped = (char: string, seen: string | undefined): string => seen ?? codePoint(char)
const maxQuotedUnits = 600
/** Of what is longer, only both ends are looked at: no more of it is shown. */
const maxSeenUnits = 20_000

/**
 * A quoted part as a notice shows it: on one line, nothing invisible in it and nothing that passes for another
 * letter, a long one by head, tail and length unless it has to be seen whole.
 */
export const visibleText = (quoted: string, isWhole = false): string => {
  const isShort = isWhole || quoted.length <= maxSeenUnits
  const seen = isShort ? quoted : `${quoted.slice(0, maxQuotedUnits)}${quoted.slice(-maxQuotedUnits)}`
  const line = showLookAlikes(
    cleanText(seen).replace(/\r?\n/g, '⏎').replace(/\t/g, ' ').replace(invisible, escaped),
  )
  if (isWhole || line.length <= maxQuotedUnits) return line
  const [head, tail] = [line.slice(0, 400).toWellFormed(), line.slice(-120).toWellFormed()]
  return `${head}… (${quoted.length} characters) …${tail}`
}

/**
 * Telegram makes a command tappable behind anything but a letter, a digit, `_`, `/`, `<` or `>`, so `：/new` and `./new`
 * too. Source: match_bot_commands in TDLib.
 */
const shownAsCode =
  /^ {0,2}│.*(?:\n {0,2}│.*)*|\/(?<=(?:^[ \t]*|→ )\/)[\p{L}\p{N}_][^\s/]*(?=\s|$).*|(?<![\p{L}\p{N}_/<>])[.~]{0,2}\/[\p{L}\p{N}_]\S*(?<![.,:;])/gmu

/** Ranges in order, those that meet as one. */
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
 * Where a client would make a command tappable: such text is shown as code, so that it can be copied but a tap
 * cannot send it. A command that begins its line or stands behind an arrow is one range to the line's end, so that one tap copies all of it.
 * The stop or colon behind a word is the sentence's own.
 * So is an address that the messenger opens by itself.
 * Lines of a file that a card or a difference shows are one range too: where a phone folds such a line, the rest of it must not pass for words of ours.
 */
export const commandRanges = (text: string): readonly CodeRange[] =>
  united([
    ...Array.from(text.matchAll(shownAsCode), (match) => ({ offset: match.index, length: match[0].length })),
    ...messengerRanges(text),
  ])

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The last place at or before `max` where a text can be cut, looked for in its last quarter: paragraph, line, word, character. */
const cutAt = (text: string, max: number): number => {
  const from = Math.floor(max * 0.75)
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(separator, max - separator.length)
    if (at >= from) return at + separator.length
  }
  // From the very start: begun in the middle of a row of flags, the segmenter would pair their halves wrongly.
  let at = 0
  for (const { index, segment } of segmenter.segment(text.slice(0, max + 40))) {
    if (index + segment.length > max) break
    at = index + segment.length
  }
  if (at > 0) return at
  // One character longer than a message: it has to be cut, but never inside a surrogate pair.
  return max > 1 && /[\uD800-\uDBFF]/.test(text.charAt(max - 1)) ? max - 1 : max
}

/** Cuts a text that was judged as a whole into messages of at most `max` UTF-16 units, the first of at most `first`. Joined they are the text. */
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
