import { assert, integer, option, property } from 'fast-check'
import { expect, test } from 'vitest'
import { groupOf, readChatId, writeChatId } from '../../../bots/telegram/chat-id.ts'

test('a private chat, a group and a topic are each one conversation', () => {
  expect(readChatId('7')).toEqual({ chat_id: 7 })
  expect(readChatId('-100123')).toEqual({ chat_id: -100123 })
  expect(readChatId('-100123/45')).toEqual({ chat_id: -100123, message_thread_id: 45 })
})

test('a conversation has one name: no other spelling is one', () => {
  const wrong = [
    '',
    '0',
    '-0',
    '007',
    '-0100/45',
    '-100/045',
    '-100/',
    '-100/0',
    '-100/1',
    '-100/-5',
    '-100/4/5',
    '7/45',
    '+7',
    '7 ',
    '7\n',
    '１',
    '1e3',
    '@group',
    '-100/x',
    '9'.repeat(17),
    '9007199254740993',
    '-5/9007199254740993',
    '-100#45',
  ]
  for (const id of wrong) expect(readChatId(id), id).toBeUndefined()
})

test('the General topic is the group itself, and so is a private chat with its topics', () => {
  expect([
    writeChatId(-100, 1),
    writeChatId(-100, undefined),
    writeChatId(-100, 45),
    writeChatId(7, 45),
  ]).toEqual(['-100', '-100', '-100/45', '7'])
})

test('the group of a topic is its group, and a private chat has none', () => {
  expect(['-100/45', '-100', '7'].map(groupOf)).toEqual(['-100', '-100', undefined])
})

test('whatever is written is read back', () => {
  assert(
    property(
      integer({ min: -(2 ** 51), max: 2 ** 51 }).filter((id) => id !== 0),
      option(integer({ min: 2, max: 2 ** 31 }), { nil: undefined }),
      (id, topic) => {
        const read = readChatId(writeChatId(id, topic))
        expect(read).toEqual(
          id < 0 && topic !== undefined ? { chat_id: id, message_thread_id: topic } : { chat_id: id },
        )
      },
    ),
  )
})
