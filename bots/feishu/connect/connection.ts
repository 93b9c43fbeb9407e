import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import type { App } from '../app.ts'
import type { Exit, Sender } from '../http/exit.ts'
import {
  failureFields,
  type CallFailure,
  type ConnectionHealth,
} from '../../../src/shared/chat/connection.ts'
import { failed, readFailure } from '../http/failure.ts'
import { eventHandlers, type EventPorts } from '../read/handle-event.ts'
import { id, type Me } from '../read/message.ts'
import { silent, type FeishuSdk } from '../sdk.ts'

const handshakeMs = 15_000
/** A connection that does not stand after this time is given up. */
const connectMs = 40_000
/** The SDK does not tell when a connection ends, so its state is read this often. */
const lookMs = 1000

const botSchema = z.object({ bot: z.object({ open_id: id, app_name: z.string().max(200).catch('') }) })

export interface ConnectionPorts extends EventPorts {
  readonly sdk: FeishuSdk
  readonly app: App
  readonly exit: Exit
  readonly sender: Sender
  readonly health: ConnectionHealth
  /**
   * A server that does not answer a ping of the SDK within this time is gone, in seconds. Each ping begins
   * the time anew. So it has to be shorter than the pause between two pings, which Feishu sets to 120 s.
   */
  readonly pingS: number
  readonly log: ChannelPorts['log']
}

/** Asks Feishu who the bot is. */
const introduce = async (sender: Sender): Promise<Me> => {
  const bot = botSchema.safeParse(await sender.request({ method: 'GET', url: '/open-apis/bot/v3/info' })).data
    ?.bot
  if (bot === undefined) throw failed({ kind: 'lost', code: 'BAD_ANSWER' })
  return { openId: bot.open_id, name: bot.app_name }
}

/** One connection of the SDK, which is tried once. Resolves with why it ended; never rejects. */
const hold = async (ports: ConnectionPorts, me: Me, stop: AbortSignal): Promise<CallFailure> => {
  const { sdk, app, exit, health } = ports
  const seen: { failure?: CallFailure; isReady: boolean } = { isReady: false }
  const socket = new sdk.WSClient({
    appId: app.appId,
    appSecret: app.appSecret,
    domain: app.root,
    // The SDK tells only that it failed, so the reason is taken where it occurs.
    httpInstance: {
      ...exit.instance,
      request: (options) =>
        exit.instance.request(options).catch((error: unknown) => {
          seen.failure = readFailure(error, [app.appSecret])
          throw error
        }) as Promise<never>,
    },
    source: 'hookgate',
    logger: silent,
    // The SDK waits up to 150 seconds after a first failure.
    autoReconnect: false,
    handshakeTimeoutMs: handshakeMs,
    wsConfig: { pingTimeout: ports.pingS },
    onReady: () => {
      seen.isReady = true
      ports.log('info', 'feishu connected', { bot: me.openId })
      health.reportSuccess()
    },
    onError: () => (seen.failure ??= { kind: 'lost', code: 'SOCKET' }),
  })
  const dispatcher = new sdk.EventDispatcher({ logger: silent }).register(eventHandlers(ports, me))
  const giveUpMs = performance.now() + connectMs
  try {
    await socket.start({ eventDispatcher: dispatcher })
    while (!stop.aborted && seen.failure === undefined) {
      if (seen.isReady && socket.getConnectionStatus().state !== 'connected') break
      if (!seen.isReady && performance.now() > giveUpMs) break
      await pause(seen.isReady ? lookMs : 50, undefined, { signal: stop }).catch(() => undefined)
    }
  } finally {
    socket.close({ force: true })
  }
  return seen.failure ?? { kind: 'lost', code: 'CLOSED' }
}

/** Keeps one connection until `stop` aborts. The returned promise never rejects. */
export const keepConnected = async (ports: ConnectionPorts, stop: AbortSignal): Promise<void> => {
  let me: Me | undefined
  while (!stop.aborted) {
    let failure: CallFailure
    try {
      me ??= await introduce(ports.sender)
      failure = await hold(ports, me, stop)
    } catch (error) {
      failure = readFailure(error, [ports.app.appSecret])
    }
    if (stop.aborted) return
    const delayMs = ports.health.reportFailure(failure)
    ports.log('info', 'feishu connection failed', { retry_ms: delayMs, ...failureFields(failure) })
    await pause(delayMs, undefined, { signal: stop }).catch(() => undefined)
  }
}
