import { setTimeout as pause } from 'node:timers/promises'
import type { MessageInterface, WechatyInterface } from 'wechaty/impls'
import type { ChannelPorts, Message } from '../../src/core/model/chat/channel.ts'
import type { Bounded } from './connect/error-boundary.ts'
import { filesIn } from './files.ts'
import type { Puppet } from './connect/puppet.ts'
import { readMessage } from './read.ts'

export interface ReceivePorts extends Pick<ChannelPorts, 'receive' | 'log'> {
  readonly bounded: Bounded
  /** True for hookgate's own puppet, which gives all files of a message. */
  readonly isOwnPuppet: boolean
  /** True for a text that hookgate itself sent. */
  isEcho(chatId: string, text: string): boolean
  isStopping(): boolean
}

/** How often a message is offered again that the store could not keep. */
const againMs = 1000
/** At most so many messages wait for that. */
const maxUnkept = 100

/**
 * For a puppet that gives each message once: what could not be kept is offered again until it is, or until
 * the bot stops. `stored`: what became of the first offer.
 */
const createKeeper = ({ receive, isStopping, log }: ReceivePorts) => {
  let unkept = 0
  return async (message: Message, stored: unknown): Promise<void> => {
    if ((await stored) !== 'unkept') return
    if (unkept >= maxUnkept)
      return log('error', 'wechat: a message was dropped because too many could not be kept')
    unkept += 1
    do await pause(againMs, undefined, { ref: false })
    while (!isStopping() && (await receive(message)) === 'unkept')
    unkept -= 1
  }
}

/** Receives every message except the ones that hookgate sent. */
export const receiveMessages = (bot: WechatyInterface, puppet: Puppet, ports: ReceivePorts): void => {
  const keep = createKeeper(ports)
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
      if (puppet.kept === undefined) void keep(message, stored)
      else puppet.kept(message.message_id, stored)
    }),
  )
}
