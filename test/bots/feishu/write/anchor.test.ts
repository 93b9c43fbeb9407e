import { proseText } from '../../../../src/core/model/chat/prose.ts'
import { expect, test } from 'vitest'
import { channelOf, createRig, quietPorts, type Rig } from '../rig.ts'

const pin = 'POST /open-apis/im/v1/pins'
const list = 'GET /open-apis/im/v1/pins'
const create = 'POST /open-apis/im/v1/messages'
const delivered = { kind: 'delivered' }

let count = 0
const anchor = (rig: Rig, text: string, rest: object = {}, channel = rig.channel) =>
  channel.deliver(rig.outgoing(text, { kind: 'notice', isAnchor: true, outgoing_id: `a${++count}`, ...rest }))
const read = ({ channel, server }: Rig, chat = server.owner.open_id) => channel.readAnchor?.(chat)
const push = async (rig: Rig, text: string): Promise<string> => {
  const sent = await rig.channel.deliver(
    rig.outgoing(text, { outgoing_id: `a${++count}`, marks: [{ type: 'bold', offset: 0, length: 3 }] }),
  )
  return sent.kind === 'delivered' ? (sent.message_id ?? '') : ''
}
/** The same gate after a restart: it remembers only what it kept. */
const restarted = async (rig: Rig): Promise<Rig> => {
  const { server, memory } = rig
  const troubles: { why: string; isBack: boolean }[] = []
  const channel = await channelOf(
    server,
    { ...quietPorts, trouble: (_, why, isBack) => void troubles.push({ why: proseText(why), isBack }) },
    memory,
  )
  return { ...rig, channel, troubles }
}

test('an anchor is sent once, pinned, and then edited where it stands', async () => {
  const rig = await createRig()
  for (const text of ['🛡 Head 1\nrevision 1', '🛡 Head 2\n\nrevision 2', '🛡 Head 2\n\nrevision 2'])
    expect(await anchor(rig, text)).toMatchObject(delivered)
  expect(rig.server.texts()).toEqual(['🛡 Head 2\n\nrevision 2'])
  expect(rig.server.pinned()).toEqual([rig.server.sent()[0]?.id])
  expect(rig.server.calls(pin)).toHaveLength(1)
  expect([await read(rig), rig.troubles, rig.tripped]).toEqual(['🛡 Head 2\n\nrevision 2', [], []])
})

test('after a restart the anchor is read, and edited where it stands', async () => {
  const rig = await createRig()
  await anchor(rig, 'head 1\nmore /hooks recover', { code: [{ offset: 12, length: 14 }] })
  const again = await restarted(rig)
  expect(await read(again)).toBe('head 1\nmore /hooks recover')
  expect(await anchor(again, 'head 2')).toMatchObject(delivered)
  expect(rig.server.texts()).toEqual(['head 2'])
  expect(rig.server.calls(pin)).toHaveLength(1)
})

test('an anchor with buttons in it is known again', async () => {
  const rig = await createRig()
  await anchor(rig, 'head 1', { buttons: [[{ label: 'Show', press: 's1' }]] })
  expect(await read(await restarted(rig))).toBe('head 1')
})

test('an anchor that begins with no text could not be known again, and fails without a call', async () => {
  const rig = await createRig()
  for (const text of ['\nhead', '  \nhead'])
    expect(await anchor(rig, text)).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('begin with a line of text') as string,
    })
  expect(rig.server.calls()).toEqual([])
})

test('nothing pinned is no anchor, nor is a chat that Feishu does not know or where it pins nothing', async () => {
  const rig = await createRig()
  expect([await read(rig), await read(rig, 'oc_nowhere')]).toEqual([undefined, undefined])
  rig.server.fail(list, 1, { code: 230002 })
  expect(await read(rig)).toBeUndefined()
  await expect(read(rig, 'a b')).rejects.toThrow('chat id')
})

test('a platform that cannot be reached says nothing about the anchor', async () => {
  const rig = await createRig()
  await anchor(rig, 'head 1')
  for (const fault of ['cut', 'garbage', { code: 99991400 }] as const) {
    rig.server.fail(list, 1, fault)
    await expect(read(rig)).rejects.toThrow('the call of Feishu failed')
    rig.server.fail(list, 1, fault)
    expect((await anchor(rig, 'head 2')).kind).toBe('retry')
  }
  rig.server.expireTokens()
  await expect(read(rig)).rejects.toThrow('99991663')
  expect(await read(rig)).toBe('head 1')
  rig.server.expireTokens()
  expect((await anchor(rig, 'head 2')).kind).toBe('retry')
  expect(await anchor(rig, 'head 2')).toMatchObject(delivered)
  expect(rig.server.texts()).toEqual(['head 2'])
})

