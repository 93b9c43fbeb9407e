import { setImmediate } from 'node:timers/promises'
import type { Chat } from '../../../../bots/web/chat.ts'
import { createWeb, type WebOptions, type WebPorts } from '../../../../bots/web/web.ts'
import type { Channel } from '../../../../src/core/model/chat/channel.ts'
import type { Rehearsal } from '../rehearsal.ts'

type Lent = Pick<Chat, 'open' | 'file'>

/**
 * A page that is served to nobody, with one tab that records what it is shown and fetches the files of it.
 */
const rehearse = (make: (lend: (chat: Lent) => void) => Channel): Rehearsal => {
  let shown = ''
  const record = async (chat: Lent): Promise<void> => {
    for await (const bytes of chat.open('rehearsal') ?? []) shown += Buffer.from(bytes).toString('latin1')
  }
  let lent: Lent | undefined
  const channel = make((chat) => {
    lent = chat
    void record(chat)
  })
  const filesIn = async (lines: string): Promise<string> => {
    const files = [...lines.matchAll(/"id":"([^"]+)"/g)].flatMap(([, id = '']) => lent?.file(id)?.file ?? [])
    return (
      await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer()).toString('latin1')))
    ).join('')
  }
  return {
    channel,
    chats: ['main'],
    taken: async () => {
      // The tab reads one turn after it is written to.
      await setImmediate()
      const taken = shown
      shown = ''
      return `${taken}${await filesIn(taken)}`
    },
    hand: (outgoing) => channel.deliver(outgoing),
    ways: {},
  }
}

export const webTwin = (options: WebOptions, ports: WebPorts): Rehearsal =>
  rehearse((lend) => createWeb({ ...options, lend }, ports))
