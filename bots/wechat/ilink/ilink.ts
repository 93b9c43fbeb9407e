import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { nameOf, SendLater } from '../outcome.ts'
import { createCard } from './card.ts'
import type { FileBytes } from '../file.ts'
import { CDN_ROOT, createCdn } from './cdn.ts'
import { createClient, ILINK_ROOT } from './client.ts'
import { logIn } from './login.ts'
import { poll } from './poll.ts'
import { createSend, MAX_SENT } from './send.ts'
import { createTyping } from './typing.ts'
import type { Inbound } from './wire.ts'

export interface ILinkOptions {
  /** The path of the session's file. Without it, somebody has to log in after each restart. */
  readonly card?: string
  /** The following options are for tests: other URLs than WeChat's, and other times in milliseconds. */
  readonly root?: string
  readonly cdn?: string
  readonly transferMs?: number
  readonly typingMs?: number
  readonly pauseMs?: number
  readonly sendIntervalMs?: number
  readonly backoffMs?: number
  readonly recheckMs?: number
  readonly callMs?: number
  readonly holdMs?: number
  readonly storeTimeoutMs?: number
}

export interface ILinkPorts extends Pick<ChannelPorts, 'log' | 'now' | 'elapsedMs'> {
  trouble(why: string, isBack: boolean): void
  /** Asks on the console for the number that the phone shows. Undefined when nobody typed one. */
  number?(prompt: string, signal: AbortSignal): Promise<string | undefined>
}

/** The events of the connection. The promise of `take` settles when the message is on disk. */
export interface ILinkEvents {
  /** A new QR code. An empty text means that there is no code any more. */
  scan(code: string): void
  loggedIn(botId: string): void
  loggedOut(): Promise<void>
  take(message: Inbound): Promise<unknown>
}

const PAUSE_MS = 1000
const SEND_INTERVAL_MS = 1500
const BACKOFF_MS = 30_000
const RECHECK_MS = 5000
const NOTIFY_STOP_TIMEOUT_MS = 2000

/**
 * Connects to Tencent's bot interface for personal accounts. It has a login by QR code, one long poll, and
 * sends
 * that answer a person who wrote before.
 *
 * The sources of its facts follow. T is github.com/Tencent/openclaw-weixin, Tencent's own client (MIT).
 * - URLs, headers, bodies, the states of a login, the long poll and its cursor: T, README and src, 2.4.3
 * - later headers, `bot_type` 3, ids of 64 bits, successful answers without `ret`: public notes on 2.4.9
 * - the typing sign, `notifystart` and `notifystop`: T, src/api/api.ts; `ilink_user_id` is required:
 *   chenhg5/cc-connect#1339
 * - -14: T#69 (the account was bound elsewhere), T#155 (after a long silence), T#44 (any answer without a
 * session)
 * - -2, ten messages, a day: T#81, T#204, T#309 and riba2534/happyclaw#639; sends in quick succession:
 *   chenhg5/cc-connect#1640
 * - a send without a context token is answered as successful and dropped: T#247
 * - files: T, src/cdn and src/messaging/send.ts; `upload_full_url` and the form of the key:
 * chenhg5/cc-connect#435
 * - 2000 characters in a message: NousResearch/hermes-agent, gateway/platforms/weixin.py (T splits at 4000)
 *
 * Two facts are not documented. hookgate assumes that a cursor may be used twice; if that is wrong, messages
 * that
 * arrive during a crash are lost. Whether a repeated `client_id` makes one message is unknown, and hookgate
 * does
 * not rely on it.
 */
