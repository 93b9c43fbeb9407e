import type { MessageInterface, WechatyInterface } from 'wechaty/impls'
import type { ChannelPorts } from '../../src/core/model/chat/channel.ts'
import type { Bounded } from './connect/error-boundary.ts'
import { filesIn } from './files.ts'
import type { Puppet } from './connect/puppet.ts'
import { readMessage } from './read.ts'

export interface ReceivePorts extends Pick<ChannelPorts, 'receive'> {
  readonly bounded: Bounded
  /** True for hookgate's own puppet, which gives all files of a message. */
  readonly isOwnPuppet: boolean
  /** True for a text that hookgate itself sent. */
  isEcho(chatId: string, text: string): boolean
}

/** Receives every message except the ones that hookgate sent. */
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
      const stored = isEcho ? undefined : ports.receive(message)
      puppet.kept?.(message.message_id, stored)
    }),
  )
}
