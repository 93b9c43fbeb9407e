import type { MessageInterface, WechatyInterface } from 'wechaty/impls'
import type { impls } from 'wechaty-puppet'
import type { Channel, ChannelPorts, InboundFile, Limit } from '../../src/model/channel.ts'
import { formatProblem, ProblemError } from '../../src/model/problem.ts'
import { createEchoes } from './echoes.ts'
import { createLogins } from './logins.ts'
import { filesIn } from './files.ts'
import type { Loaded, LoginCode, WechatOptions } from './options.ts'
import { nameOf } from './outcome.ts'
import { findPuppet, isNotInstalled } from './puppet.ts'
import { drawCode, modulesOf } from './qr.ts'
import { readMessage } from './read.ts'
import { libraryMethods } from './methods.ts'
import { closePuppet, type PuppetGuard } from './puppet-guard.ts'
import { flawOf, MAX_UNITS, RETRY_AFTER_MS, sendParcel } from './write.ts'

/** What our own puppet does beside: it holds a message back until it is kept, knows all of its files, and shows that somebody types. */
type Puppet = impls.PuppetInterface & {
  kept?(messageId: string, what: unknown): void
  files?(messageId: string): readonly InboundFile[]
  typing?(chatId: string, isWorking: boolean): void
}

interface Connection {
  readonly bot: WechatyInterface
  readonly puppet: Puppet
  readonly guard: PuppetGuard
}

const NAME = 'wechat'
/** WeChat says when a code has expired and gives a new one; this is what a code was good for so far. */
const CODE_AGE_MS = 5 * 60_000
/** WeChat names none; other gateways keep this between two messages to one person. */
const LIMITS: readonly Limit[] = [{ of: 'chat', sends: 1, withinMs: 1500 }]

const isAddress = (code: string): boolean => /^[\x21-\x7e]{1,512}$/.test(code)

/**
 * wechaty prints message texts, and at its louder levels takes over the process's uncaught errors while it is imported.
 * Both hang on one log level, which is therefore set to silent before wechaty itself comes in.
 */
const loadWechaty = async (): Promise<Loaded> => {
  const { log } = await import('wechaty-puppet')
  log.level('silent')
  return await import('wechaty')
}

/**
 * The WeChat channel over wechaty. Nothing of wechaty loads before `start`, and wechaty always gets the one puppet that
 * was configured and closed: left to itself it would reach for a default one, and with it the internet.
 */
