import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readContent } from '../../../../bots/feishu/read/content.ts'
import { readMessage } from '../../../../bots/feishu/read/message.ts'
import { readPress } from '../../../../bots/feishu/read/press.ts'
import { tries } from '../../../tries.ts'

const runs = tries(20_000)
const me = { openId: `ou_${'b'.repeat(32)}`, name: 'Gate' }
const never = () => Promise.reject(new Error('Nothing is downloaded here.'))
const isDate = (ms: number): boolean => !Number.isNaN(new Date(ms).getTime())

const junk = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    undefined,
    { toString: 1, valueOf: 1 },
    JSON.parse('{"__proto__": {"open_id": "ou_1"}}'),
    [],
    '1e400',
    1e300,
    -1,
    '0x10',
    '\ud800',
    'a'.repeat(5000),
  ),
)
/** A value that is often right. */
const often = (...right: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: fc.constantFrom(...right), weight: 40 }, { arbitrary: junk, weight: 1 })

/** A shape that is often right. */
const mostly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: right, weight: 20 }, { arbitrary: junk, weight: 1 })

const elements = fc.record(
  {
    tag: often('text', 'a', 'at', 'img', 'media', 'hr', 'emotion', 'code_block'),
    text: often('/hooks off', ''),
    href: often('https://x.example'),
    user_id: often('@_user_1'),
    image_key: often('img_1'),
    file_key: often('file_1'),
  },
  { requiredKeys: [] },
)
const contents = fc.oneof(
  fc.record(
    {
      text: often('/hooks off', '@_user_1 /hooks off'),
      title: often('', 'x'),
      content: fc.oneof(fc.array(fc.array(elements, { maxLength: 4 }), { maxLength: 4 }), junk),
      image_key: often('img_1'),
      file_key: often('file_1'),
      file_name: often('a.txt'),
    },
    { requiredKeys: [] },
  ),
  junk,
)
const kinds = ['text', 'post', 'image', 'file', 'audio', 'media', 'merge_forward', 'sticker', 'interactive']
const messages = fc.record(
  {
    message_id: often('om_1'),
    chat_id: often('oc_1'),
    chat_type: often('p2p', 'group'),
    create_time: often('1700000000000', '1700000000000000'),
    update_time: often('1700000000000', '1700000000001'),
    parent_id: often('om_0'),
    message_type: often(...kinds),
    content: fc.oneof(
      { arbitrary: contents.map((content) => JSON.stringify(content)), weight: 9 },
      { arbitrary: junk, weight: 1 },
    ),
    mentions: fc.oneof(
      fc.array(
        fc.record({
          key: often('@_user_1'),
          name: often('Gate'),
          id: fc.oneof(fc.constant({ open_id: me.openId }), junk),
        }),
        { maxLength: 3 },
      ),
      junk,
    ),
  },
  { requiredKeys: ['message_id', 'chat_id', 'chat_type', 'create_time', 'message_type', 'content'] },
)
const senders = fc.record({
  sender_id: mostly(fc.record({ open_id: often(`ou_${'7'.repeat(32)}`, me.openId) })),
  sender_type: often('user', 'bot', 'app'),
})
const events = fc.oneof(
  { arbitrary: fc.record({ sender: senders, message: messages }), weight: 9 },
  { arbitrary: junk, weight: 1 },
)

test('an event of any shape is read without an error, and counts as plain only when all of it is a person’s own text', () => {
  let plain = 0
  fc.assert(
    fc.property(events, (event) => {
      const message = readMessage(event, me, never)
      if (message === undefined) return
      expect(isDate(message.sentAtMs)).toBe(true)
      expect(typeof message.text).toBe('string')
      expect(message.isUnattested).toBe(true)
      expect((message.files ?? []).length).toBeLessThanOrEqual(20)
      if (message.origin !== 'plain') return
      plain += 1
      const { sender, message: raw } = event as {
        sender: Record<string, unknown>
        message: Record<string, unknown>
      }
      expect(sender['sender_type']).toBe('user')
      expect(message.sender_id).toBe((sender['sender_id'] as { open_id: string }).open_id)
      expect(message.sender_id).not.toBe(me.openId)
      expect(['text', 'post']).toContain(raw['message_type'])
      expect(message.files).toBeUndefined()
      expect(Number(raw['update_time'] ?? 0) > Number(raw['create_time'])).toBe(false)
      if (message.isPrivate) expect(raw['chat_type']).toBe('p2p')
    }),
    { numRuns: runs },
  )
  expect(plain).toBeGreaterThan(runs / 1000)
})

test('content of any kind and shape is read without an error', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...kinds), fc.string()),
      fc.oneof(
        fc.string(),
        contents.map((x) => JSON.stringify(x) ?? ''),
      ),
      (kind, content) => {
        const { text, files, isText } = readContent(kind, content)
        expect([typeof text, Array.isArray(files)]).toEqual(['string', true])
        if (isText) expect(files).toEqual([])
      },
    ),
    { numRuns: runs },
  )
})

const presses = fc.oneof(
  fc.record({
    event_id: often('e1'),
    create_time: often('1700000000000000'),
    operator: mostly(fc.record({ open_id: often('ou_7') })),
    action: mostly(
      fc.record({
        tag: often('button', 'input', 'select_static'),
        value: mostly(fc.record({ press: often('a1') })),
      }),
    ),
    context: mostly(fc.record({ open_message_id: often('om_1'), open_chat_id: often('oc_1') })),
  }),
  junk,
)

test('a tap of any shape is read without an error, and counts only as a button with short data', () => {
  let plain = 0
  fc.assert(
    fc.property(presses, (event) => {
      const press = readPress(event, 5)
      if (press === undefined) return
      expect([isDate(press.sentAtMs), press.text, typeof press.press?.data]).toEqual([true, '', 'string'])
      if (press.origin !== 'plain') return
      plain += 1
      const { action } = event as { action: { tag: string; value: { press: string } } }
      expect(action.tag).toBe('button')
      expect(press.press?.data).toBe(action.value.press)
      expect(press.press?.data.length).toBeLessThanOrEqual(64)
    }),
    { numRuns: runs },
  )
  expect(plain).toBeGreaterThan(runs / 1000)
})
