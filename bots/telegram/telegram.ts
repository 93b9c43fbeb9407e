import { Api } from 'grammy'
import type { Channel, ChannelPorts } from '../../src/model/channel.ts'
import { PUSH_TYPES } from '../../src/model/content.ts'
import { createAnswers } from './answer.ts'
import { poll } from './connect.ts'
import { createHealth } from './health.ts'
import { createIdentity } from './identity.ts'
import { limits, maxCaptionUnits, maxUnits } from './payload.ts'
import { systemTimers, type Timers } from './timers.ts'
import { createTripwire } from './tripwire.ts'
import { createTyping } from './typing.ts'
import { createWriter } from './write.ts'

export interface TelegramOptions {
  readonly token: string
  /** Of the Bot API server; absent: Telegram's own. */
  readonly apiRoot?: string
  /** The chats of gate.yaml. Who is served is decided elsewhere. */
  readonly chats: readonly string[]
  /** Absent: the system's. */
  readonly timers?: Timers
}

interface Life {
  readonly controller: AbortController
  readonly polling: Promise<void>
}

const name = 'telegram'
/** A hundred updates of the greatest length fit in; more is not an answer of the Bot API. */
const maxAnswerBytes = 64 * 1024 * 1024
/** Longer than a long poll of 30 s: a connection that died in silence is given up. */
const requestTimeoutS = 45

/** The channel `telegram`: one bot, by long polling. The token stays in this closure and reaches no log and no error. */
export const createTelegram = (options: TelegramOptions, ports: ChannelPorts): Channel => {
  const { token, timers = systemTimers } = options
  const now = () => ports.now()
  const tripped = (what: string) => ports.tripped(name, what)

  const api = new Api(token, {
    timeoutSeconds: requestTimeoutS,
    // A redirect would carry the text, and the token in the address, to a place that nobody chose.
    baseFetchConfig: { redirect: 'error', size: maxAnswerBytes },
    ...(options.apiRoot === undefined ? {} : { apiRoot: options.apiRoot.replace(/\/+$/, '') }),
  })
  const tripwire = createTripwire(ports.menu, tripped)
  api.config.use(tripwire.transformer)

  const health = createHealth({ now, trouble: (why, isBack) => ports.trouble(name, why, isBack) })
  const typing = createTyping(api, timers, now)
  const identity = createIdentity(api, timers)
  const answer = createAnswers({ api, token, timers, log: (level, what, fields) => ports.log(level, what, fields) })
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

  const begin = (): Life => {
    const controller = new AbortController()
    const polling = poll(
      {
        api,
        token,
        timers,
        health,
        identity,
        answer,
        menu: ports.menu,
        now,
        receive: (message) => ports.receive(message),
        log: (level, what, fields) => ports.log(level, what, fields),
      },
      controller.signal,
    )
    return { controller, polling }
  }
  let life: Life | undefined

  return {
    name,
    maxUnits,
    maxCaptionUnits,
    forms: PUSH_TYPES,
    limits,
    // Telegram counts groups and channels downwards from zero.
    isGroup: (chatId) => chatId.startsWith('-'),
    hasButtons: true,
    deliver: writer.deliver,
    readAnchor: writer.readAnchor,
    start: async () => {
      // A life that is ending confirms what it took; a new one must not run beside it.
      if (life?.controller.signal.aborted === true) await life.polling
      if (life?.controller.signal.aborted !== false) life = begin()
    },
    stop: async () => {
      typing.stop()
      life?.controller.abort()
      await life?.polling
    },
    working: (chatId, isWorking) => typing.set(chatId, isWorking),
  }
}