export const createWechat = (options: WechatOptions, ports: ChannelPorts): Channel => {
  const echoes = createEchoes()
  const { recall, remember } = options
  const logins = createLogins(
    recall === undefined || remember === undefined ? undefined : { recall, remember },
    () => ports.now(),
    (error) =>
      ports.log('warn', 'wechat: the login could not be kept; after a restart it counts as a new one', {
        error: nameOf(error),
      }),
  )
  let connection: Connection | undefined
  let latest: LoginCode | undefined
  let isTroubled = false
  let isStopping = false

  const trouble = (why: string): void => {
    isTroubled = true
    ports.trouble(NAME, why, false)
  }

  /** wechaty lets what a handler throws become an unhandled rejection, which ends the process; so nothing may leave one. */
  const guard =
    <A extends readonly unknown[]>(what: string, handler: (...args: A) => void) =>
    (...args: A): void => {
      try {
        handler(...args)
      } catch (error) {
        ports.log('error', `wechat: the handler of "${what}" failed`, { error: nameOf(error) })
      }
    }

  const showCode = (code: LoginCode | undefined): void => {
    latest = code
    if (code === undefined) options.shown?.(undefined)
    else
      void modulesOf(code.text).then(
        guard('scan', (rows) => {
          // Drawn in a moment, in which it may have been used.
          if (code === latest) options.shown?.(rows === undefined ? code : { ...code, rows })
        }),
      )
  }

  const listen = (bot: WechatyInterface, puppet: Puppet): void => {
    bot.on(
      'message',
      guard('message', (raw: MessageInterface) => {
        const message = readMessage(
          raw,
          puppet.isLoggedIn ? puppet.currentUserId : undefined,
          options.puppet === 'ilink' ? puppet.files?.(raw.id) : filesIn(raw),
        )
        const isEcho = message.origin === 'self' && echoes.isEcho(message.chat_id, message.text)
        const kept = isEcho ? undefined : ports.receive(message)
        puppet.kept?.(message.message_id, kept)
      }),
    )
    // On the puppet itself: wechaty tells of a login only after it has looked up the contact, and a message may come before.
    puppet.on(
      'login',
      guard('login', ({ contactId }: { readonly contactId: string }) => {
        const isNew = logins.began(contactId)
        ports.log('info', 'wechat: logged in')
        showCode(undefined)
        const wasTroubled = isTroubled
        isTroubled = false
        if (isNew)
          ports.trouble(
            NAME,
            'WeChat is logged in anew. Whoever owned this gate there has to pair again → /owners',
            true,
          )
        else if (wasTroubled) ports.trouble(NAME, 'WeChat is logged in.', true)
      }),
    )
    puppet.on(
      'logout',
      guard('logout', () => {
        if (!isStopping) logins.ended()
      }),
    )
    puppet.on(
      'scan',
      guard('scan', ({ qrcode = '' }: { readonly qrcode?: string }) => {
        logins.ended()
        showCode(isAddress(qrcode) ? { text: qrcode, expiresAtMs: ports.now() + CODE_AGE_MS } : undefined)
      }),
    )
    bot.on(
      'logout',
      guard('logout', () => {
        if (!isStopping)
          trouble('WeChat is logged out; nothing arrives or leaves until somebody logs in again.')
      }),
    )
    bot.on(
      'scan',
      guard('scan', (code: string) => {
        // Whoever scans it becomes the bot's account, so it goes to the owner and never to the log.
        const how =
          options.puppet === 'ilink'
            ? 'scan the QR code on hookgate’s console, or open this on a computer and scan what it shows'
            : 'scan this address as a QR code with WeChat'
        const address = isAddress(code) ? `: ${how}: ${code}` : '.'
        if (code === '') return
        trouble(`WeChat waits for a login${address}`)
        void drawCode(code).then((drawn) =>
          options.show?.(`Scan this with WeChat to log the bot in:\n${drawn ?? code}`),
        )
      }),
    )
    bot.on(
      'error',
      guard('error', (error: unknown) => {
        ports.log('warn', 'wechat: wechaty reported an error', { error: nameOf(error) })
        if (!puppet.isLoggedIn && !isStopping) trouble(`WeChat cannot connect (${nameOf(error)}).`)
      }),
    )
  }

  const ownPuppet = async (): Promise<object> => {
    const { createPuppet } = await import('./ilink/puppet.ts')
    return createPuppet(options.ilink ?? {}, {
      now: () => ports.now(),
      elapsedMs: () => ports.elapsedMs(),
      log: ports.log,
      trouble: (why, isBack) => ports.trouble(NAME, why, isBack),
      ...(options.number === undefined ? {} : { number: options.number }),
    })
  }

  const connect = async (): Promise<Connection | undefined> => {
    const wechaty = await (options.load ?? loadWechaty)().catch((error: unknown) => {
      trouble(
        isNotInstalled(error)
          ? 'The package wechaty is not installed; run "npm install wechaty wechaty-puppet" where hookgate is installed, then restart.'
          : `The package wechaty could not be loaded (${nameOf(error)}); install it again, then restart.`,
      )
    })
    if (wechaty === undefined) return undefined
    const puppet = (
      options.puppet === 'ilink' ? await ownPuppet() : await findPuppet(options.puppet)
    ) as Puppet
    const guard = closePuppet(puppet, (method) => ports.tripped(NAME, method))
    const bot = wechaty.WechatyBuilder.build({ puppet })
    listen(bot, puppet)
    return { bot, puppet, guard }
  }

  return {
    name: NAME,
    maxUnits: MAX_UNITS,
    forms: ['text', 'error', 'photo', 'document', 'album', 'location', 'contact'],
    isPlain: true,
    limits: LIMITS,
    hasButtons: false,
    login: logins.current,
    ...(options.puppet === 'ilink'
      ? { working: (chatId: string, isWorking: boolean) => connection?.puppet.typing?.(chatId, isWorking) }
      : {}),

    methods: () => libraryMethods(connection?.puppet ?? {}),

    async start() {
      isStopping = false
      try {
        await logins.restore()
        connection ??= await connect()
        await connection?.bot.start()
      } catch (error) {
        trouble(
          error instanceof ProblemError
            ? formatProblem(error.problem)
            : `WeChat could not be started (${nameOf(error)}).`,
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

    async deliver(parcel) {
      if (!ports.isAdmitted(parcel)) {
        ports.tripped(NAME, 'deliver')
        return { kind: 'failed', why: 'The message did not come through the dispatcher, so it was refused.' }
      }
      const flaw = flawOf(parcel)
      if (flaw !== undefined) return { kind: 'failed', why: flaw }
      if (connection === undefined || isStopping || !connection.puppet.isLoggedIn) {
        return { kind: 'retry', afterMs: RETRY_AFTER_MS, why: 'WeChat is not logged in.' }
      }
      echoes.expect(parcel.chat_id, parcel.text)
      return await sendParcel(connection.guard, parcel, options.sendTimeoutMs)
    },
  }
}
