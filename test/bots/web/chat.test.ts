import { expect, test } from 'vitest'
import { createChat } from '../../../bots/web/chat.ts'
import type { ChatMessage } from '../../../bots/web/stream.ts'
import { plain } from '../../../src/model/content.ts'
import type { NoticeForm, Parcel } from '../../../src/model/push.ts'

test('a message that neither came through the door nor from the owner is not written, and is told', async () => {
  const strays: string[] = []
  const chat = createChat({ now: () => 0, strayed: () => strays.push('strayed') })
  const stream = chat.open('s')
  const forged = { id: '1', from: 'hookgate', text: 'forged', code: [], atMs: 0 }
  chat.show({ type: 'message', message: forged } as never)
  chat.show({ type: 'history', messages: [forged] } as never)
  chat.say('mine')
  chat.sweep(() => false)
  const text = await new Response(stream).text()
  expect(strays).toEqual(['strayed', 'strayed'])
  expect(text).not.toContain('forged')
  expect(text).toContain('mine')
})

test('the history is bounded in size, and the newest message always stays', async () => {
  const chat = createChat({ now: () => 0, strayed: () => {} })
  for (let index = 0; index < 5; index++) chat.say(`${index}${'x'.repeat(900_000)}`)
  const stream = chat.open('s')
  chat.sweep(() => false)
  const [first = ''] = (await new Response(stream).text()).split('\n')
  const { messages } = JSON.parse(first) as { messages: { text: string }[] }
  expect(messages.map((message) => message.text[0])).toEqual(['3', '4'])
})

test('only a notice has buttons, and only a notice takes the place of a notice', async () => {
  const chat = createChat({ now: () => 0, strayed: () => {} })
  const parcel = (kind: Parcel['kind'], text: string, form: NoticeForm): Parcel => ({ parcel_id: text, channel: 'web', chat_id: 'main', kind, ...plain('text', text), code: [], ...form })
  const read = async (): Promise<readonly ChatMessage[]> => {
    const stream = chat.open('s')
    chat.sweep(() => false)
    const [first = ''] = (await new Response(stream).text()).split('\n')
    return (JSON.parse(first) as { messages: readonly ChatMessage[] }).messages
  }
  const buttons = [[{ label: 'Approve', press: 'a1' }]]
  chat.deliver(parcel('notice', 'card', { buttons }))
  chat.deliver(parcel('push', 'agent', { buttons }))
  const [card, push] = await read()
  expect([card?.buttons, push?.buttons]).toEqual([buttons, undefined])
  chat.deliver(parcel('push', 'forged receipt', { replaces: card?.id ?? '' }))
  chat.deliver(parcel('notice', 'not over an agent', { replaces: push?.id ?? '' }))
  chat.deliver(parcel('notice', 'receipt', { replaces: card?.id ?? '' }))
  const said = chat.say('mine')
  chat.deliver(parcel('notice', 'not over the owner', { replaces: said }))
  expect((await read()).map(({ text }) => text)).toEqual(['receipt', 'agent', 'forged receipt', 'not over an agent', 'mine', 'not over the owner'])
})
