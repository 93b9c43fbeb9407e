import {
  FORMS,
  isPushType,
  partNamed,
  plain,
  readable,
  type Content,
  type Mark,
} from '../../model/chat/content.ts'
import type { Channel } from '../../model/chat/channel.ts'
import { noticeMark } from '../../model/chat/notice.ts'
import { cutText } from '../text/text.ts'

/** True for a form that must leave as a single message. */
export const isWhole = (type: Content['type']): boolean => isPushType(type) && 'isWhole' in FORMS[type]

const within = (marks: readonly Mark[], from: number, to: number): readonly Mark[] =>
  marks.flatMap((mark) => {
    const [begin, end] = [Math.max(mark.offset, from), Math.min(mark.offset + mark.length, to)]
    return begin < end ? [{ ...mark, offset: begin - from, length: end - begin }] : []
  })

const linksOf = (content: Content, marks: readonly Mark[]): Content['parts'] =>
  content.parts.filter(
    ({ field }) => !field.startsWith('link.') || marks.some((mark) => mark.field === field),
  )

/** True when every link to this address shows the address itself, so that repeating it adds nothing. */
const isShown = ({ text, marks }: Content, field: string, address: string): boolean => {
  const own = marks.filter((mark) => mark.field === field)
  return own.length > 0 && own.every(({ offset, length }) => text.slice(offset, offset + length) === address)
}

/**
 * Splits a content for a messenger that shows only texts and files. Nothing is lost, and each line is a text
 * that was judged. The name of a file goes with the file.
 */
const separatePieces = (content: Content, maxUnits: number): readonly Content[] => {
  const { type, text, parts, files } = content
  const beside = parts.filter(
    ({ field, text: address }) =>
      !field.startsWith('file.') && !(field.startsWith('link.') && isShown(content, field, address)),
  )
  const texts = cutText(readable({ text, parts: beside }), maxUnits).filter((cut) => cut.text.trim() !== '')
  return [
    ...files.map((file, at): Content => ({
      type,
      text: '',
      marks: [],
      parts: [{ field: 'file.0.name', text: partNamed(parts, `file.${at}.name`) ?? 'file' }],
      files: [file],
    })),
    ...texts.map((cut): Content => ({
      type: type === 'error' ? type : 'text',
      text: cut.text,
      marks: [],
      parts: [],
      files: [],
    })),
  ]
}

/**
 * The quote mark to repeat where a text is cut within a quoted line. Empty where it is cut at a line's start.
 */
const markCutAt = (text: string, offset: number): string => {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return start === offset ? '' : (/^ {0,2}│ {0,3}/.exec(text.slice(start, start + 6))?.[0] ?? '')
}
const longestCutMark = '  │   '

/**
 * Cuts a notice that is too long for one message. Each piece begins with the mark of a notice and its number.
 * Without them the later pieces would look like an agent's words, and an agent's words could look like a
 * piece. A quoted line that is cut repeats its quote mark.
 */
const noticePieces = (content: Content, maxUnits: number): readonly Content[] => {
  const start = `${noticeMark} `.length
  const body = content.text.slice(start)
  const head = (at: number | string, of: number | string): string => `${noticeMark} ${at}/${of}\n`
  // This is an upper bound of the number of pieces: each message is filled to at least three quarters.
  const most = String(Math.ceil((2 * body.length) / maxUnits) + 1)
  const room = Math.max(1, maxUnits - head(most, most).length - longestCutMark.length)
  const cuts = cutText(body, room).filter((cut) => cut.text.trim() !== '')
  return cuts.map((cut, at): Content => {
    const before = `${head(at + 1, cuts.length)}${markCutAt(body, cut.offset)}`
    const from = start + cut.offset
    const marks = within(content.marks, from, from + cut.text.length)
    return {
      ...content,
      text: `${before}${cut.text}`,
      marks: marks.map((mark) => ({ ...mark, offset: mark.offset + before.length })),
    }
  })
}

/** The file beside a notice, as a message of its own. Its caption begins with the mark of a notice. */
const noticeFilePiece = ({ parts, files }: Content, isPlain: boolean): Content => ({
  type: 'document',
  text: isPlain ? '' : `${noticeMark} ${partNamed(parts, 'file.0.handle') ?? ''}`,
  marks: [],
  parts: parts.filter(({ field }) => field === 'file.0.name'),
  files,
})

/** The message that stands for the file beside a notice when the messenger refused the file. */
export const lostFilePiece = ({ parts }: Content): Content =>
  plain('notice', `${noticeMark} ${partNamed(parts, 'file.0.lost') ?? ''}`)

/**
 * Cuts a content, which was judged as a whole, into the messages of its channel. The first piece beside a
 * file is as long as a caption may be.
 */
export const piecesOf = (
  content: Content,
  {
    maxUnits,
    maxCaptionUnits = maxUnits,
    isPlain,
  }: Pick<Channel, 'maxUnits' | 'maxCaptionUnits' | 'isPlain'>,
): readonly Content[] => {
  if (content.type === 'notice' && content.files.length > 0) {
    // The file comes first, so that nobody taps a button of the notice before it is there.
    const words = { ...content, parts: [], files: [] }
    return [noticeFilePiece(content, isPlain === true), ...piecesOf(words, { maxUnits })]
  }
  if (isPlain === true && content.parts.length + content.files.length > 0)
    return separatePieces(content, maxUnits)
  const { type, text, marks, files } = content
  const first = files.length > 0 ? maxCaptionUnits : maxUnits
  if (text.length <= first) return [content]
  if (type === 'notice') return noticePieces(content, maxUnits)
  const cuts = cutText(text, maxUnits, first).filter(
    (cut, at) => cut.text.trim() !== '' || (files.length > 0 && at === 0),
  )
  return cuts.map((cut, at): Content => {
    const own = within(marks, cut.offset, cut.offset + cut.text.length)
    const isFirst = at === 0
    // Parts of the form stay with the file. Buttons of a text without a file stay under its last piece.
    const hasFormParts = files.length > 0 ? isFirst : at === cuts.length - 1
    return {
      type: files.length === 0 || isFirst ? type : 'text',
      text: cut.text,
      marks: own,
      parts: linksOf(content, own).filter(({ field }) => hasFormParts || field.startsWith('link.')),
      files: isFirst ? files : [],
    }
  })
}
