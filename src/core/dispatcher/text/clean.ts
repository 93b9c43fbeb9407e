import { type Content, type Mark, type TextField } from '../../model/chat/content.ts'
import { noticeMarks } from '../../model/chat/notice.ts'
import { carriersIn, type TextEdit } from './carriers.ts'
import type { MessengerLinks } from './messenger-links.ts'
import { cleanText } from './text.ts'

const maxNameUnits = 200

/** A text with its formatting marks. */
interface MarkedText {
  readonly text: string
  readonly marks: readonly Mark[]
}

/** Applies edits, which must be in order. Every mark stays on the same words. */
const edited = ({ text, marks }: MarkedText, edits: readonly TextEdit[]): MarkedText => {
  if (edits.length === 0) return { text, marks }
  let result = ''
  let from = 0
  /** The shift of the text behind each edit, in UTF-16 units. */
  const shifts: { readonly at: number; readonly end: number; readonly start: number; readonly by: number }[] =
    []
  for (const { at, length, with: replacement } of edits) {
    result += text.slice(from, at)
    const start = result.length
    result += replacement
    from = at + length
    shifts.push({ at, end: from, start, by: result.length - from })
  }
  result += text.slice(from)
  const newPosition = (position: number): number => {
    let [low, high] = [0, shifts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((shifts[middle]?.at ?? Infinity) < position) low = middle + 1
      else high = middle
    }
    const last = shifts[low - 1]
    if (last === undefined) return position
    return position < last.end ? last.start : position + last.by
  }
  const moved = marks.map((mark) => {
    const offset = newPosition(mark.offset)
    return { ...mark, offset, length: newPosition(mark.offset + mark.length) - offset }
  })
  return { text: result, marks: moved.filter(({ length }) => length > 0) }
}

const noticeMarksIn = (text: string): readonly TextEdit[] =>
  Array.from(text.matchAll(noticeMarks), ({ 0: found, index }) => ({
    at: index,
    length: found.length,
    with: '',
  }))
const linkBreaksIn =
  ({ linkBreaks }: MessengerLinks) =>
  (text: string): readonly TextEdit[] =>
    linkBreaks(text).map((at) => ({ at, length: 0, with: ' ' }))

type Finder = (text: string) => readonly TextEdit[]
/** Invisible characters are removed first, so that they cannot hide anything from the finders after them. */
const inAddress: readonly Finder[] = [carriersIn, noticeMarksIn]
const inWords = (links: MessengerLinks): readonly Finder[] => [...inAddress, linkBreaksIn(links)]
const cleanMarked = ({ text, marks }: MarkedText, finders: readonly Finder[]): MarkedText =>
  finders.reduce<MarkedText>((marked, find) => edited(marked, find(marked.text)), {
    text: text.toWellFormed(),
    marks,
  })
const cleanWords = (text: string, finders: readonly Finder[]): string =>
  cleanMarked({ text, marks: [] }, finders).text

/** A file name without a path and without characters that hide or reorder letters. */
const cleanName = (name: string): string => {
  const shown = cleanText(name)
    .replace(/[\p{C}\p{Zl}\p{Zp}/\\]/gu, '_')
    .slice(-maxNameUnits)
    .trim()
    .toWellFormed()
  const seen = cleanWords(shown, inAddress).trim()
  return /^\.*$/.test(seen) ? 'file' : seen
}
/** True for a part that a reader can open. */
export const isAddressField = (field: string): boolean => /^(?:link\.\d+|button\.\d+\.url)$/.test(field)

const cleanPart = ({ field, text }: TextField, links: MessengerLinks): TextField => {
  if (/^file\.\d+\.name$/.test(field)) return { field, text: cleanName(text) }
  // An address stays whole until its owner is known.
  return { field, text: cleanWords(text, isAddressField(field) ? inAddress : inWords(links)) }
}

/** True for an address that starts another program, or that the messenger opens itself. */
const opensProgram = (text: string, { isMessengerAddress }: MessengerLinks): boolean => {
  const url = URL.parse(text)
  return url !== null && (!/^https?:$/.test(url.protocol) || isMessengerAddress(text))
}

/**
 * The words for an address that must not be opened. They are added to the text; those of a button include its
 * label.
 */
const addressText = (parts: readonly TextField[], { field, text }: TextField): string => {
  const label = parts.find((part) => part.field === field.replace(/url$/, 'label') && part.field !== field)
  const address = text.replace(/\s+/g, '')
  return label === undefined ? address : `${label.text}: ${address}`
}

/**
 * Cleans a content before it is judged and sent. The result is well-formed and has no invisible carriers, no
 * mark of a notice, and nothing that would make a reader send a command by a tap.
 */
export const clean = <C extends Content>(content: C, links: MessengerLinks): C => {
  const { text, marks } = cleanMarked(content, inWords(links))
  if (content.parts.length === 0) return text === content.text ? content : { ...content, text, marks }
  const parts = content.parts.map((part) => cleanPart(part, links))
  const opening = parts.filter((part) => isAddressField(part.field) && opensProgram(part.text, links))
  if (opening.length === 0) return { ...content, text, marks, parts }
  const gone = new Set(opening.flatMap(({ field }) => [field, field.replace(/url$/, 'label')]))
  const addresses = cleanWords(opening.map((part) => addressText(parts, part)).join('\n'), inWords(links))
  return {
    ...content,
    text: text === '' ? addresses : `${text}\n${addresses}`,
    parts: parts.filter(({ field }) => !gone.has(field)),
    marks: marks.filter(({ field }) => field === undefined || !gone.has(field)),
  }
}
