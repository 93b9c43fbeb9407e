import { prose, type Prose } from '../../src/core/model/chat/prose.ts'
import type { Channel, ChannelPorts, Limit } from '../../src/core/model/chat/channel.ts'
import { ProblemError } from '../../src/core/model/gate/problem.ts'
import { connect, type Connection } from './connect/connect.ts'
import { createEchoes } from './echoes.ts'
import { createErrorBoundary } from './connect/error-boundary.ts'
import { createCodeDisplay } from './connect/login-code.ts'
import { createLogins } from './connect/logins.ts'
import { libraryMethods } from './methods.ts'
import type { WechatOptions } from './options.ts'
import { nameOf } from './outcome.ts'
import { receiveMessages } from './receive.ts'
import { createTrouble } from './connect/trouble.ts'
import { createSpare } from './spare.ts'
import { watchLogin } from './connect/watch-login.ts'
import { flawOf, MAX_UNITS, RETRY_AFTER_MS, deliverNow } from './write.ts'
import { ourWords, problemWords } from '../../src/shared/said/our-words.ts'

const NAME = 'wechat'
/** WeChat documents no limit. Other gateways wait this long between two messages to one person. */
const LIMITS: readonly Limit[] = [{ of: 'chat', sends: 1, withinMs: 1500 }]

/** Makes the WeChat channel over wechaty. wechaty is loaded by `start` and not before. */
export const createWechat = (options: WechatOptions, ports: ChannelPorts): Channel => {
  const echoes = createEchoes()
  const { recall, remember } = options
  const logins = createLogins(
    recall === undefined || remember === undefined ? undefined : { recall, remember },
    () => ports.now(),
    (error) =>
      ports.log('warn', 'wechat: the login could not be stored, so it counts as a new one after a restart', {
        error: nameOf(error),
      }),
  )
  const tell = (what: Prose, isBack: boolean): void => ports.trouble(NAME, what, isBack)
  const trouble = createTrouble(tell)
  const log: ChannelPorts['log'] = (level, what, fields) => ports.log(level, what, fields)
  const bounded = createErrorBoundary(log)
  const showCode = createCodeDisplay(options.shown, bounded)
  const isOwnPuppet = options.puppet === 'ilink'
  let connection: Connection | undefined
  const spare = createSpare({
    left: (chatId) => connection?.puppet.left?.(chatId),
    nearlySpent: (chatId, left) => options.nearlySpent?.(chatId, left),
  })
  let isStopping = false

  const open = async (): Promise<Connection | undefined> => {
    const opened = await connect({
      options,
      now: () => ports.now(),
      elapsedMs: () => ports.elapsedMs(),
      log,
      tell,
      tripped: (method) => ports.tripped(NAME, method),
      failed: trouble.report,
    })
    if (opened === undefined) return undefined
    const { bot, puppet } = opened
    receiveMessages(bot, puppet, {
      receive: (message) => ports.receive(message),
      isEcho: echoes.isEcho,
      isOwnPuppet,
      isStopping: () => isStopping,
      log,
      bounded,
    })
    watchLogin(bot, puppet, {
      options,
      logins,
      trouble,
      bounded,
      showCode,
      isStopping: () => isStopping,
      now: () => ports.now(),
      log,
    })
    return opened
  }

  return {
    name: NAME,
    maxUnits: MAX_UNITS,
    forms: ['text', 'error', 'photo', 'document', 'album', 'location', 'contact'],
    isPlain: true,
    limits: LIMITS,
    hasButtons: false,
    login: logins.current,
    ...(isOwnPuppet
      ? { working: (chatId: string, isWorking: boolean) => connection?.puppet.typing?.(chatId, isWorking) }
      : {}),

    methods: () => libraryMethods(connection?.puppet ?? {}),

    async start() {
      isStopping = false
      try {
        await logins.restore()
        connection ??= await open()
        await connection?.bot.start()
      } catch (error) {
        trouble.report(
          error instanceof ProblemError
            ? prose`not connected. ${problemWords(error.problem)}`
            : prose`not connected, it could not be started (${ourWords(nameOf(error))}).`,
        )
      }
    },

    async stop() {
      isStopping = true
      showCode(undefined)
      try {
        await connection?.bot.stop()
      } catch (error) {
        ports.log('warn', 'wechat: stopping failed', { error: nameOf(error) })
      }
    },

    async deliver(outgoing) {
      if (!ports.isAdmitted(outgoing)) {
        ports.tripped(NAME, 'deliver')
        return { kind: 'failed', why: 'The message did not come through the dispatcher, so it was refused.' }
      }
      const flaw = flawOf(outgoing)
      if (flaw !== undefined) return { kind: 'failed', why: flaw }
      if (connection === undefined || isStopping || !connection.puppet.isLoggedIn) {
        return { kind: 'retry', afterMs: RETRY_AFTER_MS, why: 'WeChat is not logged in.' }
      }
      const refusal = spare.refuse(outgoing)
      if (refusal !== undefined) return refusal
      echoes.expect(outgoing.chat_id, outgoing.text)
      const delivery = await deliverNow(connection.guard, outgoing, options.sendTimeoutMs)
      if (delivery.kind === 'delivered') spare.delivered(outgoing)
      return delivery
    },
  }
}
