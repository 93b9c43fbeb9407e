import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { carryMarks } from '../../../../src/core/dispatcher/text/content.ts'
import { clean, flawOf } from './texts.ts'
import {
  FORMS,
  PUSH_TYPES,
  plain,
  type Content,
  type PushForm,
  type KeptFile,
  type Mark,
  type TextField,
} from '../../../../src/core/model/chat/content.ts'
import { tries } from '../../../tries.ts'

const file: KeptFile = { sha256: 'a'.repeat(64), size: 3, type: 'text/plain' }
const sample: Readonly<Record<string, string>> = { latitude: '52.5', longitude: '-13.405' }
const fieldsOf = (pattern: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => pattern.replace('N', String(at)))
const textOf = (field: string): string =>
  sample[field] ?? (/url|link/.test(field) ? 'https://example.com/a' : 'words')

/** The least or the most that a form can be. */
const made = (type: Content['type'] & keyof typeof FORMS, end: 0 | 1): Content => {
  const form: PushForm = FORMS[type]
  const files = Array.from({ length: form.files[end] }, () => file)
  const fields = [
    ...Object.entries(form.parts).flatMap(([pattern, count]) => fieldsOf(pattern, count[end])),
    ...files.map((_, at) => `file.${at}.name`),
  ]
  return {
    ...plain(type, form.text === 'none' ? '' : 'hello'),
    parts: fields.map((field) => ({ field, text: textOf(field) })),
    files,
    ...(form.target === undefined ? {} : { target: 'p1' }),
  }
}

describe.each(PUSH_TYPES)('a push in the form %s', (type) => {
  test('can leave with the least and with the most that it may hold', () => {
    expect(flawOf(made(type, 0))).toBeUndefined()
    expect(flawOf(made(type, 1))).toBeUndefined()
  })

  test('cannot leave with one text more or one fewer than it has, nor with a part that it does not know', () => {
    const most = made(type, 1)
    expect(flawOf({ ...most, parts: [...most.parts, { field: 'surprise', text: 'x' }] })).toBeDefined()
    expect(flawOf({ ...most, files: [...most.files, file] })).toBeDefined()
    const { target, ...without } = most
    expect(flawOf(target === undefined ? { ...most, target: 'p1' } : without)).toBeDefined()
    for (const [pattern, [least, count]] of Object.entries<readonly [number, number]>(FORMS[type].parts)) {
      if (count < 99)
        expect(
          flawOf({
            ...most,
            parts: [...most.parts, { field: pattern.replace('N', '99'), text: textOf(pattern) }],
          }),
        ).toBeDefined()
      if (least > 0)
        expect(
          flawOf({
            ...made(type, 0),
            parts: made(type, 0).parts.filter(({ field }) => !field.startsWith(pattern.replace('N', '0'))),
          }),
        ).toBeDefined()
    }
  })
})

