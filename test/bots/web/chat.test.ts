import { expect, test } from 'vitest'
import { createChat } from '../../../bots/web/chat.ts'

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
