import { proseText } from '../../../src/core/model/chat/prose.ts'
import { Bot, type Api } from 'grammy'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { Channel, ChannelPorts, Message } from '../../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { createTelegram, type TelegramOptions } from '../../../bots/telegram/telegram.ts'
import type { Timers } from '../../../bots/telegram/timers.ts'
import { createTripwire } from '../../../bots/telegram/tripwire/tripwire.ts'
import type { BotApi } from '../../fixtures/bot-api/server.ts'

export const token = '1234:rig-secret-token'
export const menu = [{ command: 'hooks', description: 'the gate' }]

/** A clock that stands still until it is moved; whatever is due then runs, in order. */
export const createClock = () => {
  let nowMs = Date.now()
  let waits: { readonly dueMs: number; readonly ms: number; readonly run: () => void }[] = []
  const timers: Timers = {
    after: (ms, run) => {
      const wait = { dueMs: nowMs + ms, ms, run }
      waits.push(wait)
      return () => {
        waits = waits.filter((other) => other !== wait)
      }
    },
  }
  return {
    timers,
    now: () => nowMs,
    /** True while something waits that was asked to wait exactly so long. */
    isWaiting: (ms: number) => waits.some((wait) => wait.ms === ms),
    count: () => waits.length,
    advance: (ms: number) => {
      const untilMs = nowMs + ms
      for (;;) {
        const [next] = waits.filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)
        if (next === undefined) break
        waits = waits.filter((wait) => wait !== next)
        nowMs = next.dueMs
        next.run()
      }
      nowMs = untilMs
    },
  }
}
export type Clock = ReturnType<typeof createClock>

export interface Rig {
  readonly channel: Channel
  readonly received: Message[]
  readonly troubles: { readonly why: string; readonly isBack: boolean }[]
  readonly tripped: string[]
  /** Everything that was logged, as text. */
  logs(): string
  /** A message that the door let through. */
  outgoing(text: string, rest?: Partial<OutgoingMessage>): OutgoingMessage
}

export const createRig = (
  apiRoot: string,
  options: {
    readonly clock?: Clock
    readonly token?: string
    readonly receive?: (message: Message) => unknown
    readonly telegram?: Partial<TelegramOptions>
  } = {},
): Rig => {
  const received: Message[] = []
  const troubles: { why: string; isBack: boolean }[] = []
  const tripped: string[] = []
  const logs: string[] = []
  const admitted = new WeakSet<OutgoingMessage>()
  const ports: ChannelPorts = {
    receive: (message) => {
      received.push(message)
      return options.receive?.(message)
    },
    isAdmitted: (outgoing) => admitted.has(outgoing),
    tripped: (channel, what) => void tripped.push(`${channel} ${what}`),
    trouble: (_channel, why, isBack) => void troubles.push({ why: proseText(why), isBack }),
    menu,
    now: options.clock?.now ?? Date.now,
    elapsedMs: options.clock?.now ?? (() => performance.now()),
    log: (level, what, fields) => void logs.push(JSON.stringify({ level, what, ...fields })),
  }
  const channel = createTelegram(
    {
      token: options.token ?? token,
      apiRoot,
      chats: [],
      ...(options.clock === undefined ? {} : { timers: options.clock.timers }),
      ...options.telegram,
    },
    ports,
  )
  return {
    channel,
    received,
    troubles,
    tripped,
    logs: () => logs.join('\n'),
    outgoing: (text, rest = {}) => {
      const outgoing: OutgoingMessage = Object.freeze({
        channel: 'telegram',
        chat_id: '7',
        outgoing_id: 'p1',
        kind: 'push',
        ...plain('text', text),
        code: [],
        ...rest,
      })
      admitted.add(outgoing)
      return outgoing
    },
  }
}

/** A whole grammY bot with nothing of ours but the tripwire, and with its calls in reach of everybody. */
export const wire = (server: BotApi, tripped: (what: string) => void, canUseWebhookReply = false) => {
  const bot = new Bot(token, {
    client: { apiRoot: server.root, canUseWebhookReply: () => canUseWebhookReply },
    botInfo: { ...server.bot } as Bot['botInfo'],
  })
  const tripwire = createTripwire(menu, tripped)
  bot.api.config.use(tripwire.transformer)
  return { bot, tripwire }
}

type AnyCall = (payload?: unknown) => Promise<unknown>
/** A call by any name with any payload, as no type would let it. */
export const rawCall = (api: Api, method: string): AnyCall =>
  (api.raw as unknown as Record<string, AnyCall>)[method]!
