import { expect, test } from 'vitest'
import { libraryMethods } from '../../../../bots/feishu/http/library.ts'
import {
  isMinted,
  methods,
  routes,
  type MethodClass,
  type RouteName,
} from '../../../../bots/feishu/http/methods.ts'
import { imMethods, wire } from './rig.ts'

const names = (of: MethodClass): readonly string[] =>
  Object.entries(methods).flatMap(([name, is]) => (is === of ? [name] : []))

test('the table has every method of the installed SDK for messages and chats, and no other', async () => {
  const { client } = await wire()
  expect(Object.keys(methods).sort()).toEqual(
    imMethods(client)
      .map(([name]) => name)
      .sort(),
  )
  expect(libraryMethods(client)).toEqual({ refused: names('never').length, unnamed: [] })
})

test('a method that an upgrade brings is named and blocked', async () => {
  const { client } = await wire()
  const im = { ...client.im, v3: { hologram: { send: () => undefined, of: 5 } } }
  expect(libraryMethods({ im }).unnamed).toEqual(['v3.hologram.send'])
  expect(libraryMethods(undefined).unnamed).toEqual([])
})

test('only forms of a push and the pin of a notice can be minted, and what is free carries no text', () => {
  expect(names('minted').join(' ')).toBe(
    'v1.message.create v1.message.update v1.message.patch v1.messageReaction.create v1.image.create v1.file.create v1.pin.create v1.pin.delete',
  )
  expect(names('free').join(' ')).toBe(
    'v1.message.get v1.messageResource.get v1.pin.list v1.chat.get v1.chatMembers.get',
  )
  for (const [name, route] of Object.entries(routes) as [RouteName, string][]) {
    const isOfCredentials = name === 'token' || name === 'socket'
    expect(route.startsWith('GET '), name).toBe(!isMinted(name) && !isOfCredentials)
  }
})
