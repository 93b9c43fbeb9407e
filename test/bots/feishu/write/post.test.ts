import { expect, test } from 'vitest'
import { postOf } from '../../../../bots/feishu/write/post.ts'
import type { Mark } from '../../../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../../../src/core/model/chat/push.ts'
import { createRig } from '../rig.ts'

type Shown = {
  readonly tag: string
  readonly text?: string
  readonly style?: readonly string[]
  readonly href?: string
}
const outgoingOf = (
  text: string,
  marks: readonly Mark[] = [],
  rest: Partial<OutgoingMessage> = {},
): OutgoingMessage => ({
  channel: 'feishu',
  chat_id: 'oc_1',
  outgoing_id: 'p',
  kind: 'push',
  type: 'text',
  text,
  marks,
  parts: [],
  files: [],
  code: [],
  ...rest,
})
const shown = (...args: Parameters<typeof outgoingOf>): readonly (readonly Shown[])[] =>
  (JSON.parse(postOf(outgoingOf(...args))) as { zh_cn: { content: Shown[][] } }).zh_cn.content
const textOf = (lines: readonly (readonly Shown[])[]): string =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n')
const mark = (type: Mark['type'], offset: number, length: number, field?: string): Mark => ({
  type,
  offset,
  length,
  ...(field === undefined ? {} : { field }),
})

test('a text is paragraphs of plain text, one a line, and an empty line stays', () => {
  expect(shown('one\n\ntwo **x**')).toEqual([
    [{ tag: 'text', text: 'one' }],
    [{ tag: 'text', text: '' }],
    [{ tag: 'text', text: 'two **x**' }],
  ])
})

test('each mark that Feishu has is its style, and each other one is left out', () => {
  const styles = {
    bold: ['bold'],
    italic: ['italic'],
    strike: ['lineThrough'],
    spoiler: undefined,
    code: undefined,
    quote: undefined,
  }
  for (const [type, style] of Object.entries(styles))
    expect(shown('abc', [mark(type as Mark['type'], 1, 1)]), type).toEqual([
      [
        { tag: 'text', text: 'a' },
        { tag: 'text', text: 'b', ...(style === undefined ? {} : { style }) },
        { tag: 'text', text: 'c' },
      ],
    ])
})

test('marks that overlap hold both where they do, also over lines', () => {
  expect(shown('ab\ncd', [mark('bold', 0, 4), mark('italic', 1, 4), mark('bold', 0, 4)])).toEqual([
    [
      { tag: 'text', text: 'a', style: ['bold'] },
      { tag: 'text', text: 'b', style: ['bold', 'italic'] },
    ],
    [
      { tag: 'text', text: 'c', style: ['bold', 'italic'] },
      { tag: 'text', text: 'd', style: ['italic'] },
    ],
  ])
})

test('a block of code is a paragraph of its own, with its lines as they are', () => {
  expect(shown('see\nrm -rf /\n  x\nend', [mark('pre', 4, 12)])).toEqual([
    [{ tag: 'text', text: 'see' }],
    [{ tag: 'code_block', text: 'rm -rf /\n  x' }],
    [{ tag: 'text', text: 'end' }],
  ])
  expect(shown('ab', [mark('pre', 0, 2), mark('pre', 1, 1), mark('bold', 0, 2)])).toEqual([
    [{ tag: 'code_block', text: 'ab' }],
  ])
  expect(textOf(shown('a\n\nb\n\nc', [mark('pre', 3, 1)]))).toBe('a\n\nb\n\nc')
})

test('a mark that would cut a character in two is left out', () => {
  const text = 'a😀b'
  expect(shown(text, [mark('bold', 0, 2), mark('bold', 2, 2), mark('pre', 0, 2)])).toEqual([
    [{ tag: 'text', text }],
  ])
  expect(shown(text, [mark('bold', 1, 2)])[0]?.[1]).toEqual({ tag: 'text', text: '😀', style: ['bold'] })
})

test('a link opens its own address, and one without an address is text', () => {
  const parts = [{ field: 'link.0', text: 'https://example.com/?a=1&b=2' }]
  const marks = [mark('link', 0, 4, 'link.0'), mark('bold', 0, 9), mark('link', 5, 4, 'link.9')]
  expect(shown('here then', marks, { parts })).toEqual([
    [
      { tag: 'a', text: 'here', href: 'https://example.com/?a=1&b=2', style: ['bold'] },
      { tag: 'text', text: ' ', style: ['bold'] },
      { tag: 'text', text: 'then', style: ['bold'] },
    ],
  ])
})

test('each button of a push is a link in a line of its own', () => {
  const parts = [
    { field: 'button.1.label', text: 'Two' },
    { field: 'button.0.label', text: 'One' },
    { field: 'button.0.url', text: 'https://one.example/' },
    { field: 'button.1.url', text: 'https://two.example/' },
  ]
  expect(shown('x', [], { parts })).toEqual([
    [{ tag: 'text', text: 'x' }],
    [{ tag: 'a', text: 'One', href: 'https://one.example/' }],
    [{ tag: 'a', text: 'Two', href: 'https://two.example/' }],
  ])
})

test('with more marks than anybody sets the text leaves without any', () => {
  const text = 'ab'.repeat(200)
  const marks = Array.from({ length: 101 }, (_, at) => mark('bold', at * 2, 1))
  expect(shown(text, marks)).toEqual([[{ tag: 'text', text }]])
  expect(shown(text, marks.slice(1))[0]?.length).toBeGreaterThan(100)
})

test('a text of very many short lines arrives whole', async () => {
  const { server, channel, outgoing } = await createRig()
  for (const text of [
    'x\n'.repeat(2000),
    '\n'.repeat(3999) + 'x',
    '\u0001'.repeat(4000),
    '"\\'.repeat(2000),
    '你'.repeat(4000),
  ]) {
    const delivery = await channel.deliver(outgoing(text, { outgoing_id: text.slice(0, 5) }))
    expect(delivery).toMatchObject({ kind: 'delivered' })
    expect(server.texts().at(-1)).toBe(text)
  }
})

test('links that are too long for one message are refused with words', async () => {
  const { server, channel, outgoing } = await createRig()
  const parts = Array.from({ length: 20 }, (_, at) => ({
    field: `link.${at}`,
    text: `https://x.example/${'a'.repeat(2000)}`,
  }))
  const marks = parts.map(({ field }, at) => mark('link', at, 1, field))
  expect(await channel.deliver(outgoing('x'.repeat(40), { parts, marks }))).toMatchObject({
    kind: 'failed',
    why: expect.stringMatching(
      /^Expected a message of at most 30720 bytes with its links, got \d+\. Shorten/,
    ) as string,
  })
  expect(server.sent()).toEqual([])
})

test('whatever the marks are, a person reads the text as it was judged', () => {
  const types: readonly Mark['type'][] = ['bold', 'italic', 'strike', 'spoiler', 'code', 'quote', 'pre']
  const text = 'a😀\n\nbc\n/hooks off\n  d  \n'
  for (let from = 0; from < text.length; from++)
    for (let to = from + 1; to <= text.length; to++) {
      const type = types[(from * 7 + to) % types.length] ?? 'bold'
      const lines = shown(text, [mark(type, from, to - from), mark('bold', from >> 1, 3)])
      const read = textOf(lines)
      if (type === 'pre') expect(read.replaceAll('\n', '')).toBe(text.replaceAll('\n', ''))
      else expect(read).toBe(text)
    }
})
