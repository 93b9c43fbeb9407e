import { expect, test } from 'vitest'
import { anchorEntities, entitiesOf, isAnchorMark } from '../../../../bots/telegram/write/entities.ts'
import { MARK_TYPES, type Mark } from '../../../../src/core/model/chat/content.ts'
import { outgoingOf } from '../outgoing-of.ts'

const of = (text: string, ...marks: Mark[]) => entitiesOf(outgoingOf(text, marks))

test('each mark looks as Telegram has it, and a link opens the address of its part', () => {
  const text = 'abcdefgh'
  const link = { field: 'link.0', text: 'https://example.com/' }
  const types = {
    bold: 'bold',
    italic: 'italic',
    strike: 'strikethrough',
    spoiler: 'spoiler',
    code: 'code',
    pre: 'pre',
    quote: 'blockquote',
  } as const
  for (const [type, shown] of Object.entries(types))
    expect(of(text, { type: type as Mark['type'], offset: 2, length: 3 })).toEqual([
      { type: shown, offset: 2, length: 3 },
    ])
  const marks = [
    { type: 'link', offset: 2, length: 3, field: 'link.0' },
    { type: 'bold', offset: 0, length: 8 },
  ] as const
  expect(entitiesOf(outgoingOf(text, marks, [link]))).toEqual([
    { type: 'bold', offset: 0, length: 8 },
    { type: 'text_link', offset: 2, length: 3, url: link.text },
  ])
  expect(Object.keys(types).concat('link')).toEqual([...MARK_TYPES])
})

test('code wins: a mark over a command is cut around it, and a block of code around it is the code', () => {
  const text = 'run /hooks_on now'
  expect(of(text, { type: 'bold', offset: 0, length: 17 })).toEqual([
    { type: 'bold', offset: 0, length: 4 },
    { type: 'code', offset: 4, length: 9 },
    { type: 'bold', offset: 13, length: 4 },
  ])
  expect(of(text, { type: 'pre', offset: 0, length: 17 })).toEqual([{ type: 'pre', offset: 0, length: 17 }])
  expect(of(text, { type: 'pre', offset: 0, length: 8 })).toEqual([
    { type: 'pre', offset: 0, length: 4 },
    { type: 'code', offset: 4, length: 9 },
  ])
  expect(of(text, { type: 'quote', offset: 0, length: 17 })).toEqual([
    { type: 'blockquote', offset: 0, length: 17 },
    { type: 'code', offset: 4, length: 9 },
  ])
  expect(of(text, { type: 'quote', offset: 6, length: 11 })).toEqual([
    { type: 'code', offset: 4, length: 9 },
    { type: 'blockquote', offset: 13, length: 4 },
  ])
})

test('more than Telegram takes are left out, but never a command', () => {
  const over = { type: 'bold', offset: 0, length: 300 } as const
  expect(of('x /a '.repeat(60), over).map(({ type }) => type)).toEqual(
    Array.from({ length: 60 }, () => 'code'),
  )
  const text = 'x /a '.repeat(40)
  const marks = Array.from({ length: 61 }, (_, at): Mark => ({ type: 'bold', offset: at, length: 1 }))
  expect(of(text, ...marks).map(({ type }) => type)).toEqual(Array.from({ length: 40 }, () => 'code'))
  expect(of('x /a '.repeat(101), ...marks)).toEqual([{ type: 'code', offset: 0, length: 505 }])
})

test('an anchor is bold and underlined at its very beginning, and only that is its mark', () => {
  const entities = anchorEntities('head /x', [{ type: 'code', offset: 5, length: 2 }]) ?? []
  expect(entities).toEqual([
    { type: 'bold', offset: 0, length: 5 },
    { type: 'underline', offset: 0, length: 5 },
    { type: 'code', offset: 5, length: 2 },
  ])
  expect(entities.map(isAnchorMark)).toEqual([false, true, false])
  expect(isAnchorMark({ type: 'underline', offset: 1 })).toBe(false)
  expect(anchorEntities('/x', [{ type: 'code', offset: 0, length: 2 }])).toBeUndefined()
})
