import { isUnkept, type ChannelPorts, type Message } from '../../../src/core/model/chat/channel.ts'
import type { Directory } from './directory.ts'
import { readMessage, type FetchFile, type Me } from './message.ts'
import { readPress } from './press.ts'

export interface EventPorts extends Pick<ChannelPorts, 'receive' | 'log' | 'now'> {
  readonly directory: Directory
  readonly fetchFile: FetchFile
  /** The language of the people of this platform, as a tag of BCP 47, where a client does not tell it. */
  readonly language?: string
}

/** The handlers of the events, by name. Each resolves when the message is on disk. */
export const eventHandlers = (ports: EventPorts, me: Me) => {
  const { directory } = ports
  const hear = async (message: Omit<Message, 'isPrivate'>, isPrivate: Promise<boolean>): Promise<void> => {
    // Both are asked at once, because Feishu waits 3 seconds for the answer to a tap.
    const [sender_name, isAlone] = await Promise.all([
      directory.nameOf(message.sender_id, message.chat_id),
      isPrivate,
    ])
    // A private chat has the id of its person.
    const chat_id = isAlone ? message.sender_id : message.chat_id
    const language = message.language ?? ports.language
    const received = await ports.receive({
      ...message,
      chat_id,
      isPrivate: isAlone,
      sender_name,
      language,
    })
    // Feishu sends an event again when its handler fails.
    if (isUnkept(received)) throw new Error('the message could not be kept')
  }
  return {
    'im.message.receive_v1': async (event: unknown): Promise<void> => {
      const message = readMessage(event, me, ports.fetchFile)
      if (message === undefined) return ports.log('debug', 'feishu event ignored')
      directory.noteChat(message.chat_id, message.isPrivate)
      await hear(message, Promise.resolve(message.isPrivate))
    },
    // An answer could change the card or show a text. hookgate gives none: the dispatcher does that.
    'card.action.trigger': async (event: unknown): Promise<void> => {
      const press = readPress(event, ports.now())
      if (press === undefined) return ports.log('debug', 'feishu tap ignored')
      await hear(press, directory.isPrivate(press.chat_id))
    },
  }
}