test('what somebody else wrote and pinned is no anchor', async () => {
  const rig = await createRig()
  const { server } = rig
  const content = [[{ tag: 'text', text: '🛡 Head 666', style: ['bold', 'underline'] }]]
  server.pin(server.send('post', { title: '', content }))
  server.pin(server.say('🛡 Head 667'))
  expect(await read(rig)).toBeUndefined()
  await anchor(rig, 'head 1')
  expect(server.texts()).toEqual(['head 1'])
  expect(await read(rig)).toBe('head 1')
})

test('what another bot wrote and pinned is no anchor', async () => {
  const rig = await createRig()
  await anchor(rig, 'head of another bot')
  const [id = ''] = rig.server.pinned()
  const stored = rig.server.world.messages.get(id)
  if (stored === undefined) throw new Error('The anchor was not kept.')
  const sender = { ...stored.sender, id: 'cli_ffffffffffffffff' }
  rig.server.world.messages.set(id, { ...stored, sender })
  const again = await restarted(rig)
  expect(await read(again)).toBeUndefined()
  await anchor(again, 'head 1')
  expect(await read(again)).toBe('head 1')
})

test('a message of an agent that the owner pinned is no anchor, and is never written over', async () => {
  const rig = await createRig()
  await anchor(rig, 'head 1')
  const id = await push(rig, '🛡 Head 666\nwritten by an agent')
  for (const one of [rig, await restarted(rig)]) {
    rig.server.pin(id)
    expect(await read(one)).toBe(one === rig ? 'head 1' : 'head 2')
    expect(await anchor(one, 'head 2')).toMatchObject(delivered)
  }
  expect(rig.server.texts()).toEqual(['head 2', '🛡 Head 666\nwritten by an agent'])
  expect(rig.server.pinned()).toContain(id)
})

test('an anchor that was unpinned is edited and pinned again, without a new message', async () => {
  const rig = await createRig()
  await anchor(rig, 'head 1')
  const [id = ''] = rig.server.pinned()
  rig.server.unpin(id)
  expect(await read(rig)).toBeUndefined()
  expect(await anchor(rig, 'head 2')).toMatchObject(delivered)
  expect([rig.server.texts(), rig.server.pinned()]).toEqual([['head 2'], [id]])
})

test('an anchor that was recalled, or changed 20 times, is sent and pinned anew, and only one is pinned', async () => {
  const rig = await createRig()
  await anchor(rig, 'head 0')
  rig.server.recall(rig.server.pinned()[0] ?? '')
  expect(await anchor(rig, 'head 1')).toMatchObject(delivered)
  expect(await read(rig)).toBe('head 1')
  for (let nth = 2; nth <= 22; nth++) expect(await anchor(rig, `head ${nth}`)).toMatchObject(delivered)
  expect(rig.server.texts()).toEqual(['head 21', 'head 22'])
  expect(await read(await restarted(rig))).toBe('head 22')
  expect(
    rig.server.pinned().filter((id) => rig.server.sent().some((one) => one.id === id && !one.deleted)),
  ).toHaveLength(1)
})

test('of two anchors that are pinned the newer one counts', async () => {
  const rig = await createRig()
  await anchor(rig, 'head 1')
  const [old = ''] = rig.server.pinned()
  rig.server.unpin(old)
  await anchor(await restarted(rig), 'head 2')
  rig.server.pin(old)
  expect(await read(rig)).toBe('head 2')
})

test('a chat where the bot may not pin is told once, and the anchor is still edited', async () => {
  const rig = await createRig()
  rig.server.fail(pin, 3, { code: 230046, msg: 'only administrators may pin' })
  for (const text of ['head 1', 'head 2', 'head 3']) expect(await anchor(rig, text)).toMatchObject(delivered)
  expect(rig.server.texts()).toEqual(['head 3'])
  expect(rig.troubles).toHaveLength(1)
  expect(rig.troubles[0]).toMatchObject({
    isBack: false,
    why: expect.stringMatching(/^hookgate could not pin its ledger message\. .*230046/) as string,
  })
  expect(await anchor(rig, 'head 4')).toMatchObject(delivered)
  expect(rig.troubles.map(({ isBack }) => isBack)).toEqual([false, true])
})

test('two chats of which one refuses pins are not told in turn', async () => {
  const rig = await createRig()
  rig.server.group('oc_team')
  for (let nth = 0; nth < 3; nth++) {
    rig.server.fail(pin, 1, { code: 230046 })
    await anchor(rig, `a${nth}`, { chat_id: 'oc_team' })
    await anchor(rig, `b${nth}`)
  }
  expect(rig.troubles.map(({ isBack }) => isBack)).toEqual([false])
})

test('an anchor whose answer was lost comes once', async () => {
  const rig = await createRig()
  rig.server.fail(create, 1, 'cut_after')
  const outgoing = rig.outgoing('head 1', { kind: 'notice', isAnchor: true })
  expect((await rig.channel.deliver(outgoing)).kind).toBe('retry')
  expect(await rig.channel.deliver(outgoing)).toMatchObject(delivered)
  expect([rig.server.texts(), rig.server.pinned().length]).toEqual([['head 1'], 1])
})