export const createILink = (options: ILinkOptions, ports: ILinkPorts) => {
  const {
    root = ILINK_ROOT,
    cdn: cdnRoot = CDN_ROOT,
    transferMs,
    typingMs,
    pauseMs = PAUSE_MS,
    sendIntervalMs = SEND_INTERVAL_MS,
    backoffMs = BACKOFF_MS,
    recheckMs = RECHECK_MS,
    callMs,
    holdMs,
    storeTimeoutMs,
  } = options
  const client = createClient({ callMs })
  const card = createCard(options.card, (what, error) =>
    ports.log('warn', `wechat: ${what}`, { error: nameOf(error) }),
  )
  const cdn = createCdn({
    client,
    root: cdnRoot,
    backoffMs,
    timeoutMs: transferMs,
  })
  const send = createSend({
    client,
    card,
    cdn,
    now: ports.now,
    elapsedMs: ports.elapsedMs,
    sendIntervalMs,
    backoffMs,
    recheckMs,
    trouble: (why) => ports.trouble(why, false),
  })
  const typing = createTyping({
    client,
    card,
    elapsedMs: ports.elapsedMs,
    everyMs: typingMs,
  })
  let stopping = new AbortController()
  let running = Promise.resolve()

  const number = async (isAgain: boolean, signal: AbortSignal): Promise<string | undefined> => {
    if (ports.number === undefined) return undefined
    if (!isAgain)
      ports.trouble(
        'WeChat asks for the number that the phone shows now. Type it on hookgate’s console, then press Enter.',
        false,
      )
    return ports.number(
      isAgain
        ? 'The number was wrong. Type the number that the phone shows, then press Enter:'
        : 'Type the number that WeChat shows on the phone, then press Enter:',
      signal,
    )
  }

  const run = async (events: ILinkEvents, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      if (card.memory().session === undefined) {
        const session = await logIn(
          {
            client,
            root,
            pauseMs,
            number,
            holdMs,
            show: (code) => events.scan(code),
            trouble: (why) => ports.trouble(why, false),
            log: (what) => ports.log('info', `wechat: ${what}`),
          },
          signal,
        )
        if (session === undefined) return events.scan('')
        // The session is stored before it is used. Otherwise a crash would lose it and somebody would have to
        // scan again.
        await card.update({ session, cursor: '', contexts: new Map() })
      }
      const { session } = card.memory()
      if (session === undefined || signal.aborted) return
      events.loggedIn(session.botId)
      const pollEnd = await poll(
        {
          client,
          card,
          take: (message) => events.take(message),
          trouble: ports.trouble,
          log: ports.log,
          now: ports.now,
          pauseMs,
          storeTimeoutMs,
          holdMs,
        },
        session,
        signal,
      )
      if (pollEnd === 'stopped') return
      await card.update({ session: undefined, cursor: '', contexts: new Map() })
      await events.loggedOut()
    }
  }

  return {
    start: async (events: ILinkEvents): Promise<void> => {
      stopping = new AbortController()
      const { signal } = stopping
      await card.load()
      running = run(events, signal).catch((error: unknown) =>
        ports.trouble(
          `The connection to WeChat ended because of a fault in hookgate (${nameOf(error)}). Restart hookgate.`,
          false,
        ),
      )
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      await Promise.all([running, typing.stop()])
      const { session } = card.memory()
      // WeChat's own client does this too. A failure has no effect.
      if (session !== undefined)
        await client
          .post(session, 'msg/notifystop', {}, { timeoutMs: NOTIFY_STOP_TIMEOUT_MS })
          .catch(() => undefined)
      // This waits until the last change is on disk.
      await card.update({})
    },
    download: cdn.download,
    typing: typing.set,
    /** How many messages a person gets before that person has to write again. Undefined: it is not known. */
    left: (chatId: string): number | undefined => {
      const context = card.memory().contexts.get(chatId)
      return context === undefined ? undefined : Math.max(0, MAX_SENT - context.sent)
    },
    send: async (chatId: string, what: string | FileBytes): Promise<string | undefined> => {
      const { session } = card.memory()
      if (session === undefined) throw new SendLater('WeChat is not logged in.', backoffMs)
      return send(session, chatId, what)
    },
  }
}
