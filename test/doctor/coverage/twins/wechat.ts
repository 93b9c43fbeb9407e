import { EventEmitter } from 'node:events'
import { bytesOf, type Box } from '../../../../bots/wechat/file.ts'
import { closedNames } from '../../../../bots/wechat/methods.ts'
import type { Loaded } from '../../../../bots/wechat/options.ts'
import { createWechat } from '../../../../bots/wechat/wechat.ts'
import type { ChannelPorts } from '../../../../src/core/model/chat/channel.ts'
import type { Rehearsal } from '../rehearsal.ts'

type Method = (...args: readonly unknown[]) => Promise<void>

const isBox = (value: unknown): value is Box =>
  typeof value === 'object' && value !== null && 'toBuffer' in value

/** What a puppet is told, as bytes: a file by its name and what is in it. */
const told = async (value: unknown): Promise<Buffer> => {
  if (!isBox(value)) return Buffer.from(`${JSON.stringify(value) ?? ''}\n`)
  const { name, bytes } = await bytesOf(value)
  return Buffer.concat([Buffer.from(`${name}\n`), bytes])
}

/**
 * A puppet that is logged in, has each way out that wechaty or the running one has, and only notes what it is
 * given.
 */
const createTwin = (names: readonly string[]) => {
  const noted: Promise<Buffer>[] = []
  const methods = names.map((name): readonly [string, Method] => [
    name,
    async (...args) => void noted.push(...args.map(told)),
  ])
  const puppet = Object.assign(
    new EventEmitter(),
    { isLoggedIn: true, currentUserId: 'rehearsal' },
    Object.fromEntries(methods),
  )
  return { puppet, taken: async () => Buffer.concat(await Promise.all(noted.splice(0))).toString('latin1') }
}

/** wechaty with nothing behind it: what is rehearsed is the way out, and that ends at the puppet. */
const empty: Loaded = {
  WechatyBuilder: {
    build: () =>
      ({ on: () => undefined, start: async () => undefined, stop: async () => undefined }) as never,
  },
}

/** The bot over a puppet that only records. WeChat hears of none of it. */
export const wechatTwin = async (running: object, ports: ChannelPorts): Promise<Rehearsal> => {
  const names = closedNames(running)
  const { puppet, taken } = createTwin(names)
  const channel = createWechat({ puppet, load: async () => empty }, ports)
  await channel.start()
  const call = (name: string, canary: string): Promise<unknown> =>
    Reflect.get<Record<string, Method>, string>(puppet, name)(canary, canary, canary)
  return {
    channel,
    taken,
    chats: ['rehearsal'],
    hand: (outgoing) => channel.deliver(outgoing),
    ways: Object.fromEntries(names.map((name) => [name, (canary: string) => call(name, canary)])),
  }
}