describe('what an agent says is made such that its reader sends no command by a tap', () => {
  const button = (url: string): readonly TextField[] => [
    { field: 'button.0.label', text: 'Go' },
    { field: 'button.0.url', text: url },
  ]
  test.each([
    'https://t.me/some_bot?start=x',
    'https://T.me/some_bot?startgroup=x',
    'tg://resolve?domain=some_bot&start=x',
    'https://telegram.me/b?a=1&start=x',
    'https://t.me./b?start=x',
  ])('%s is said beside the text, and neither a button nor a link opens it', (url) => {
    expect(clean({ ...plain('text', 'hi'), parts: button(url) })).toEqual(plain('text', `hi\nGo: ${url}`))
    const link: Mark = { type: 'link', offset: 0, length: 2, field: 'link.0' }
    expect(clean({ ...plain('text', 'hi'), marks: [link], parts: [{ field: 'link.0', text: url }] })).toEqual(
      plain('text', `hi\n${url}`),
    )
  })

  test.each(['https://t.me/some_channel/7', 'https://example.com/?start=1'])(
    'a button to %s stays',
    (url) => {
      const push = { ...plain('text', 'hi'), parts: button(url) }
      expect(clean(push)).toEqual(push)
      expect(flawOf(push)).toBeUndefined()
    },
  )

  test.each(['javascript:alert(1)', '/hooks on', 'http:/x', 'file:///etc/passwd', 'mailto:a@example.com'])(
    '%s is no address',
    (url) => {
      expect(
        flawOf({ ...plain('text', 'hi'), parts: button(url) }) ??
          clean({ ...plain('text', 'hi'), parts: button(url) }).parts.length === 0,
      ).not.toBe(false)
    },
  )

  test('the mark of a notice is taken out of every text', () => {
    const cleaned = clean({
      ...plain('poll', '🛡 which'),
      parts: [
        { field: 'option.0', text: '🛡️ a' },
        { field: 'option.1', text: 'b\ud800' },
      ],
    })
    expect(cleaned).toEqual({
      ...plain('poll', ' which'),
      parts: [
        { field: 'option.0', text: ' a' },
        { field: 'option.1', text: 'b\ufffd' },
      ],
    })
  })

  test.each([
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['invoice\u202Efdp.exe', 'invoice_fdp.exe'],
    ['a\nb\0.txt', 'a_b_.txt'],
    ['..', 'file'],
    ['  ', 'file'],
    ['é'.repeat(300), 'é'.repeat(200)],
  ])('the file name %j reads %j', (name, read) => {
    expect(
      clean({ ...plain('document', ''), files: [file], parts: [{ field: 'file.0.name', text: name }] })
        .parts[0]?.text,
    ).toBe(read)
  })
})

test('marks stand in the text; a link has an address, and nothing else has one', () => {
  const at = (mark: Mark, parts: readonly TextField[] = []) =>
    flawOf({ ...plain('text', 'hello'), marks: [mark], parts })
  expect(at({ type: 'bold', offset: 0, length: 5 })).toBeUndefined()
  expect(at({ type: 'bold', offset: 3, length: 3 })).toBeDefined()
  expect(at({ type: 'bold', offset: -1, length: 3 })).toBeDefined()
  expect(at({ type: 'bold', offset: 0.5, length: 3 })).toBeDefined()
  expect(at({ type: 'bold', offset: 0, length: 0 })).toBeDefined()
  expect(at({ type: 'link', offset: 0, length: 5 })).toBeDefined()
  expect(
    at({ type: 'link', offset: 0, length: 5, field: 'link.0' }, [
      { field: 'link.0', text: 'https://example.com/' },
    ]),
  ).toBeUndefined()
  expect(
    at({ type: 'bold', offset: 0, length: 5, field: 'link.0' }, [
      { field: 'link.0', text: 'https://example.com/' },
    ]),
  ).toBeDefined()
})

test('what stands before and behind a rewritten word keeps its marks', () => {
  const marks: readonly Mark[] = [
    { type: 'bold', offset: 0, length: 3 },
    { type: 'code', offset: 4, length: 6 },
    { type: 'italic', offset: 11, length: 4 },
  ]
  expect(carryMarks('the secret word', 'the [redacted] word', marks)).toEqual([
    marks[0],
    { type: 'italic', offset: 15, length: 4 },
  ])
})

test('over a rewrite a mark stays on exactly the words that it was on, or goes', () => {
  const word = fc.constantFrom('a', 'b', 'key ', '😀', '\n')
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''))
  fc.assert(
    fc.property(text, text, text, text, fc.nat(), fc.nat(), (head, middle, fresh, tail, from, size) => {
      const [before, after] = [head + middle + tail, head + fresh + tail]
      fc.pre(before !== '')
      const offset = from % before.length
      const mark: Mark = { type: 'bold', offset, length: 1 + (size % (before.length - offset)) }
      for (const kept of carryMarks(before, after, [mark])) {
        expect(after.slice(kept.offset, kept.offset + kept.length)).toBe(
          before.slice(mark.offset, mark.offset + mark.length),
        )
      }
    }),
    { numRuns: tries(2000) },
  )
})
