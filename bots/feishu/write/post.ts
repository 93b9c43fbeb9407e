import { partNamed, type Mark } from '../../../src/core/model/chat/content.ts'
import { linkButtons, isSplit } from '../../../src/shared/chat/content.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { isTooLong } from './refuse.ts'

/** More marks than this are left out, and the text leaves without any. */
const maxMarks = 100

type Style = 'bold' | 'italic' | 'lineThrough' | 'underline'
type Element =
  | { readonly tag: 'text'; readonly text: string; readonly style?: readonly Style[] }
  | { readonly tag: 'a'; readonly text: string; readonly href: string; readonly style?: readonly Style[] }
  | { readonly tag: 'img'; readonly image_key: string }
  | { readonly tag: 'code_block'; readonly text: string }

type Paragraph = readonly Element[]

const styles: Partial<Readonly<Record<Mark['type'], Style>>> = {
  bold: 'bold',
  italic: 'italic',
  strike: 'lineThrough',
}

const end = ({ offset, length }: Mark): number => offset + length

const styled = (found: readonly Style[]): { readonly style?: readonly Style[] } =>
  found.length === 0 ? {} : { style: [...new Set(found)] }

/** One piece of a text in which the same marks hold. It has no line break. */
const pieceOf = (text: string, marks: readonly Mark[], parts: OutgoingMessage['parts']): Element => {
  const style = styled(marks.flatMap(({ type }) => styles[type] ?? []))
  const link = marks.find(({ type }) => type === 'link')
  const href = link === undefined ? undefined : partNamed(parts, link.field ?? '')
  return href === undefined ? { tag: 'text', text, ...style } : { tag: 'a', text, href, ...style }
}

/** The lines of a run of text, each of them a paragraph. */
const linesOf = (
  { text, marks, parts }: Pick<OutgoingMessage, 'text' | 'marks' | 'parts'>,
  from: number,
  to: number,
): readonly Paragraph[] => {
  const cuts = [...new Set(marks.flatMap((mark) => [mark.offset, end(mark)]))]
    .filter((at) => at > from && at < to)
    .toSorted((a, b) => a - b)
  const lines: Element[][] = [[]]
  let at = from
  for (const cut of [...cuts, to]) {
    const inside = marks.filter((mark) => mark.offset <= at && cut <= end(mark))
    for (const [index, line] of text.slice(at, cut).split('\n').entries()) {
      if (index > 0) lines.push([])
      if (line !== '') lines.at(-1)?.push(pieceOf(line, inside, parts))
    }
    at = cut
  }
  // A paragraph without an element is no empty line.
  return lines.map((line) => (line.length === 0 ? [{ tag: 'text', text: '' }] : line))
}

/** The paragraphs of a text with its marks. A block of code is a paragraph of its own. */
const paragraphsOf = (outgoing: OutgoingMessage): readonly Paragraph[] => {
  const { text } = outgoing
  const whole = outgoing.marks.filter((mark) => !isSplit(text, mark.offset) && !isSplit(text, end(mark)))
  const marks = whole.length > maxMarks ? [] : whole
  const blocks = marks.filter(({ type }) => type === 'pre').toSorted((a, b) => a.offset - b.offset)
  const shown = { text, marks: marks.filter(({ type }) => type !== 'pre'), parts: outgoing.parts }
  const paragraphs: Paragraph[] = []
  let at = 0
  for (const block of blocks) {
    if (block.offset < at) continue
    // The line breaks around a block are its edges.
    const before = text.slice(at, block.offset).replace(/\n$/, '')
    if (before !== '') paragraphs.push(...linesOf(shown, at, at + before.length))
    paragraphs.push([{ tag: 'code_block', text: text.slice(block.offset, end(block)) }])
    at = end(block) + (text.charAt(end(block)) === '\n' ? 1 : 0)
  }
  if (at < text.length) paragraphs.push(...linesOf(shown, at, text.length))
  return paragraphs
}

/** The buttons of a push only open an address, so each is a link in a line of its own. */
const linkLines = (outgoing: OutgoingMessage): readonly Paragraph[] =>
  linkButtons(outgoing.parts).map(({ label, url }) => [{ tag: 'a', text: label, href: url }])

/**
 * The first line of an anchor is bold and underlined. No other message of this bot is underlined. After a
 * restart the bot recognizes its anchor by that.
 */
const asAnchor = ([first = [], ...rest]: readonly Paragraph[]): readonly Paragraph[] => [
  first.map((element) => (element.tag === 'text' ? { ...element, style: ['bold', 'underline'] } : element)),
  ...rest,
]

/**
 * The content of a rich text. It has no markup, so Feishu shows the text as it is. `images`: the keys of the
 * pictures above the text.
 */
export const postOf = (outgoing: OutgoingMessage, images: readonly string[] = []): string => {
  const made = (text: readonly Paragraph[]): string =>
    JSON.stringify({
      zh_cn: {
        title: '',
        content: [
          ...images.map((image_key): Paragraph => [{ tag: 'img', image_key }]),
          ...(outgoing.isAnchor === true ? asAnchor(text) : text),
          ...linkLines(outgoing),
        ],
      },
    })
  const whole = made(paragraphsOf(outgoing))
  // A text of very many short lines is too long as paragraphs. One paragraph shows the same text. It cannot
  // hold the address of a link.
  const hasLinks = outgoing.marks.some(({ type }) => type === 'link')
  return isTooLong(whole) && !hasLinks ? made([[{ tag: 'text', text: outgoing.text }]]) : whole
}
