import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readUpdates } from '../../../../bots/wechat/ilink/wire.ts'
import type { JsonObject } from '../../../../src/core/model/base/json.ts'
import { tries } from '../../../tries.ts'

const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonObject[string]>
const word = fc.oneof(
  fc.constantFrom(
    '00112233445566778899aabbccddeeff',
    'MDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmY=',
    'place',
    '../a\n',
    '..',
  ),
  anything,
)
const held = fc.oneof(
  fc.record(
    {
      aeskey: word,
      file_name: word,
      len: word,
      media: fc.oneof(
        fc.record({ encrypt_query_param: word, full_url: word, aes_key: word }, { requiredKeys: [] }),
        anything,
      ),
    },
    { requiredKeys: [] },
  ),
  anything,
)
const item = fc.record(
  {
    type: fc.oneof(fc.integer({ min: 0, max: 12 }), anything),
    text_item: fc.oneof(fc.record({ text: fc.constantFrom('/hooks off', 'hello') }), anything),
    voice_item: anything,
    file_item: held,
    image_item: held,
    video_item: held,
    ref_msg: anything,
    msg_id: anything,
  },
  { requiredKeys: [] },
)
const message = fc.record(
  {
    message_id: fc.oneof(fc.constantFrom('9007199254740993', 5), anything),
    from_user_id: fc.oneof(fc.constant('ann@im.wechat'), anything),
    to_user_id: anything,
    message_type: fc.oneof(fc.constantFrom(1, 2), anything),
    create_time_ms: fc.oneof(fc.double(), anything),
    delete_time_ms: anything,
    group_id: fc.oneof(fc.constant(''), anything),
    context_token: anything,
    item_list: fc.oneof(fc.array(item, { maxLength: 3 }), anything),
  },
  { requiredKeys: [] },
)
const answer = fc.record(
  {
    msgs: fc.oneof(fc.array(fc.oneof(message, anything), { maxLength: 4 }), anything),
    get_updates_buf: anything,
    longpolling_timeout_ms: anything,
  },
  { requiredKeys: [] },
)

const isOneOf = (value: unknown, types: readonly string[]): boolean => types.includes(typeof value)

test('whatever WeChat answers is read without a fault, every message or its loss is counted, and ids stay words', () => {
  fc.assert(
    fc.property(answer, (given) => {
      const { messages, skipped, cursor, holdMs } = readUpdates(given)
      expect(messages.length + skipped).toBe(Array.isArray(given.msgs) ? given.msgs.length : 0)
      for (const { id, peerId, atMs, files } of messages) {
        for (const { name, storageParam, url, key, kind } of files) {
          expect([
            /^[^\p{Cc}/\\]{1,255}$/u.test(name),
            /^\.{0,2}$/.test(name),
            storageParam + url !== '',
            key?.length ?? (kind === 'image' ? 16 : 0),
          ]).toEqual([true, false, true, 16])
        }
        expect([id, peerId].every((word) => /^[\x21-\x7e]{1,128}$/.test(word))).toBe(true)
        expect(new Date(atMs).getTime()).toBeGreaterThanOrEqual(0)
      }
      expect([isOneOf(cursor, ['string', 'undefined']), isOneOf(holdMs, ['number', 'undefined'])]).toEqual([
        true,
        true,
      ])
    }),
    { numRuns: tries(3000) },
  )
})

test('a text is a command only when all of the message is text and nothing of it is quoted', () => {
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 3 }), (items) => {
      const [found] = readUpdates({
        msgs: [{ message_id: '1', from_user_id: 'ann', item_list: items }],
      }).messages
      if (found?.kind !== 'text' || !found.text.startsWith('/')) return
      expect(items.every(({ type }) => type === 1)).toBe(true)
      expect(items.every(({ ref_msg: quoted }) => quoted === undefined || quoted === null)).toBe(true)
    }),
    { numRuns: tries(3000) },
  )
})
