import { createChat, type Chat } from '../../../bots/web/chat.ts'
import type { ChatMessage } from '../../../bots/web/stream.ts'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { preferences } from './scripted-web.ts'

/** A chat by itself, into which everything is let that `deliver` is given. */
export const makeChat = () => {
  const person = { isOwner: true }
  const admitted = new WeakSet<OutgoingMessage>()
  const strays: string[] = []
  const asked = { preferences: 0 }
  const chat: Chat = createChat({
    now: () => 0,
    isAdmitted: (outgoing) => admitted.has(outgoing),
    isOwner: () => person.isOwner,
    cardOf: () => undefined,
    preferences: () => {
      asked.preferences += 1
      return Promise.resolve(preferences)
    },
    unreadable: () => {},
    refusedMessage: () => strays.push('refusedMessage'),
  })
  let count = 0
  const outgoing = (text: string, over: Partial<OutgoingMessage> = {}): OutgoingMessage =>
    Object.freeze({
      outgoing_id: `p${(count += 1)}`,
      channel: 'web',
      chat_id: 'main',
      kind: 'push',
      ...plain('text', text),
      code: [],
      ...over,
    })
  return {
    chat,
    /** Whether the person of the page is an owner. */
    person,
    /** How often the preferences were read. */
    asked,
    strays,
    outgoing,
    deliver: (text: string, over: Partial<OutgoingMessage> = {}) => {
      const made = outgoing(text, over)
      admitted.add(made)
      return chat.deliver(made)
    },
    notice: (text: string, over: Partial<OutgoingMessage> = {}) => {
      const made = outgoing(text, { kind: 'notice', type: 'notice', ...over })
      admitted.add(made)
      return chat.deliver(made)
    },
    /** What a tab that opens now is given. */
    read: async (): Promise<readonly ChatMessage[]> => {
      const stream = chat.open('s')
      chat.sweep(() => false)
      const [first = ''] = (await new Response(stream).text()).split('\n')
      return (JSON.parse(first) as { messages: readonly ChatMessage[] }).messages
    },
  }
}

/** The messenger's id of what was delivered. */
export const idOf = (delivery: Awaited<ReturnType<Chat['deliver']>>): string =>
  delivery.kind === 'delivered' ? (delivery.message_id ?? '') : ''
