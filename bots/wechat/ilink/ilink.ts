import { prose } from '../../../src/core/model/chat/prose.ts'
import { nameOf, SendLater } from '../outcome.ts'
import { createCard } from './card.ts'
import type { FileBytes } from '../file.ts'
import { CDN_ROOT, createCdn } from './cdn.ts'
import { createClient, ILINK_ROOT } from './client.ts'
import { usualTimes, type ILinkPorts, type ILinkContext, type Times } from './context.ts'
import { logIn } from './login.ts'
import { poll } from './poll.ts'
import { createSend, MAX_SENT } from './send.ts'
import { createTyping } from './typing.ts'
import type { Inbound } from './wire.ts'
import { ourWords } from '../../../src/shared/said/our-words.ts'

export interface ILinkOptions extends Partial<Times> {
  /** The path of the session's file. Without it, somebody has to log in after each restart. */
  readonly card?: string
  /** Other URLs than WeChat's. Only tests set them, and the times. */
  readonly root?: string
  readonly cdn?: string
}

/** The events of the connection. The promise of `take` settles when the message is on disk. */
export interface ILinkEvents {
  /** A new QR code. An empty text means that there is no code any more. */
  readonly scan: (code: string) => void
  loggedIn(botId: string): void
  loggedOut(): Promise<void>
  readonly take: (message: Inbound) => Promise<unknown>
}

const NOTIFY_STOP_TIMEOUT_MS = 2000

/**
 * Connects to Tencent's bot interface for personal accounts. It has a login by QR code, one long poll, and
 * sends that answer a person who wrote before.
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
 * that arrive during a crash are lost. Whether a repeated `client_id` makes one message is unknown, and
 * hookgate does not rely on it.
 */
export const createILink = (
  { card: path, root = ILINK_ROOT, cdn: cdnRoot = CDN_ROOT, ...given }: ILinkOptions,
  ports: ILinkPorts,
) => {
  const times: Times = { ...usualTimes, ...given }
  const client = createClient(times.callMs)
  const card = createCard(path, (what, error) =>
    ports.log('warn', `wechat: ${what}`, { error: nameOf(error) }),
  )
  const link: ILinkContext = { ...ports, client, card, root, times }
  const cdn = createCdn(link, cdnRoot)
  const send = createSend(link, cdn)
  const typing = createTyping(link)
  let stopping = new AbortController()
  let running = Promise.resolve()

  const run = async (events: ILinkEvents, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      if (card.memory().session === undefined) {
        const session = await logIn(link, events.scan, signal)
        if (session === undefined) return events.scan('')
        // The session is stored before it is used. Otherwise a crash would lose it and somebody would have to
        // scan again.
        await card.update({ session, cursor: '', contexts: new Map() })
      }
      const { session } = card.memory()
      if (session === undefined || signal.aborted) return
      events.loggedIn(session.botId)
      const pollEnd = await poll(link, events.take, session, signal)
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
          prose`not connected, because of a fault in hookgate (${ourWords(nameOf(error))}). Restart hookgate.`,
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
      if (session === undefined) throw new SendLater('WeChat is not logged in.', times.backoffMs)
      return send(session, chatId, what)
    },
  }
}
