import { setTimeout as delay } from 'node:timers/promises'
import { isObject } from '../../core/model/base/json.ts'
import type { Owner, ShownButton, ShownMessage } from './owner.ts'
import { openSession, type PageSession } from './page-client.ts'

const isButton = (value: unknown): value is ShownButton =>
  isObject(value) && typeof value['label'] === 'string' && typeof value['press'] === 'string'

interface PageMessage extends ShownMessage {
  readonly from: unknown
}

const messageOf = (value: unknown): PageMessage | undefined => {
  if (!isObject(value)) return undefined
  const { id, from, text, buttons } = value
  if (typeof id !== 'string' || typeof text !== 'string') return undefined
  return { id, from, text, buttons: Array.isArray(buttons) ? buttons.flat().filter(isButton) : [] }
}

/** The waiting time before a press, in milliseconds. A button counts only when its card is a second old. */
const readMs = 1200

/** An owner at the gate's own web page. The page pins no checkpoint. */
export const createPageOwner = (): Owner => {
  let client: PageSession | undefined
  let texts: string[] = []
  let messages = new Map<string, PageMessage>()

  const post = async (path: string, body: object): Promise<void> => {
    if (client === undefined) throw new Error('Expected the page to be open, got no session.')
    const { status, text } = await client.post(path, body)
    if (status !== 202) throw new Error(`Expected the page to take it, got ${status}: ${text}`)
  }
  const from = (who: string): readonly PageMessage[] =>
    [...messages.values()].filter((message) => message.from === who)

  return {
    env: () => ({}),
    channels: '',
    agentsChat: { channel: 'web', chat_id: 'main' },
    enter: async (login) => {
      client = await openSession(await login())
      messages = new Map()
      const mine = messages
      client.follow(({ message, messages: history }) => {
        for (const line of [...(Array.isArray(history) ? history : []), message]) {
          const shown = messageOf(line)
          if (shown === undefined) continue
          mine.set(shown.id, shown)
          if (shown.from === 'hookgate') texts = [...texts, shown.text]
        }
      })
    },
    renew: async () => {
      texts = []
      messages = new Map()
    },
    say: (words) => post('/api/say', { text: words }),
    press: async ({ press }, { id }) => {
      await delay(readMs)
      await post('/api/press', { press, message_id: id })
    },
    texts: () => texts,
    shown: () => from('hookgate'),
    fromAgent: () => from('agent').map(({ text }) => text),
    secrets: [],
    close: async () => undefined,
  }
}
