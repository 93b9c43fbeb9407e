import type { Token } from 'markdown-it'
import { writeInline } from './markdown-inline.ts'
import { createMarkedText } from './marked-text.ts'

/**
 * The largest area of an aligned table, in UTF-16 units. In a larger table the columns are not aligned,
 * because a phone could not show them so.
 */
const maxUnits = 8_000

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
/** The width of a text in columns of a fixed-width font. */
const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + (wide.test(character) ? 2 : 1), 0)

interface Cell {
  readonly text: string
  readonly isRight: boolean
}

/** Reads a cell. A link in it becomes its text and its address. */
const cellOf = (inline: Token | undefined, open: Token): Cell => {
  const isRight = String(open.attrGet('style') ?? '').includes('right')
  if (inline?.content === '') return { text: '', isRight }
  const out = createMarkedText(0)
  writeInline(inline?.children ?? [], out)
  return { text: out.finish().text.replaceAll('\n', ' '), isRight }
}

/** Counts the cells of a source line. */
const cellsIn = (line: string): number =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/).length

/**
 * Converts a table's tokens to lines of text, with the header first. `source` is the whole Markdown in lines.
 */
export const tableText = (tokens: readonly Token[], source: readonly string[]): string => {
  const rows: Cell[][] = []
  tokens.forEach((token, at) => {
    if (token.type === 'tr_open') rows.push([])
    else if (token.type === 'th_open' || token.type === 'td_open')
      rows.at(-1)?.push(cellOf(tokens[at + 1], token))
  })
  // The parser drops cells beyond the number of header cells, so such a table is shown as its source.
  const isCut = tokens.some(
    ({ type, map }) =>
      type === 'tr_open' && map !== null && cellsIn(source[map[0]] ?? '') > (rows[0]?.length ?? 0),
  )
  const [from, to] = tokens[0]?.map ?? [0, 0]
  if (isCut)
    return source
      .slice(from, to)
      .map((line) => line.trim())
      .join('\n')
  const widths: number[] = []
  for (const row of rows)
    row.forEach(({ text }, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(text))))
  const isLinedUp = widths.reduce((sum, width) => sum + width + 3, 0) * rows.length <= maxUnits
  const cellText = ({ text, isRight }: Cell, at: number): string => {
    const space = isLinedUp ? ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text))) : ''
    return isRight ? `${space}${text}` : `${text}${space}`
  }
  const lines = rows.map((row) => row.map(cellText).join(' | ').trimEnd())
  const rule = isLinedUp ? widths.map((width) => '-'.repeat(width)).join('-+-') : '---'
  return [...lines.slice(0, 1), rule, ...lines.slice(1)].join('\n')
}
