import MarkdownIt, { type Token } from 'markdown-it'
import { readTag, writeInline } from './markdown-inline.ts'
import { tableText } from './markdown-table.ts'
import { createMarkedText, type MarkedText, type MarkedTextWriter, type OpenMark } from './marked-text.ts'

/** What a push takes at most, in UTF-16 units. */
const maxUnits = 100_000
const maxNesting = 40

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting })
// An address stays the one that was written, and which may be a link is ours to say.
parser.validateLink = () => true
parser.normalizeLink = (address) => address
parser.normalizeLinkText = (text) => text
parser.inline.ruler.before('autolink', 'tag', readTag)
// A definition of a reference leaves no words; as it is, it can be read. And an escaped character stays one of its own.
parser.disable(['reference', 'text_join'])

const isLanguage = /^[a-z][\w+#.-]{0,30}$/i

const writeBlock = (out: MarkedTextWriter, look: 'pre', text: string): void => {
  const opened = out.begin(look)
  out.write(text)
  out.end(opened)
  out.gap(2)
}

const writeBlocks = (tokens: readonly Token[], lines: readonly string[], out: MarkedTextWriter): void => {
  const quotes: (OpenMark | undefined)[] = []
  let heading: OpenMark | undefined
  let tableAt = -1
  tokens.forEach((token, at) => {
    const { type, content, info, markup, hidden, children } = token
    if (type === 'table_open') tableAt = at
    if (type === 'table_close') {
      writeBlock(out, 'pre', tableText(tokens.slice(tableAt, at), lines))
      tableAt = -1
    }
    if (tableAt >= 0) return
    switch (type) {
      case 'inline':
        return writeInline(children ?? [], out)
      case 'paragraph_close':
        return out.gap(hidden ? 1 : 2)
      case 'heading_open':
        heading = out.begin('bold')
        return undefined
      case 'heading_close':
        out.end(heading)
        return out.gap(2)
      case 'blockquote_open':
        quotes.push(out.begin('quote'))
        return undefined
      case 'blockquote_close':
        out.end(quotes.pop())
        return out.gap(2)
      case 'list_item_open':
        return out.beginItem(info === '' ? '• ' : `${info}${markup} `)
      case 'list_item_close':
        out.endItem()
        return out.gap(1)
      case 'bullet_list_close':
      case 'ordered_list_close':
        return out.gap(out.isInItem() ? 1 : 2)
      case 'fence':
      case 'code_block':
        // Whatever is not the name of a language is words that somebody should read.
        if (info.trim() !== '' && !(isLanguage.test(info.trim()) && content.trim() !== ''))
          out.write(`${info.trim()}\n`)
        return writeBlock(out, 'pre', content.replace(/\n$/, ''))
      case 'hr':
        out.write('─────')
        return out.gap(2)
      default:
        return undefined
    }
  })
}

const asItIs = (text: string): MarkedText => ({ text, marks: [], parts: [] })

/**
 * What a model writes, as words and how they look: CommonMark with tables, strikethrough, `||spoiler||` and a few tags.
 * What is too long or too deep to be read as that is its words as they are.
 */
export const toMarks = (markdown: string): MarkedText => {
  if (markdown.length > maxUnits) return asItIs(markdown)
  try {
    const tokens = parser.parse(markdown, {})
    // Deeper than that the parser leaves words out.
    if (tokens.some(({ level }) => level >= maxNesting - 2)) return asItIs(markdown)
    const out = createMarkedText()
    writeBlocks(tokens, markdown.split(/\r\n?|\n/), out)
    const made = out.finish()
    return made.text.trim() === '' || made.text.length > maxUnits ? asItIs(markdown) : made
  } catch {
    // Nested so deep that the parser gave up.
    return asItIs(markdown)
  }
}
