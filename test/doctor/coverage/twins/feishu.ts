import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Client } from '@larksuiteoapi/node-sdk'
import { createFeishu, type FeishuOptions } from '../../../../bots/feishu/feishu.ts'
import { loadSdk } from '../../../../bots/feishu/sdk.ts'
import { emojiOf } from '../../../../bots/feishu/write/emoji.ts'
import type { ChannelPorts } from '../../../../src/core/model/chat/channel.ts'
import type { Rehearsal } from '../rehearsal.ts'

type Way = Rehearsal['ways'][string]
type Call = (payload: object) => Promise<unknown>

const chat = `oc_${'1'.repeat(32)}`
const messages = '/open-apis/im/v1/messages'
/** What Feishu answers where all is well, whatever it was asked. */
const answer = JSON.stringify({
  code: 0,
  msg: 'success',
  tenant_access_token: 't-rehearsal',
  expire: 7200,
  data: {
    message_id: 'om_1',
    image_key: 'img_1',
    file_key: 'file_1',
    items: [{ message_id: 'om_1', msg_type: 'post', body: { content: '{}' }, sender: {} }],
  },
})

/** A reaction leaves by its name. Whoever reads the wire knows the emoji from it. */
const withEmoji = (wire: string): string =>
  ['👍', '👎'].reduce(
    (text, emoji) => text.replaceAll(emojiOf(emoji) ?? emoji, Buffer.from(emoji).toString('latin1')),
    wire,
  )

/** A platform on loopback that notes every byte that it is sent. */
const startRecorder = async () => {
  let noted = ''
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      noted += `${request.method} ${request.url}\n${request.rawHeaders.join('\n')}\n${body.toString('latin1')}\n`
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    root: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken: async () => {
      const taken = noted
      noted = ''
      return withEmoji(taken)
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The bot over a platform that records. `end` stops that one. Feishu hears of none of it. */
export const feishuTwin = async (
  options: Omit<FeishuOptions, 'sdk' | 'apiRoot'>,
  ports: ChannelPorts,
  end: (stop: () => void) => void,
): Promise<Rehearsal> => {
  const recorder = await startRecorder()
  end(recorder.stop)
  const sdk = await loadSdk()
  const lent: Client[] = []
  const lending = new Proxy(sdk.Client, {
    construct: (target, given: ConstructorParameters<typeof Client>) => {
      const client = new target(...given)
      lent.push(client)
      return client
    },
  })
  const channel = createFeishu(
    { ...options, apiRoot: recorder.root, sdk: { ...sdk, Client: lending } },
    ports,
  )
  const client = (): Client => {
    const [one] = lent
    if (one === undefined) throw new Error('Expected the bot to make a client.')
    return one
  }
  const contentOf = (canary: string) => ({ msg_type: 'text', content: JSON.stringify({ text: canary }) })
  const raw =
    (method: string, url: string, made: (canary: string) => object): Way =>
    (canary) =>
      client().request({ method, url, data: made(canary) })
  /** What somebody may put between the bot and its way out. */
  const withPlugin =
    (plugin: (canary: string, prev: Call, payload: object) => Promise<unknown>): Way =>
    async (canary, say) => {
      const prev = client().request.bind(client()) as unknown as Call
      Object.assign(client(), { request: (payload: object) => plugin(canary, prev, payload) })
      try {
        await say('Hello.')
      } finally {
        Reflect.deleteProperty(client(), 'request')
      }
    }

  const ways: Readonly<Record<string, Way>> = {
    'a call of its own': (canary) =>
      client().im.v1.message.create({
        params: { receive_id_type: 'chat_id' },
        data: { receive_id: chat, ...contentOf(canary) },
      }),
    'a reply': (canary) =>
      client().im.v1.message.reply({ path: { message_id: 'om_1' }, data: contentOf(canary) }),
    'an edit': (canary) =>
      client().im.v1.message.update({ path: { message_id: 'om_1' }, data: contentOf(canary) }),
    'a card': (canary) =>
      client().im.v1.message.patch({ path: { message_id: 'om_1' }, data: { content: canary } }),
    'a reaction': (canary) =>
      client().im.v1.messageReaction.create({
        path: { message_id: 'om_1' },
        data: { reaction_type: { emoji_type: canary } },
      }),
    'the bytes of a file': (canary) =>
      client().im.v1.file.create({
        data: { file_type: 'stream', file_name: canary, file: Buffer.from(canary) },
      }),
    'a forward': (canary) =>
      client().im.v1.message.forward({
        path: { message_id: canary },
        params: { receive_id_type: 'chat_id' },
        data: { receive_id: canary },
      }),
    'a call to a phone': (canary) =>
      client().im.v1.message.urgentSms({
        path: { message_id: canary },
        params: { user_id_type: 'open_id' },
        data: { user_id_list: [canary] },
      }),
    "a group's name": (canary) =>
      client().im.v1.chat.update({ path: { chat_id: chat }, data: { name: canary } }),
    'a document': (canary) => client().docx.v1.document.create({ data: { title: canary } }),
    'a raw request': raw('POST', messages, contentOf),
    'an older method': raw('POST', '/open-apis/message/v4/send/', contentOf),
    'a method that nobody knows': raw('POST', '/open-apis/im/v9/canary', contentOf),
    'a question with a text': (canary) =>
      client().request({ method: 'GET', url: `${messages}/om_1`, params: { text: canary } }),
    'an address with a text': (canary) =>
      client().request({ method: 'GET', url: `/open-apis/im/v1/${canary}` }),
    'another server': (canary) => client().request({ method: 'GET', url: `http://127.0.0.1:9/${canary}` }),
    'a forged ticket': (canary) =>
      client().request({
        method: 'POST',
        url: messages,
        headers: { 'x-hookgate-ticket': canary },
        data: contentOf(canary),
      }),
    'a timer': async (canary) =>
      new Promise((resolve, reject) => {
        setTimeout(
          () => void raw('POST', messages, contentOf)(canary, resolve as never).then(resolve, reject),
          0,
        )
      }),
    'a plugin with another method': withPlugin((canary, prev, payload) =>
      prev({ ...payload, url: `${messages}/om_1/reply`, data: contentOf(canary) }),
    ),
    'a plugin that tries again': withPlugin(async (canary, prev, payload) => {
      const first = await prev(payload)
      await prev({ ...payload, data: contentOf(canary) })
      return first
    }),
    'a queue beside an allowed send': withPlugin(async (canary, prev, payload) => {
      const both = [prev({ method: 'POST', url: messages, data: contentOf(canary) }), prev(payload)] as const
      return (await Promise.all(both))[1]
    }),
  }
  return {
    channel,
    chats: [chat],
    taken: recorder.taken,
    hand: (outgoing) => channel.deliver(outgoing),
    ways,
  }
}
