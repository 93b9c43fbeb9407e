import { expect, test } from 'vitest'
import { createRoom, roomOf, spaceOf } from '../../../../src/core/dispatcher/pushes/room.ts'

const text = (bytes: number) => spaceOf(undefined, bytes)
const at = (chat_id: string): string => `memory ${chat_id}`

test('a chat has room for so many and so much, and a full one takes nothing from the others', () => {
  const room = createRoom()
  for (let count = 0; count < roomOf.chat.pushes; count++) room.take(`many ${count}`, at('many'), text(1))
  room.take('much', at('much'), text(roomOf.chat.bytes - 5))
  expect([
    room.lacks(at('many'), text(1)),
    room.lacks(at('much'), text(6)),
    room.lacks(at('much'), text(5)),
    room.lacks(at('other'), text(1)),
  ]).toEqual(['chat', 'chat', undefined, undefined])
})

test('all chats together have room for so many and so much', () => {
  for (const [each, bytes] of [
    [roomOf.all.pushes, 1],
    [4, roomOf.all.bytes / 4],
  ] as const) {
    const room = createRoom()
    for (let count = 0; count < each; count++) {
      expect(room.lacks(at(`chat ${count % 10}`), text(bytes))).toBeUndefined()
      room.take(`p${count}`, at(`chat ${count % 10}`), text(bytes))
    }
    expect(room.lacks(at('one more'), text(1))).toBe('all')
  }
})

test('what is given back twice, or was never taken, is given once', () => {
  const room = createRoom()
  for (let count = 0; count < roomOf.chat.pushes; count++) room.take(`p${count}`, at('a'), text(1))
  room.give('p0')
  room.give('p0')
  room.give('never')
  expect([room.has('p0'), room.has('p1'), room.lacks(at('a'), text(1))]).toEqual([false, true, undefined])
  room.take('p0', at('a'), text(1))
  expect(room.lacks(at('a'), text(1))).toBe('chat')
})
