import type { JsonObject } from '../../../core/model/base/json.ts'
import { prose, verbatim, whole, type Prose } from '../../../core/model/chat/prose.ts'
import { markedLines } from '../binding.ts'
import { exactLines, exactName } from '../exact.ts'
import { oneLine, shorten } from '../../words.ts'

/** The length of all arguments that a phone shows without much scrolling, in UTF-16 units. */
const maxUnits = 600
const leastUnits = 100
/** The limits of one argument, in lines. */
const [maxLines, tailLines] = [12, 4]
/** The number of arguments with a line of their own. The others follow as one. */
const maxNamed = 6
const maxNameUnits = 40
/** The limits of the whole arguments: the length of a row in code points, and the number of rows. */
const row = /.{1,250}/gsu
const [maxRows, tailRows] = [60, 15]
/** The length that is read from each end of a text, in UTF-16 units. It is more than all rows can hold. */
const maxLookedAt = 60 * 250 * 2
/** The length that is read from each end of a name, in UTF-16 units. */
const maxNameLookedAt = 500

const textOf = (value: JsonObject[string]): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const notShown = (count: number): Prose =>
  count === 1 ? prose`… 1 character not shown …` : prose`… ${count} characters not shown …`

/** The text, or both ends of a longer text with the length of the missing part. */
const ends = (
  text: string,
  max: number,
): { readonly head: string; readonly missing: Prose; readonly tail?: string } => {
  const lines = text.split('\n')
  if (text.length <= max && lines.length <= maxLines) return { head: text, missing: [] }
  const head = lines
    .slice(0, maxLines - tailLines)
    .join('\n')
    .slice(0, Math.ceil(max * 0.7))
  const tail = lines
    .slice(-tailLines)
    .join('\n')
    .slice(-Math.min(Math.floor(max * 0.3), text.length - head.length))
  return { head, missing: notShown(text.length - head.length - tail.length), tail }
}

/**
 * Names and values of arguments stand behind a mark, so that no line of them looks like a line of the card.
 * Lines that continue an argument are indented. An owner's answer binds the arguments, so a notice never
 * shortens these lines.
 */
export const nameMark = '│ '
const moreMark = '│   '
const nameLine = (name: Prose, value: Prose): Prose => prose`${verbatim(nameMark)}${name}:${value}`
const oneLineOf = (name: Prose, text: string): Prose =>
  nameLine(name, prose` ${whole(exactLines(text).join(''))}`)
const moreLines = (text: string): readonly Prose[] => markedLines(exactLines(text), moreMark)

interface ShownArguments {
  readonly lines: readonly Prose[]
  readonly isWhole: boolean
}

const argument = (name: Prose, text: string, max: number): ShownArguments => {
  const { head, missing, tail } = ends(text, max)
  const first = text.includes('\n') ? [nameLine(name, []), ...moreLines(head)] : [oneLineOf(name, head)]
  return tail === undefined
    ? { lines: first, isWhole: true }
    : { lines: [...first, missing, ...moreLines(tail)], isWhole: false }
}

/** The arguments of a tool call for a card on a phone. The text says how many characters are not shown. */
export const argumentLines = (
  input: JsonObject,
): { readonly lines: readonly Prose[]; readonly isWhole: boolean } => {
  const all = Object.entries(input)
  const named = all.length > maxNamed ? all.slice(0, maxNamed - 1) : all
  const rest = all.slice(named.length)
  const max = Math.max(leastUnits, Math.floor(maxUnits / Math.min(all.length, maxNamed)))
  const shown = [
    ...named.map(([name, value]) =>
      argument(whole(exactName(shorten(name, maxNameUnits))), textOf(value), max),
    ),
    ...(rest.length === 0
      ? []
      : [argument(prose`${rest.length} more`, JSON.stringify(Object.fromEntries(rest)), max)]),
  ]
  return {
    lines: all.length === 0 ? [prose`without arguments`] : shown.flatMap(({ lines }) => lines),
    isWhole: shown.every((one) => one.isWhole) && named.every(([name]) => name.length <= maxNameUnits),
  }
}

interface ArgumentLine {
  readonly mark: string
  readonly text: string
}

const rowsIn = (line: string): readonly string[] => (line === '' ? [''] : (line.match(row) ?? [line]))
const rowsOf = (name: string, text: string): readonly ArgumentLine[] => {
  const isOneLine = !text.includes('\n')
  const [first = '', ...more] = rowsIn(`${name}:${isOneLine ? ` ${exactLines(text).join('')}` : ''}`)
  const others = isOneLine ? more : [...more, ...exactLines(text).flatMap(rowsIn)]
  return [{ mark: nameMark, text: first }, ...others.map((each) => ({ mark: moreMark, text: each }))]
}

/** Both ends of a text that is much longer than what can be shown. `unseen`: the length in between. */
const bounded = (text: string, max: number): { readonly texts: readonly string[]; readonly unseen: number } =>
  text.length <= 2 * max
    ? { texts: [text], unseen: 0 }
    : { texts: [text.slice(0, max), text.slice(-max)], unseen: text.length - 2 * max }

const unitsOf = (rows: readonly { readonly text: string }[]): number =>
  rows.reduce((sum, { text }) => sum + text.length, 0)

/** As much of the arguments as a few messages can show, row by row. */
export const wholeArguments = (input: JsonObject): readonly Prose[] => {
  const all = Object.entries(input)
  // Each argument takes at least one row, so those in between could not be shown.
  const [first, last] = all.length <= 2 * maxRows ? [all, []] : [all.slice(0, maxRows), all.slice(-maxRows)]
  let unseen = all.length <= 2 * maxRows ? 0 : JSON.stringify(all.slice(maxRows, -maxRows)).length
  const rows = [...first, ...last].flatMap(([name, value]) => {
    const [names, texts] = [bounded(name, maxNameLookedAt), bounded(textOf(value), maxLookedAt)]
    unseen += names.unseen + texts.unseen
    const [head = '', tail] = texts.texts
    const known = rowsOf(exactName(names.texts.join('…')), head)
    return tail === undefined
      ? known
      : [
          ...known,
          ...exactLines(tail)
            .flatMap(rowsIn)
            .map((text): ArgumentLine => ({ mark: moreMark, text })),
        ]
  })
  const shown = (some: readonly ArgumentLine[]): readonly Prose[] =>
    some.flatMap(({ mark, text }) => markedLines([text], mark))
  if (rows.length <= maxRows) return shown(rows)
  const [head, hidden, tail] = [
    rows.slice(0, maxRows - tailRows),
    rows.slice(maxRows - tailRows, -tailRows),
    rows.slice(-tailRows),
  ]
  return [...shown(head), notShown(unseen + unitsOf(hidden)), ...shown(tail)]
}

/** The arguments on one line, for the end of a question. */
export const argumentsBrief = (input: JsonObject): Prose => {
  const [only, ...more] = Object.values(input)
  const text = more.length === 0 && typeof only === 'string' ? only : JSON.stringify(input)
  return prose`${verbatim(nameMark)}${shorten(oneLine(text), 120)}`
}
