import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Message } from '../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'

export interface Arrived extends Pick<OutgoingMessage, 'kind' | 'chat_id' | 'text'> {
  readonly atMs: number
}

/** As many as the real ones give at once. */
const mostAtOnce = 100

/** A messenger on loopback that asks for less, and loses connections before and after it took something. */
export const startMessenger = async () => {
  const arrived: Arrived[] = []
  const said: Message[] = []
  const listeners: ServerResponse[] = []
  let count = 0
  let isFaltering = false

  const tell = (): void => {
    const response = said.length === 0 ? undefined : listeners.shift()
    response?.end(JSON.stringify(said.splice(0, mostAtOnce)))
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/hear') {
      listeners.push(response)
      request.on(
        'close',
        () => void (listeners.includes(response) && listeners.splice(listeners.indexOf(response), 1)),
      )
      return tell()
    }
    const outgoing = (await json(request)) as OutgoingMessage
    const luck = Math.random()
    const isAtRisk = isFaltering && outgoing.kind === 'push'
    if (isAtRisk && luck < 0.02) return void response.writeHead(429).end()
    if (isAtRisk && luck < 0.025) return void request.socket.destroy()
    arrived.push({
      kind: outgoing.kind,
      chat_id: outgoing.chat_id,
      text: outgoing.text,
      atMs: performance.now(),
    })
    if (isAtRisk && luck < 0.03) return void request.socket.destroy()
    response.end()
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: arrived as readonly Arrived[],
    /** From now on. */
    falter: (): void => void (isFaltering = true),
    /** A person writes. */
    say: (text: string, over: Partial<Message> = {}): void => {
      said.push({
        channel: 'loop',
        chat_id: 'owner',
        message_id: String(++count),
        sender_id: 'owner',
        sender_name: 'Owner',
        isPrivate: true,
        origin: 'plain',
        sentAtMs: Date.now(),
        text,
        ...over,
      })
      tell()
    },
    stop: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}
