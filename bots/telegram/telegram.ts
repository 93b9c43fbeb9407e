import { randomBytes } from 'node:crypto'
import { Api, type ApiClientOptions, type WebhookReplyEnvelope } from 'grammy'
import type { Channel, ChannelPorts } from '../../src/model/channel.ts'
import { PUSH_TYPES } from '../../src/model/content.ts'
import { createAnswers } from './answer.ts'
import { groupOf } from './chat-id.ts'
import { poll } from './connect.ts'
import { createFiles } from './files.ts'
import { createHealth } from './health.ts'
import { libraryMethods } from './library.ts'
import { createIdentity } from './identity.ts'
import { limits, maxCaptionUnits, maxUnits } from './payload.ts'
import { createUpdateHandler } from './handle-update.ts'
import { systemTimers, type Timers } from './timers.ts'
import { createTripwire } from './tripwire.ts'
import { createTyping } from './typing.ts'
import { leaveWebhook, serveWebhook, type WebhookOptions } from './webhook.ts'
import { setWebhookCall } from './webhook-calls.ts'
import { createWriter, uploadTimeoutMs } from './write.ts'

export interface TelegramOptions {
  readonly token: string
  /** Of the Bot API server; absent: Telegram's own. */
  readonly apiRoot?: string
  /** The chats of gate.yaml. Who is served is decided elsewhere. */
  readonly chats: readonly string[]
  /** Absent: it polls. */
  readonly webhook?: WebhookOptions
  /** The address that an earlier start gave to Telegram; empty: none. Absent: it is known to nobody. */
  recall?(): Promise<string | undefined>
  remember?(url: string): Promise<void>
  /** Absent: the system's. */
  readonly timers?: Timers
  /** Absent: the network. Tests record with it what would leave. */
  readonly stand?: Stand
}

/** What an Api sends and receives by, and who is given what a plugin would hold. */
export interface Stand {
  readonly network: {
    readonly client: Pick<ApiClientOptions, 'fetch' | 'canUseWebhookReply'>
    readonly envelope: WebhookReplyEnvelope
  }
  lend(api: Api): void
}

interface Life {
  readonly controller: AbortController
  readonly ended: Promise<void>
}

const name = 'telegram'
const telegramRoot = 'https://api.telegram.org'
/** A hundred updates of the greatest length fit in; more is not an answer of the Bot API. */
const maxAnswerBytes = 64 * 1024 * 1024
/** Each call has a shorter limit of its own. */
const requestTimeoutS = uploadTimeoutMs / 1000 + 30

/** The channel `telegram`: one bot, by long polling or by webhook. The token stays in this closure and reaches no log and no error. */
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
      // A redirect would carry the text, and the token in the address, to a place that nobody chose.
      baseFetchConfig: { redirect: 'error', size: maxAnswerBytes },
      apiRoot,
      ...stand?.network.client,
    },
    stand?.network.envelope,
  )
  const files = createFiles({ api, apiRoot, token, timers })
  // Minted at each start: who learned an earlier one knocks in vain.
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
    isAdmitted: (parcel) => ports.isAdmitted(parcel),
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
  const parts = { api, token, timers, health, identity, handleUpdate, menu: ports.menu, now, elapsedMs, log }
  const begin = (): Life => {
    const controller = new AbortController()
    const { signal } = controller
    const ended =
      webhook === undefined || call === undefined
        ? poll(
            { ...parts, leaveWebhook: (life) => leaveWebhook({ api, timers, recall, remember }, life) },
            signal,
          )
        : serveWebhook({ ...parts, options: webhook, call, remember }, signal)
    return { controller, ended }
  }
  let life: Life | undefined

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
      // A life that is ending confirms what it took; a new one must not run beside it.
      if (life?.controller.signal.aborted === true) await life.ended
      if (life?.controller.signal.aborted !== false) life = begin()
    },
    stop: async () => {
      typing.stop()
      life?.controller.abort()
      await life?.ended
    },
    working: (chatId, isWorking) => typing.set(chatId, isWorking),
  }
}
