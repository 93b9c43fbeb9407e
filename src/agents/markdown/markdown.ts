import MarkdownIt, { type Token } from 'markdown-it'
import { readTag, writeInline } from './markdown-inline.ts'
import { tableText } from './markdown-table.ts'
import { createMarkedText, type MarkedText, type MarkedTextWriter, type OpenMark } from './marked-text.ts'

/** The longest text of a push, in UTF-16 units. */
const maxUnits = 100_000
const maxNesting = 40

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting })
// Addresses are kept as written. Our own code decides which of them may be links.
parser.validateLink = () => true
parser.normalizeLink = (address) => address
parser.normalizeLinkText = (text) => text
parser.inline.ruler.before('autolink', 'tag', readTag)
// A reference definition would leave no text, so it is shown as it is written. An escaped character stays a
// separate token.
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
        // A fence's info that is not a language name is text that people should see.
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

const unchanged = (text: string): MarkedText => ({ text, marks: [], parts: [] })

/**
 * Converts a model's Markdown to text with marks: CommonMark with tables, strikethrough, `||spoiler||` and a
 * few tags. A text that is too long or nested too deep is returned unchanged.
 */
export const toMarks = (markdown: string): MarkedText => {
  if (markdown.length > maxUnits) return unchanged(markdown)
  try {
    const tokens = parser.parse(markdown, {})
    // The parser drops text that is nested deeper than this.
    if (tokens.some(({ level }) => level >= maxNesting - 2)) return unchanged(markdown)
    const out = createMarkedText()
    writeBlocks(tokens, markdown.split(/\r\n?|\n/), out)
    const made = out.finish()
    return made.text.trim() === '' || made.text.length > maxUnits ? unchanged(markdown) : made
  } catch {
    // The text is nested too deep for the parser.
    return unchanged(markdown)
  }
}
