import { FORMS, isPushType, partNamed, readable, type Content, type Mark } from '../model/content.ts'
import type { Channel } from '../model/channel.ts'
import { cutText } from './text.ts'

/** One message of several that a long push becomes. */
export type Piece = Omit<Content, 'target'>

/** True for a form that leaves as one message or not at all. */
export const isWhole = (type: Content['type']): boolean => isPushType(type) && 'isWhole' in FORMS[type]

const within = (marks: readonly Mark[], from: number, to: number): readonly Mark[] =>
  marks.flatMap((mark) => {
    const [begin, end] = [Math.max(mark.offset, from), Math.min(mark.offset + mark.length, to)]
    return begin < end ? [{ ...mark, offset: begin - from, length: end - begin }] : []
  })

const linksOf = (content: Content, marks: readonly Mark[]): Content['parts'] =>
  content.parts.filter(({ field }) => !field.startsWith('link.') || marks.some((mark) => mark.field === field))

/** A link that shows its own address: beside it, the address says nothing new. */
const isShown = ({ text, marks }: Content, field: string, address: string): boolean => {
  const own = marks.filter((mark) => mark.field === field)
  return own.length > 0 && own.every(({ offset, length }) => text.slice(offset, offset + length) === address)
}

/** Nothing of it is lost, and each line is a text as it was judged. The name of a file stands at the file. */
const apart = (content: Content, maxUnits: number): readonly Piece[] => {
  const { type, text, parts, files } = content
  const beside = parts.filter(({ field, text: said }) => !field.startsWith('file.') && !(field.startsWith('link.') && isShown(content, field, said)))
  const words = cutText(readable({ text, parts: beside }), maxUnits).filter((cut) => cut.text.trim() !== '')
  return [
    ...files.map((file, at): Piece => ({ type, text: '', marks: [], parts: [{ field: 'file.0.name', text: partNamed(parts, `file.${at}.name`) ?? 'file' }], files: [file] })),
    ...words.map((cut): Piece => ({ type: type === 'error' ? type : 'text', text: cut.text, marks: [], parts: [], files: [] })),
  ]
}

/** The messages as which something leaves. Judged as a whole; cut at most. Beside a file goes as much of the text as fits there. */
export const piecesOf = (content: Content, { maxUnits, maxCaptionUnits = maxUnits, isPlain }: Pick<Channel, 'maxUnits' | 'maxCaptionUnits' | 'isPlain'>): readonly Piece[] => {
  if (isPlain === true && content.parts.length + content.files.length > 0) return apart(content, maxUnits)
  const { type, text, marks, files } = content
  const first = files.length > 0 ? maxCaptionUnits : maxUnits
  if (text.length <= first) return [content]
  const cuts = cutText(text, maxUnits, first).filter((cut, at) => cut.text.trim() !== '' || (files.length > 0 && at === 0))
  return cuts.map((cut, at): Piece => {
    const own = within(marks, cut.offset, cut.offset + cut.text.length)
    const isFirst = at === 0
    // What belongs to the form stands with the file; buttons of a bare text stand under its end.
    const bears = files.length > 0 ? isFirst : at === cuts.length - 1
    return {
      type: files.length === 0 || isFirst ? type : 'text',
      text: cut.text,
      marks: own,
      parts: linksOf(content, own).filter(({ field }) => bears || field.startsWith('link.')),
      files: isFirst ? files : [],
    }
  })
}

