import { expect, test } from 'vitest'
import { bodyOf } from '../../../bots/web/bubble.ts'
import type { TextField } from '../../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'

const body = (text: string, over: Partial<OutgoingMessage>) =>
  bodyOf(
    {
      outgoing_id: 'p',
      channel: 'web',
      chat_id: 'main',
      kind: 'push',
      type: 'text',
      text,
      code: [],
      marks: [],
      parts: [],
      files: [],
      ...over,
    },
    [],
  )
const button = (label: string, url: string): readonly TextField[] => [
  { field: 'button.0.label', text: label },
  { field: 'button.0.url', text: url },
]

test.for([
  ['example.com', 'https://example.com/', undefined],
  ['https://example.com', 'https://example.com/', undefined],
  ['example.com/a?b=c', 'https://example.com/a?b=c', undefined],
  ['example.com', 'https://example.com.evil.test/', 'example.com.evil.test'],
  ['example.com', 'https://example.com@evil.test/', 'evil.test'],
  ['example.com', 'https://example.com/other', 'example.com'],
  ['here', 'https://exаmple.com/', 'xn--exmple-4nf.com'],
  ['here', 'http://127.1:8787/x', '127.0.0.1:8787'],
] as const)('a link whose words are not its address shows where it leads: %s to %s', ([label, url, host]) => {
  const parts = [{ field: 'link.0', text: url }]
  const { marks } = body(`see ${label}!`, {
    marks: [{ type: 'link', offset: 4, length: label.length, field: 'link.0' }],
    parts,
  })
  expect(marks?.[0]?.link?.host).toBe(host)
  expect(body('x', { parts: button(label, url) }).links?.[0]?.host).toBe(host)
  expect(marks?.[0]?.link?.url).toBe(new URL(url).href)
})

test('a mark without its address is no link, and the words stay', () => {
  expect(body('here', { marks: [{ type: 'link', offset: 0, length: 4, field: 'link.0' }] })).toMatchObject({
    text: 'here',
    marks: [],
  })
})

test('options stand in their order, and a name in one', () => {
  const option = (at: number): TextField => ({ field: `option.${at}`, text: `no ${at}` })
  expect(body('Which?', { type: 'poll', parts: [option(10), option(2), option(0)] }).options).toEqual([
    'no 0',
    'no 2',
    'no 10',
  ])
  expect(
    body('', {
      type: 'contact',
      parts: [
        { field: 'first_name', text: 'Ann' },
        { field: 'phone', text: '+1' },
      ],
    }).contact,
  ).toEqual({ name: 'Ann', phone: '+1' })
})
