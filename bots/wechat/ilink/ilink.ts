import type { ChannelPorts } from '../../../src/model/channel.ts'
import { nameOf, SendLater } from '../outcome.ts'
import { createCard } from './card.ts'
import type { FileBytes } from '../file.ts'
import { CDN_ROOT, createCdn } from './cdn.ts'
import { createClient, ILINK_ROOT } from './client.ts'
import { logIn } from './login.ts'
import { poll } from './poll.ts'
import { createSend } from './send.ts'
import { createTyping } from './typing.ts'
import type { Inbound } from './wire.ts'

export interface ILinkOptions {
  /** The file of the session; without one a restart asks for a login. */
  readonly card?: string
  /** Another address than WeChat's, and other times, in milliseconds: for tests. */
  readonly root?: string
  readonly cdn?: string
  readonly transferMs?: number
  readonly typingMs?: number
  readonly pauseMs?: number
  readonly paceMs?: number
  readonly slowMs?: number
  readonly lookAgainMs?: number
  readonly callMs?: number
  readonly holdMs?: number
  readonly keptWithinMs?: number
}

export interface ILinkPorts extends Pick<ChannelPorts, 'log' | 'now' | 'elapsedMs'> {
  trouble(why: string, isBack: boolean): void
  /** Asks at the console for the number that the phone shows; undefined when nobody typed one. */
  number?(prompt: string, signal: AbortSignal): Promise<string | undefined>
}

/** What comes of it. `take` settles when the message is on disk. */
export interface ILinkEvents {
  /** Empty when there is none any more. */
  scan(code: string): void
  loggedIn(botId: string): void
  loggedOut(): Promise<void>
  take(message: Inbound): Promise<unknown>
}

const PAUSE_MS = 1000
const PACE_MS = 1500
const SLOW_MS = 30_000
const LOOK_AGAIN_MS = 5000
const FAREWELL_MS = 2000

/**
 * Tencent's bot interface for personal accounts: a login by QR code, one long poll, and sends that answer somebody.
 *
 * Where its facts are from, T being github.com/Tencent/openclaw-weixin, Tencent's own client (MIT):
 * - addresses, headers, bodies, the states of a login, the held poll and its cursor: T, README and src, 2.4.3
 * - what its headers say since, `bot_type` 3, ids of 64 bits, good answers without `ret`: public notes on 2.4.9
 * - the sign that somebody types, hello and farewell: T, src/api/api.ts; `ilink_user_id` is a must: chenhg5/cc-connect#1339
 * - -14: T#69 (bound elsewhere), T#155 (after long silence), T#44 (any answer without a session)
 * - -2, ten messages, a day: T#81, T#204, T#309 and riba2534/happyclaw#639; haste: chenhg5/cc-connect#1640
 * - a send without a context token is answered "good" and dropped: T#247
 * - files: T, src/cdn and src/messaging/send.ts; `upload_full_url` and the form of the key: chenhg5/cc-connect#435
 * - 2000 characters a message: NousResearch/hermes-agent, gateway/platforms/weixin.py (T splits at 4000)
 * Nobody says whether a cursor may be used twice, or whether a repeated `client_id` is one message: the first is
 * supposed, and wrong it would lose what came in at a crash; on the second nothing is built.
 */
export const createILink = (options: ILinkOptions, ports: ILinkPorts) => {
  const {
    root = ILINK_ROOT,
    cdn: cdnRoot = CDN_ROOT,
    transferMs,
    typingMs,
    pauseMs = PAUSE_MS,
    paceMs = PACE_MS,
    slowMs = SLOW_MS,
    lookAgainMs = LOOK_AGAIN_MS,
    callMs,
    holdMs,
    keptWithinMs,
  } = options
  const client = createClient(callMs === undefined ? {} : { callMs })
  const card = createCard(options.card, (what, error) =>
    ports.log('warn', `wechat: ${what}`, { error: nameOf(error) }),
  )
  const cdn = createCdn({
    client,
    root: cdnRoot,
    slowMs,
    ...(transferMs === undefined ? {} : { timeoutMs: transferMs }),
  })
  const send = createSend({
    client,
    card,
    cdn,
    now: ports.now,
    elapsedMs: ports.elapsedMs,
    paceMs,
    slowMs,
    lookAgainMs,
    trouble: (why) => ports.trouble(why, false),
  })
  const typing = createTyping({
    client,
    card,
    elapsedMs: ports.elapsedMs,
    ...(typingMs === undefined ? {} : { everyMs: typingMs }),
  })
  let stopping = new AbortController()
  let running = Promise.resolve()

  const number = async (isAgain: boolean, signal: AbortSignal): Promise<string | undefined> => {
    if (ports.number === undefined) return undefined
    if (!isAgain)
      ports.trouble(
        'WeChat asks for the number that the phone shows now: type it at hookgate’s console, then press Enter.',
        false,
      )
    return ports.number(
      isAgain
        ? 'That was not the number. Type the one that the phone shows, then press Enter:'
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
            ...(holdMs === undefined ? {} : { holdMs }),
            show: (code) => events.scan(code),
            trouble: (why) => ports.trouble(why, false),
            log: (what) => ports.log('info', `wechat: ${what}`),
          },
          signal,
        )
        if (session === undefined) return events.scan('')
        // On disk before it is used: a login that a crash forgets would ask for another scan.
        await card.keep({ session, cursor: '', contexts: new Map() })
      }
      const { session } = card.memory()
      if (session === undefined || signal.aborted) return
      events.loggedIn(session.botId)
      const end = await poll(
        {
          client,
          card,
          take: (message) => events.take(message),
          trouble: ports.trouble,
          log: ports.log,
          now: ports.now,
          pauseMs,
          ...(keptWithinMs === undefined ? {} : { keptWithinMs }),
          ...(holdMs === undefined ? {} : { holdMs }),
        },
        session,
        signal,
      )
      if (end === 'stopped') return
      await card.keep({ session: undefined, cursor: '', contexts: new Map() })
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
          `The connection to WeChat ended in a fault of hookgate (${nameOf(error)}). Restart hookgate.`,
          false,
        ),
      )
    },
    stop: async (): Promise<void> => {
      stopping.abort()
      await Promise.all([running, typing.stop()])
      const { session } = card.memory()
      // As WeChat's own client does. Nothing depends on it.
      if (session !== undefined)
        await client.post(session, 'msg/notifystop', {}, { timeoutMs: FAREWELL_MS }).catch(() => undefined)
      // The last of what left is on disk, too.
      await card.keep({})
    },
    download: cdn.download,
    typing: typing.set,
    send: async (chatId: string, what: string | FileBytes): Promise<string | undefined> => {
      const { session } = card.memory()
      if (session === undefined) throw new SendLater('WeChat is not logged in.', slowMs)
      return send(session, chatId, what)
    },
  }
}
