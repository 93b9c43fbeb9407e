import type { MessageEntity } from 'grammy/types'
import { partNamed, type Mark } from '../../src/model/content.ts'
import type { CodeRange, Parcel } from '../../src/model/push.ts'

/** Telegram keeps the first 100 entities of a message and drops the rest without a word. */
const maxEntities = 100

const looks = {
  bold: 'bold',
  italic: 'italic',
  strike: 'strikethrough',
  spoiler: 'spoiler',
  code: 'code',
  pre: 'pre',
  quote: 'blockquote',
} as const

type CodeSpan = CodeRange
const end = ({ offset, length }: CodeSpan): number => offset + length
const overlap = (a: CodeSpan, b: CodeSpan): boolean => a.offset < end(b) && b.offset < end(a)
const covers = (a: CodeSpan, b: CodeSpan): boolean => a.offset <= b.offset && end(b) <= end(a)

/** What of a run is left where none of the others stands. */
const without = <T extends CodeSpan>(run: T, others: readonly CodeSpan[]): readonly T[] =>
  others.reduce<readonly T[]>(
    (rests, other) =>
      rests.flatMap((rest) => {
        if (!overlap(rest, other)) return [rest]
        return [
          { ...rest, length: other.offset - rest.offset },
          { ...rest, offset: end(other), length: end(rest) - end(other) },
        ].filter(({ length }) => length > 0)
      }),
    [run],
  )

/** Those that no earlier one overlaps. */
const apart = <T extends CodeSpan>(runs: readonly T[]): readonly T[] =>
  runs.reduce<readonly T[]>(
    (kept, run) => (kept.some((other) => overlap(other, run)) ? kept : [...kept, run]),
    [],
  )

const isSplit = (text: string, at: number): boolean =>
  /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at))
const codeOf = ({ offset, length }: CodeSpan): MessageEntity => ({ type: 'code', offset, length })

/**
 * Every run of a text that looks different. Code wins over all else: where anything but a quote around it touches code,
 * Telegram drops one of the two, and a command in it must not become tappable. A quote that covers code only in part
 * takes the code away, so it is cut too.
 */
const everyEntity = ({ text, code, marks, parts }: Parcel): readonly MessageEntity[] => {
  const whole = marks.filter((mark) => !isSplit(text, mark.offset) && !isSplit(text, end(mark)))
  const cutBy = <T extends Mark>(mark: T, solid: readonly CodeSpan[]): readonly T[] =>
    without(
      mark,
      solid.filter((other) => overlap(mark, other)),
    )
  const partlyIn = (mark: Mark, runs: readonly CodeSpan[]): readonly CodeSpan[] =>
    runs.filter((run) => !covers(mark, run))
  // A block of the agent's own around a command is code already.
  const blocks = apart(whole.filter(({ type }) => type === 'code' || type === 'pre')).flatMap((block) =>
    cutBy(block, partlyIn(block, code)),
  )
  const solid: readonly CodeSpan[] = [
    ...blocks,
    ...code.filter((range) => !blocks.some((block) => covers(block, range))),
  ]
  const quotes = apart(whole.filter(({ type }) => type === 'quote')).flatMap((quote) =>
    cutBy(quote, partlyIn(quote, solid)),
  )
  const others = whole
    .filter(({ type }) => type !== 'code' && type !== 'pre' && type !== 'quote')
    .flatMap((mark) => cutBy(mark, solid))
  const shown = [...blocks, ...quotes, ...others].flatMap(
    ({ type, offset, length, field = '' }): MessageEntity[] => {
      if (type !== 'link') return [{ type: looks[type], offset, length }]
      const url = partNamed(parts, field)
      return url === undefined ? [] : [{ type: 'text_link', offset, length, url }]
    },
  )
  return [...shown, ...solid.filter((run) => code.includes(run)).map(codeOf)]
}

/** The entities of a text, `spare` fewer than Telegram takes. Too many: its code alone; still too many: all of it is code, since no command in it may become tappable. */
export const entitiesOf = (parcel: Parcel, spare = 0): MessageEntity[] => {
  const { text, code, marks } = parcel
  const most = maxEntities - spare
  if (code.length > most) return [codeOf({ offset: 0, length: text.length })]
  // Counted before they are cut, so that the work is bounded, and after.
  const all = marks.length + code.length > most ? [] : everyEntity(parcel)
  const kept = all.length === 0 || all.length > most ? code.map(codeOf) : all
  return kept.toSorted((a, b) => a.offset - b.offset || b.length - a.length)
}

/**
 * An anchor begins in bold and underlined. Nothing else that leaves is underlined at all, so that after a restart the
 * bot knows its own anchor from any other message of its own that somebody pinned, an agent's above all.
 */
export const anchorEntities = (
  text: string,
  entities: readonly MessageEntity[],
): readonly MessageEntity[] | undefined => {
  const length = Math.min(
    ...[text.indexOf('\n'), ...entities.map(({ offset }) => offset)].filter((at) => at >= 0),
    text.length,
  )
  return length === 0
    ? undefined
    : [{ type: 'bold', offset: 0, length }, { type: 'underline', offset: 0, length }, ...entities]
}
export const isAnchorMark = ({ type, offset }: { readonly type: string; readonly offset: number }): boolean =>
  type === 'underline' && offset === 0
