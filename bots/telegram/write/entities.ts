import type { MessageEntity } from 'grammy/types'
import { partNamed, type Mark } from '../../../src/core/model/chat/content.ts'
import { isSplit } from '../../../src/shared/chat/content.ts'
import type { CodeRange, OutgoingMessage } from '../../../src/core/model/chat/push.ts'

/** Telegram keeps the first 100 entities of a message and drops the rest without an error. */
const maxEntities = 100

const entityTypes = {
  bold: 'bold',
  italic: 'italic',
  strike: 'strikethrough',
  spoiler: 'spoiler',
  code: 'code',
  pre: 'pre',
  quote: 'blockquote',
} as const

const end = ({ offset, length }: CodeRange): number => offset + length
const overlap = (a: CodeRange, b: CodeRange): boolean => a.offset < end(b) && b.offset < end(a)
const covers = (a: CodeRange, b: CodeRange): boolean => a.offset <= b.offset && end(b) <= end(a)

/** The pieces of a run that no other run covers. */
const without = <T extends CodeRange>(run: T, others: readonly CodeRange[]): readonly T[] =>
  others.reduce<readonly T[]>(
    (pieces, other) =>
      pieces.flatMap((piece) => {
        if (!overlap(piece, other)) return [piece]
        return [
          { ...piece, length: other.offset - piece.offset },
          { ...piece, offset: end(other), length: end(piece) - end(other) },
        ].filter(({ length }) => length > 0)
      }),
    [run],
  )

/** The runs that do not overlap an earlier run of the list. */
const disjoint = <T extends CodeRange>(runs: readonly T[]): readonly T[] =>
  runs.reduce<readonly T[]>(
    (chosen, run) => (chosen.some((other) => overlap(other, run)) ? chosen : [...chosen, run]),
    [],
  )

const codeOf = ({ offset, length }: CodeRange): MessageEntity => ({ type: 'code', offset, length })

/**
 * All entities of a text. Code takes precedence over every other mark, because a command in code must not
 * become tappable: Telegram drops one of two entities where code and another mark overlap. A quote may
 * contain code. A quote that covers code only in part would remove the code, so it is cut as well.
 */
const everyEntity = ({ text, code, marks, parts }: OutgoingMessage): readonly MessageEntity[] => {
  const whole = marks.filter((mark) => !isSplit(text, mark.offset) && !isSplit(text, end(mark)))
  const cutBy = <T extends Mark>(mark: T, solid: readonly CodeRange[]): readonly T[] =>
    without(
      mark,
      solid.filter((other) => overlap(mark, other)),
    )
  const partlyIn = (mark: Mark, runs: readonly CodeRange[]): readonly CodeRange[] =>
    runs.filter((run) => !covers(mark, run))
  // The agent marked these blocks as code itself, so a command inside one needs no second entity.
  const blocks = disjoint(whole.filter(({ type }) => type === 'code' || type === 'pre')).flatMap((block) =>
    cutBy(block, partlyIn(block, code)),
  )
  const solid: readonly CodeRange[] = [
    ...blocks,
    ...code.filter((range) => !blocks.some((block) => covers(block, range))),
  ]
  const quotes = disjoint(whole.filter(({ type }) => type === 'quote')).flatMap((quote) =>
    cutBy(quote, partlyIn(quote, solid)),
  )
  const others = whole
    .filter(({ type }) => type !== 'code' && type !== 'pre' && type !== 'quote')
    .flatMap((mark) => cutBy(mark, solid))
  const shown = [...blocks, ...quotes, ...others].flatMap(
    ({ type, offset, length, field = '' }): MessageEntity[] => {
      if (type !== 'link') return [{ type: entityTypes[type], offset, length }]
      const url = partNamed(parts, field)
      return url === undefined ? [] : [{ type: 'text_link', offset, length, url }]
    },
  )
  return [...shown, ...solid.filter((run) => code.includes(run)).map(codeOf)]
}

/**
 * The entities of a text, at most 100 less `spare`. When there are too many, only the code is marked. When
 * even the code has too many, the whole text is marked as code, because no command in it may become tappable.
 */
export const entitiesOf = (outgoing: OutgoingMessage, spare = 0): MessageEntity[] => {
  const { text, code, marks } = outgoing
  const most = maxEntities - spare
  if (code.length > most) return [codeOf({ offset: 0, length: text.length })]
  // The marks are counted before they are cut, which bounds the work. They are counted again after it.
  const all = marks.length + code.length > most ? [] : everyEntity(outgoing)
  const chosen = all.length === 0 || all.length > most ? code.map(codeOf) : all
  return chosen.toSorted((a, b) => a.offset - b.offset || b.length - a.length)
}

/**
 * The first line of an anchor is bold and underlined. No other message of this bot is underlined. After a
 * restart the bot recognizes its anchor by the underline, even when somebody pinned another message of the
 * bot, such as an agent's. Undefined when the text has no first line to mark.
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

/** True for the entity that marks an anchor. */
export const isAnchorMark = ({ type, offset }: { readonly type: string; readonly offset: number }): boolean =>
  type === 'underline' && offset === 0
