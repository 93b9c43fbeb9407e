import { expect, test } from 'vitest'
import type { MintedRequest } from '../../../../bots/feishu/http/exit.ts'
import { refused, wire } from './rig.ts'

const header = 'x-hookgate-ticket'
const messages = '/open-apis/im/v1/messages'
const judgedFor = (chat: string): MintedRequest => ({
  route: 'v1.message.create',
  query: { receive_id_type: 'chat_id' },
  json: { receive_id: chat, msg_type: 'text', content: JSON.stringify({ text: 'judged' }) },
})

test('a forged ticket is refused, whatever it looks like', async () => {
  const { client, tripped, left } = await wire()
  for (const ticket of ['', 'x', '__proto__', crypto.randomUUID(), 5, {}, ['a'], null, true])
    await expect(
      client.request({
        method: 'POST',
        url: messages,
        headers: { [header]: ticket } as never,
        data: { text: 'smuggled' },
      }),
    ).rejects.toMatchObject(refused)
  expect([tripped.length, left()]).toEqual([9, []])
})

test('what leaves is what was minted, whatever the SDK or a caller puts beside the ticket', async () => {
  const { exit, client, server } = await wire()
  await exit.send(
    {
      request: (payload: object) =>
        client.request({
          ...payload,
          data: { receive_id: 'oc_other', msg_type: 'text', content: '{"text":"smuggled"}' },
          params: { receive_id_type: 'open_id', text: 'smuggled' },
        } as never),
    } as typeof client,
    judgedFor(server.chatOf()),
  )
  expect(server.texts()).toEqual(['judged'])
  expect(JSON.stringify(server.calls().map(({ text, query }) => [text, query]))).not.toContain('smuggled')
})

test('a ticket works once, for its own route and its own message', async () => {
  const { exit, client, server, tripped } = await wire()
  const refusedCalls: unknown[] = []
  const tried = async (payload: object): Promise<void> =>
    void refusedCalls.push(await client.request(payload as never).catch((error: unknown) => error))
  const request = async (payload: { readonly headers?: object }) => {
    const { headers } = payload
    for (const [method, url] of [
      ['PUT', `${messages}/om_1`],
      ['PATCH', `${messages}/om_1`],
      ['POST', `${messages}/om_1/reactions`],
      ['DELETE', '/open-apis/im/v1/pins/om_1'],
      ['GET', '/open-apis/bot/v3/info'],
      ['DELETE', messages],
      ['POST', `${messages}/om_1/reply`],
    ])
      await tried({ method, url, headers })
    const sent: unknown = await client.request(payload as never)
    await tried(payload)
    return sent
  }
  await exit.send({ request } as never, judgedFor(server.chatOf()))
  expect(refusedCalls).toHaveLength(8)
  for (const one of refusedCalls) expect(one).toMatchObject(refused)
  expect([tripped.length, server.texts()]).toEqual([8, ['judged']])
})

test('a ticket that was not used is worth nothing when its send has ended', async () => {
  const { exit, client, server } = await wire()
  let kept: object = {}
  await exit.send(
    { request: (payload: object) => ((kept = payload), Promise.resolve()) } as never,
    judgedFor(server.chatOf()),
  )
  await expect(client.request(kept as never)).rejects.toMatchObject(refused)
  expect(server.texts()).toEqual([])
})

test('a body that is changed after it was minted leaves as it was', async () => {
  const { exit, client, server } = await wire()
  const request = judgedFor(server.chatOf())
  await exit.send(
    {
      request: (payload: object) => {
        Object.assign(request.json ?? {}, { content: '{"text":"smuggled"}' })
        Object.assign(request.query ?? {}, { text: 'smuggled' })
        return client.request(payload as never)
      },
    } as never,
    request,
  )
  expect(server.texts()).toEqual(['judged'])
  expect(server.calls().map(({ query }) => query)).toContainEqual({ receive_id_type: 'chat_id' })
})

test('a message for another id than the minted one is refused', async () => {
  const { exit, client, server, tripped } = await wire()
  const change = (id: string): Promise<unknown> =>
    exit.send(
      {
        request: (payload: object) => client.request({ ...payload, url: `${messages}/${id}` } as never),
      } as never,
      { route: 'v1.message.update', id: 'om_judged', json: { msg_type: 'text', content: '{"text":"x"}' } },
    )
  await expect(change('om_other')).rejects.toMatchObject(refused)
  expect(tripped).toEqual(['v1.message.update'])
  await expect(change('om_judged')).rejects.toMatchObject({ failure: { code: 230001 } })
  expect(server.calls('PUT /open-apis/im/v1/messages/:message_id')).toHaveLength(1)
})

test('a ticket to change a message is none to replace a card, nor to react, though the message is the same', async () => {
  const { exit, client, server, tripped } = await wire()
  const ways = [
    ['PATCH', `${messages}/om_judged`],
    ['GET', `${messages}/om_judged`],
    ['POST', `${messages}/om_judged/reactions`],
  ] as const
  for (const [method, url] of ways)
    await expect(
      exit.send(
        { request: (payload: object) => client.request({ ...payload, method, url } as never) } as never,
        { route: 'v1.message.update', id: 'om_judged', json: { msg_type: 'text', content: '{"text":"x"}' } },
      ),
    ).rejects.toMatchObject(refused)
  expect(tripped).toEqual(['v1.message.patch', 'v1.message.get', 'v1.messageReaction.create'])
  expect(server.calls().filter(({ path }) => path.startsWith(messages))).toEqual([])
})
