import { proseText } from '../../../src/core/model/chat/prose.ts'
import type { EventEmitter } from 'node:events'
import { WechatyBuilder } from 'wechaty'
import type { WechatyInterface } from 'wechaty/impls'
import { log } from 'wechaty-puppet'
import { mock, PuppetMock } from 'wechaty-puppet-mock'
import type { WechatOptions } from '../../../bots/wechat/options.ts'
import { createWechat } from '../../../bots/wechat/wechat.ts'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { ChannelPorts, Message } from '../../../src/core/model/chat/channel.ts'
import { deepFreeze } from '../../../src/core/model/base/json.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'

log.level('silent')

let count = 0

/** Ports that note everything, with a door of which every message may go through once. */
export const createNotes = () => {
  const admitted = new WeakSet<OutgoingMessage>()
  const received: Message[] = []
  const tripped: string[] = []
  const troubles: { why: string; isBack: boolean }[] = []
  const logs: string[] = []
  const ports: ChannelPorts = {
    receive: (message) => received.push(message),
    isAdmitted: (outgoing) => admitted.delete(outgoing),
    tripped: (channel, what) => tripped.push(`${channel} ${what}`),
    trouble: (_, why, isBack) => troubles.push({ why: proseText(why), isBack }),
    menu: [],
    now: Date.now,
    elapsedMs: () => performance.now(),
    log: (level, what, fields) => logs.push(`${level} ${what} ${JSON.stringify(fields ?? {})}`),
  }
  const outgoing = (chat_id: string, text: string, channel = 'wechat'): OutgoingMessage => {
    count += 1
    return deepFreeze({
      outgoing_id: `p${count}`,
      kind: 'push',
      channel,
      chat_id,
      ...plain('text', text),
      code: [],
    })
  }
  const admit = (made: OutgoingMessage): OutgoingMessage => {
    admitted.add(made)
    return made
  }
  return { ports, received, tripped, troubles, logs, outgoing, admit }
}

/** The bot on a mocked WeChat: `me` is its account, Alice a person, and both are in one room. */
export const createRig = async (
  options: Partial<WechatOptions> & {
    Puppet?: typeof PuppetMock
    isLoggedIn?: boolean
    ports?: Partial<ChannelPorts>
  } = {},
) => {
  const notes = createNotes()
  const { Puppet = PuppetMock, isLoggedIn = true, ports, ...rest } = options
  const mocker = new mock.Mocker()
  const puppet = new Puppet({ mocker })
  const seen: { bot?: WechatyInterface } = {}
  const load = async () => ({
    WechatyBuilder: {
      build: (given: Parameters<typeof WechatyBuilder.build>[0]) => (seen.bot = WechatyBuilder.build(given)),
    },
  })
  const channel = createWechat({ puppet, load, ...rest }, { ...notes.ports, ...ports })
  await channel.start()
  const me = mocker.createContact({ id: 'me', name: 'The bot' })
  const alice = mocker.createContact({ id: 'alice', name: 'Alice' })
  const room = mocker.createRoom({ id: 'room@chatroom', topic: 'A room', memberIdList: [me.id, alice.id] })
  if (isLoggedIn) mocker.login(me)
  /** What arrived at Alice, in private or in the room, from the bot's account. */
  const arrived: string[] = []
  const note =
    (where: string) =>
    (message: ReturnType<typeof mocker.MessageMock.load>): void => {
      if (message.talker().id === 'me') arrived.push(`${where}: ${message.text()}`)
    }
  // The mock's own types have lost their emitter.
  ;(alice as object as EventEmitter).on('message', note('alice'))
  ;(room as object as EventEmitter).on('message', note('room'))
  if (seen.bot === undefined) throw new Error('wechaty was not built')
  return { ...notes, mocker, puppet, channel, bot: seen.bot, me, alice, room, arrived }
}
