import { randomBytes } from 'node:crypto'
import { Api, type ApiClientOptions, type WebhookReplyEnvelope } from 'grammy'
import type { Channel, ChannelPorts } from '../../src/core/model/chat/channel.ts'
import { PUSH_TYPES } from '../../src/core/model/chat/content.ts'
import { createAnswers } from './read/answer.ts'
import { groupOf } from './chat-id.ts'
import { setChatMenu, type ChosenLanguage } from './connect/introduce.ts'
import { poll } from './connect/poll.ts'
import { createFiles } from './read/files.ts'
import { createHealth } from './connect/health.ts'
import { libraryMethods } from './tripwire/library.ts'
import { createIdentity } from './identity.ts'
import { limits, maxCaptionUnits, maxUnits } from './write/payload.ts'
import { createUpdateHandler } from './read/handle-update.ts'
import { systemTimers, type Timers } from './timers.ts'
import { createTripwire } from './tripwire/tripwire.ts'
import { createTyping } from './write/typing.ts'
import { leaveWebhook, serveWebhook, type WebhookOptions } from './connect/webhook.ts'
import { setWebhookCall } from './connect/webhook-calls.ts'
import { createWriter, uploadTimeoutMs } from './write/writer.ts'

export interface TelegramOptions {
  readonly token: string
  /** The URL of the Bot API server. Absent: Telegram's own server. */
  readonly apiRoot?: string
  /** The chats that gate.yaml names. This bot does not decide who is served. */
  readonly chats: readonly string[]
  /** Absent: the bot polls. */
  readonly webhook?: WebhookOptions
  /**
   * Reads the webhook URL that an earlier start gave to Telegram. It gives an empty text when there is none.
   * Without this function, nothing is known of earlier starts.
   */
  recall?(): Promise<string | undefined>
  remember?(url: string): Promise<void>
  /** The chats whose people chose a language, the latest first. Absent: there are none. */
  languages?(): readonly ChosenLanguage[]
  /** Each connection tells the bot's username, as Telegram names it. */
  named?(username: string): void
  /** Absent: the system's timers. */
  readonly timers?: Timers
  /** Absent: the real network. Tests use it to record what would be sent. */
  readonly stand?: Stand
}

/** Replaces the network of grammY's `Api`. `lend` gets the `Api`, as a grammY plugin would. */
export interface Stand {
  readonly network: {
    readonly client: Pick<ApiClientOptions, 'fetch' | 'canUseWebhookReply'>
    readonly envelope: WebhookReplyEnvelope
  }
  lend(api: Api): void
}

/** One run of the connection, from start to stop. */
interface Connection {
  readonly controller: AbortController
  readonly ended: Promise<void>
}

const name = 'telegram'
const telegramRoot = 'https://api.telegram.org'
/** One hundred updates of the greatest length fit into this. The Bot API sends no larger answer. */
const maxAnswerBytes = 64 * 1024 * 1024
/** grammY's own limit. It never applies, because each call has a shorter time limit. */
const requestTimeoutS = uploadTimeoutMs / 1000 + 30

/**
 * Makes the channel `telegram`, which serves one bot by long polling or by webhook. No log entry and no error
 * contains the token.
 */
export const createTelegram = (options: TelegramOptions, ports: ChannelPorts): Channel => {
  const {
    token,
    webhook,
    stand,
    timers = systemTimers,
    recall = async () => undefined,
    remember = async () => undefined,
  } = options
  const now = () => ports.now()
  const elapsedMs = () => ports.elapsedMs()
  const tripped = (what: string) => ports.tripped(name, what)

  const apiRoot = (options.apiRoot ?? telegramRoot).replace(/\/+$/, '')
  const api = new Api(
    token,
    {
      timeoutSeconds: requestTimeoutS,
      // A redirect would send the text, and the token that is in the URL, to a server that nobody chose.
      baseFetchConfig: { redirect: 'error', size: maxAnswerBytes },
      apiRoot,
      ...stand?.network.client,
    },
    stand?.network.envelope,
  )
  const files = createFiles({ api, apiRoot, token, timers })
  // Each start makes a new secret, so a secret from an earlier start no longer works.
  const call =
    webhook === undefined ? undefined : setWebhookCall(webhook.url, randomBytes(32).toString('base64url'))
  const tripwire = createTripwire(ports.menu, tripped, { webhook: call, isKnownFile: files.isKnown })
  api.config.use(tripwire.transformer)
  stand?.lend(api)

  const health = createHealth({ elapsedMs, trouble: (why, isBack) => ports.trouble(name, why, isBack) })
  const typing = createTyping(api, timers, elapsedMs)
  const identity = createIdentity(api, timers)
  const answer = createAnswers({
    api,
    token,
    timers,
    log: (level, what, fields) => ports.log(level, what, fields),
  })
  const writer = createWriter({
    api,
    token,
    timers,
    identity,
    tripped,
    mint: (method, payload) => tripwire.mint(method, payload),
    isAdmitted: (outgoing) => ports.isAdmitted(outgoing),
    trouble: (why, isBack) => ports.trouble(name, why, isBack),
    log: (what, fields) => ports.log('warn', what, fields),
  })

  const log: ChannelPorts['log'] = (level, what, fields) => ports.log(level, what, fields)
  const handleUpdate = createUpdateHandler({
    answer,
    fetchFile: files.fetchFile,
    receive: (message) => ports.receive(message),
    log,
  })
  const parts = {
    api,
    token,
    timers,
    health,
    identity,
    handleUpdate,
    menu: ports.menu,
    now,
    elapsedMs,
    log,
    named: (username: string) => options.named?.(username),
    languages: () => options.languages?.() ?? [],
  }
  const connect = (): Connection => {
    const controller = new AbortController()
    const { signal } = controller
    const ended =
      webhook === undefined || call === undefined
        ? poll(
            {
              ...parts,
              leaveWebhook: (stopSignal) => leaveWebhook({ api, timers, recall, remember }, stopSignal),
            },
            signal,
          )
        : serveWebhook({ ...parts, options: webhook, call, remember }, signal)
    return { controller, ended }
  }
  let connection: Connection | undefined

  return {
    name,
    maxUnits,
    maxCaptionUnits,
    forms: PUSH_TYPES,
    limits,
    groupOf,
    hasButtons: true,
    deliver: writer.deliver,
    readAnchor: writer.readAnchor,
    methods: libraryMethods,
    start: async () => {
      // A stopping connection still confirms the updates that it took. A second connection must not run
      // beside it.
      if (connection?.controller.signal.aborted === true) await connection.ended
      if (connection?.controller.signal.aborted !== false) connection = connect()
    },
    stop: async () => {
      typing.stop()
      connection?.controller.abort()
      await connection?.ended
    },
    readsIn: (chat_id, language) => void setChatMenu(parts, { chat_id, language }),
    working: (chatId, isWorking) => typing.set(chatId, isWorking),
  }
}
