import type { MessageInterface, WechatyInterface } from 'wechaty/impls'
import type { ChannelPorts } from '../../src/model/channel.ts'
import type { Bounded } from './error-boundary.ts'
import { filesIn } from './files.ts'
import type { Puppet } from './puppet.ts'
import { readMessage } from './read.ts'

export interface ReceivePorts extends Pick<ChannelPorts, 'receive'> {
  readonly bounded: Bounded
  /** Our own puppet knows all files of a message. */
  readonly isOwnPuppet: boolean
  /** True for what hookgate itself sent. */
  isEcho(chatId: string, text: string): boolean
}

/** Gives hookgate every message but its own. */
export const receiveMessages = (bot: WechatyInterface, puppet: Puppet, ports: ReceivePorts): void => {
  bot.on(
    'message',
    ports.bounded('message', (raw: MessageInterface) => {
      const message = readMessage(
        raw,
        puppet.isLoggedIn ? puppet.currentUserId : undefined,
        ports.isOwnPuppet ? puppet.files?.(raw.id) : filesIn(raw),
      )
      const isEcho = message.origin === 'self' && ports.isEcho(message.chat_id, message.text)
      const kept = isEcho ? undefined : ports.receive(message)
      puppet.kept?.(message.message_id, kept)
    }),
  )
}
