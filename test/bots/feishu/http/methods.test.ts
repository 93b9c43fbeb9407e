import { expect, test } from 'vitest'
import { libraryMethods } from '../../../../bots/feishu/http/library.ts'
import { isMinted, routes, type RouteName } from '../../../../bots/feishu/http/methods.ts'
import { imMethods, wire } from './rig.ts'

const names = Object.keys(routes) as readonly RouteName[]

test('the routes about messages and chats are methods of the SDK, which has many more', async () => {
  const { client } = await wire()
  const all = imMethods(client).map(([name]) => name)
  const ours = names.filter((name) => name.startsWith('v1.'))
  expect(all).toEqual(expect.arrayContaining(ours))
  expect(libraryMethods(client)).toEqual({ refused: all.length - ours.length })
  expect(all.length).toBeGreaterThan(80)
})

test('a method that an upgrade brings is blocked and counted', async () => {
  const { client } = await wire()
  const im = { ...client.im, v3: { hologram: { send: () => undefined, of: 5 } } }
  expect(libraryMethods({ im }).refused).toBe(libraryMethods(client).refused + 1)
})

test('only forms of a push and the pin of a notice can be minted, and what is free carries no text', () => {
  expect(names.filter(isMinted).join(' ')).toBe(
    'v1.message.create v1.message.update v1.message.patch v1.messageReaction.create v1.image.create v1.file.create v1.pin.create v1.pin.delete',
  )
  expect(names.filter((name) => !isMinted(name)).join(' ')).toBe(
    'v1.message.get v1.messageResource.get v1.pin.list v1.chat.get v1.chatMembers.get token socket bot.info contact.user.get',
  )
  for (const [name, route] of Object.entries(routes) as [RouteName, string][]) {
    const isOfCredentials = name === 'token' || name === 'socket'
    expect(route.startsWith('GET '), name).toBe(!isMinted(name) && !isOfCredentials)
  }
})
