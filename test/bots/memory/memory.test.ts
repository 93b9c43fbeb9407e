import { expect, test } from 'vitest'
import { createMemory, type MemoryOptions } from '../../../bots/memory/memory.ts'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { Message } from '../../../src/core/model/chat/channel.ts'
import { deepFreeze } from '../../../src/core/model/base/json.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'

const createRig = (options?: MemoryOptions) => {
  const admitted = new WeakSet<OutgoingMessage>()
  const received: Message[] = []
  const tripped: string[] = []
  const logs: string[] = []
  const channel = createMemory(options, {
    receive: (message) => received.push(message),
    isAdmitted: (outgoing) => admitted.delete(outgoing),
    tripped: (name, what) => tripped.push(`${name} ${what}`),
    trouble: () => undefined,
    menu: [],
    now: () => 1000,
    elapsedMs: () => 1000,
    log: (_, what) => logs.push(what),
  })
  const outgoing = (text: string): OutgoingMessage =>
    deepFreeze({
      outgoing_id: text,
      kind: 'push',
      channel: channel.name,
      chat_id: 'main',
      ...plain('text', text),
      code: [],
    })
  const admit = (made: OutgoingMessage): OutgoingMessage => {
    admitted.add(made)
    return made
  }
  return { channel, received, tripped, logs, outgoing, admit }
}

test('what is said comes in as the owner’s plain text in a private chat, each with its own id', () => {
  const { channel, received } = createRig()
  channel.say('/hooks on')
  channel.say('hello')
  expect(received[0]).toEqual({
    channel: 'memory',
    chat_id: 'main',
    message_id: '1',
    sender_id: 'owner',
    sender_name: 'Owner',
    isPrivate: true,
    origin: 'plain',
    sentAtMs: 1000,
    text: '/hooks on',
  })
  expect(received[1]).toMatchObject({ message_id: '2', text: 'hello' })
})

test('who says it, where and how can be chosen', () => {
  const { channel, received } = createRig({ name: 'other' })
  channel.say('/hooks on', { sender_id: 'mallory', chat_id: 'room', isPrivate: false, origin: 'forwarded' })
  expect(received[0]).toMatchObject({
    channel: 'other',
    sender_id: 'mallory',
    chat_id: 'room',
    isPrivate: false,
    origin: 'forwarded',
  })
})

test('a tap comes in as the owner’s, without text, with what the button gave back', () => {
  const { channel, received } = createRig()
  expect(channel.hasButtons).toBe(true)
  channel.press('data', 'm1')
  channel.press('data', 'm1', { sender_id: 'mallory' })
  expect(received[0]).toMatchObject({
    message_id: '1',
    text: '',
    sender_id: 'owner',
    press: { data: 'data', on_message_id: 'm1' },
  })
  expect(received[1]).toMatchObject({
    message_id: '2',
    sender_id: 'mallory',
    press: { data: 'data', on_message_id: 'm1' },
  })
})

test('an admitted outgoing is delivered, kept in order and heard of, as the very same value', async () => {
  const { channel, admit, outgoing } = createRig()
  const heard: OutgoingMessage[] = []
  const stopListening = channel.onSent((sent) => heard.push(sent))
  const [first, second] = [admit(outgoing('first')), admit(outgoing('second'))]
  expect(await channel.deliver(first)).toEqual({ kind: 'delivered' })
  stopListening()
  expect(await channel.deliver(second)).toEqual({ kind: 'delivered' })
  expect(channel.sent()[0]).toBe(first)
  expect(channel.sent()).toEqual([first, second])
  expect(heard).toEqual([first])
})

test('a outgoing that was not admitted is refused, recorded and not kept; so is the same one again, and its copy', async () => {
  const { channel, admit, outgoing, tripped } = createRig()
  expect(await channel.deliver(outgoing('smuggled'))).toMatchObject({ kind: 'failed' })
  const made = admit(outgoing('once'))
  expect(await channel.deliver({ ...made })).toMatchObject({ kind: 'failed' })
  expect(await channel.deliver(made)).toEqual({ kind: 'delivered' })
  expect(await channel.deliver(made)).toMatchObject({ kind: 'failed' })
  expect(channel.sent()).toEqual([made])
  expect(tripped).toEqual(['memory deliver', 'memory deliver', 'memory deliver'])
})

test('a outgoing beyond the channel’s limit fails', async () => {
  const { channel, admit, outgoing } = createRig({ maxUnits: 3 })
  expect(await channel.deliver(admit(outgoing('abc')))).toEqual({ kind: 'delivered' })
  expect(await channel.deliver(admit(outgoing('abcd')))).toMatchObject({ kind: 'failed' })
})

test('ends that were asked for come in turn, and only what was delivered is kept', async () => {
  const { channel, admit, outgoing } = createRig()
  channel.fail({ kind: 'retry', afterMs: 1, why: 'away' })
  channel.fail({ kind: 'unknown', why: 'no answer' })
  expect(await channel.deliver(admit(outgoing('a')))).toMatchObject({ kind: 'retry' })
  expect(await channel.deliver(admit(outgoing('a')))).toMatchObject({ kind: 'unknown' })
  expect(await channel.deliver(admit(outgoing('b')))).toEqual({ kind: 'delivered' })
  expect(channel.sent().map((sent) => sent.text)).toEqual(['b'])
})

test('a refused outgoing uses up no end', async () => {
  const { channel, admit, outgoing } = createRig()
  channel.fail({ kind: 'unknown', why: 'no answer' })
  await channel.deliver(outgoing('smuggled'))
  expect(await channel.deliver(admit(outgoing('a')))).toMatchObject({ kind: 'unknown' })
})

test('a listener that throws never makes a delivery fail, nor hides it from the next', async () => {
  const { channel, admit, outgoing, logs } = createRig()
  const heard: string[] = []
  channel.onSent(() => {
    throw new Error('broken')
  })
  channel.onSent((sent) => heard.push(sent.text))
  expect(await channel.deliver(admit(outgoing('a')))).toEqual({ kind: 'delivered' })
  expect(heard).toEqual(['a'])
  expect(logs).toEqual(['memory: a listener failed'])
})

test('it starts and stops without more ado', async () => {
  const { channel } = createRig()
  await channel.start()
  await channel.stop()
})
