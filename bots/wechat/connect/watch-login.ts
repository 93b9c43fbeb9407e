import { prose } from '../../../src/core/model/chat/prose.ts'
import type { WechatyInterface } from 'wechaty/impls'
import type { ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import type { Bounded } from './error-boundary.ts'
import { isAddress, loginCodeOf } from './login-code.ts'
import type { Logins } from './logins.ts'
import type { LoginCode, WechatOptions } from '../options.ts'
import { nameOf } from '../outcome.ts'
import type { Puppet } from './puppet.ts'
import { drawCode } from './qr.ts'
import type { Trouble } from './trouble.ts'
import { ourWords } from '../../../src/shared/said/our-words.ts'

export interface LoginWatchPorts extends Pick<ChannelPorts, 'now' | 'log'> {
  readonly options: Pick<WechatOptions, 'puppet' | 'show'>
  readonly logins: Pick<Logins, 'began' | 'ended'>
  readonly trouble: Trouble
  readonly bounded: Bounded
  /** Gives the code to the page. Undefined means that there is no code any more. */
  showCode(code: LoginCode | undefined): void
  /** True while hookgate itself ends the connection. Then no logout is reported. */
  isStopping(): boolean
}

/**
 * Names each login. It listens to the puppet itself, because wechaty reports a login only after it has loaded
 * the contact. A message may arrive before that.
 */
const followLogins = (puppet: Puppet, { logins, trouble, bounded, ...ports }: LoginWatchPorts): void => {
  puppet.on(
    'login',
    bounded('login', ({ contactId }: { readonly contactId: string }) => {
      const isNew = logins.began(contactId)
      ports.log('info', 'wechat: logged in')
      ports.showCode(undefined)
      trouble.end(isNew ? prose`a new login. The owners on WeChat have to pair again → /owners` : undefined)
    }),
  )
  puppet.on(
    'logout',
    bounded('logout', () => {
      if (!ports.isStopping()) logins.ended()
    }),
  )
  puppet.on(
    'scan',
    bounded('scan', ({ qrcode = '' }: { readonly qrcode?: string }) => {
      logins.ended()
      ports.showCode(loginCodeOf(qrcode, ports.now()))
    }),
  )
}

/** Tells the owners when nobody is logged in, and shows the code to scan on the console. */
const reportLogouts = (
  bot: WechatyInterface,
  puppet: Puppet,
  { options, trouble, bounded, isStopping, log }: LoginWatchPorts,
): void => {
  bot.on(
    'logout',
    bounded('logout', () => {
      if (!isStopping())
        trouble.report(
          prose`not connected, nobody is logged in. No message arrives or leaves until somebody logs in again.`,
        )
    }),
  )
  bot.on(
    'scan',
    bounded('scan', (code: string) => {
      // The account that scans the code becomes the bot. So only the owners see the code, and the log never
      // has it.
      if (code === '') return
      const waits = prose`not connected, it waits for a login.`
      if (!isAddress(code)) trouble.report(waits)
      else if (options.puppet === 'ilink')
        trouble.report(
          prose`${waits} Scan the QR code on hookgate’s console, or open this address on a computer and scan the code that it shows: ${code}`,
        )
      else trouble.report(prose`${waits} Scan this address as a QR code with WeChat: ${code}`)
      void drawCode(code).then((drawn) =>
        options.show?.(`Scan this code with WeChat to log the bot in:\n${drawn ?? code}`),
      )
    }),
  )
  bot.on(
    'error',
    bounded('error', (error: unknown) => {
      log('warn', 'wechat: wechaty reported an error', { error: nameOf(error) })
      if (!puppet.isLoggedIn && !isStopping())
        trouble.report(prose`not connected (${ourWords(nameOf(error))}).`)
    }),
  )
}

/** Follows the login of the bot, from the code to the logout. */
export const watchLogin = (bot: WechatyInterface, puppet: Puppet, ports: LoginWatchPorts): void => {
  followLogins(puppet, ports)
  reportLogouts(bot, puppet, ports)
}
