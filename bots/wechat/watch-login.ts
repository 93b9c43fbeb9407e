import type { WechatyInterface } from 'wechaty/impls'
import type { ChannelPorts } from '../../src/model/channel.ts'
import type { Bounded } from './error-boundary.ts'
import { isAddress, loginCodeOf } from './login-code.ts'
import type { Logins } from './logins.ts'
import type { LoginCode, WechatOptions } from './options.ts'
import { nameOf } from './outcome.ts'
import type { Puppet } from './puppet.ts'
import { drawCode } from './qr.ts'
import type { Trouble } from './trouble.ts'

export interface LoginWatchPorts extends Pick<ChannelPorts, 'now' | 'log'> {
  readonly options: Pick<WechatOptions, 'puppet' | 'show'>
  readonly logins: Pick<Logins, 'began' | 'ended'>
  readonly trouble: Trouble
  readonly bounded: Bounded
  /** Shows a page the code to scan, or that there is none any more. */
  showCode(code: LoginCode | undefined): void
  /** While hookgate itself ends the connection, nothing of it is news. */
  isStopping(): boolean
}

/** Names each login. It is heard on the puppet itself: wechaty tells of a login only after it has looked up the contact, and a message may come before. */
const followLogins = (puppet: Puppet, { logins, trouble, bounded, ...ports }: LoginWatchPorts): void => {
  puppet.on(
    'login',
    bounded('login', ({ contactId }: { readonly contactId: string }) => {
      const isNew = logins.began(contactId)
      ports.log('info', 'wechat: logged in')
      ports.showCode(undefined)
      trouble.end(
        isNew
          ? 'WeChat is logged in anew. Whoever owned this gate there has to pair again → /owners'
          : undefined,
      )
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

/** Tells the owners that nobody is logged in, and whoever sits at the console what to scan. */
const reportLogouts = (
  bot: WechatyInterface,
  puppet: Puppet,
  { options, trouble, bounded, isStopping, log }: LoginWatchPorts,
): void => {
  bot.on(
    'logout',
    bounded('logout', () => {
      if (!isStopping())
        trouble.report('WeChat is logged out; nothing arrives or leaves until somebody logs in again.')
    }),
  )
  bot.on(
    'scan',
    bounded('scan', (code: string) => {
      // Whoever scans it becomes the bot's account, so it goes to the owner and never to the log.
      const how =
        options.puppet === 'ilink'
          ? 'scan the QR code on hookgate’s console, or open this on a computer and scan what it shows'
          : 'scan this address as a QR code with WeChat'
      const address = isAddress(code) ? `: ${how}: ${code}` : '.'
      if (code === '') return
      trouble.report(`WeChat waits for a login${address}`)
      void drawCode(code).then((drawn) =>
        options.show?.(`Scan this with WeChat to log the bot in:\n${drawn ?? code}`),
      )
    }),
  )
  bot.on(
    'error',
    bounded('error', (error: unknown) => {
      log('warn', 'wechat: wechaty reported an error', { error: nameOf(error) })
      if (!puppet.isLoggedIn && !isStopping()) trouble.report(`WeChat cannot connect (${nameOf(error)}).`)
    }),
  )
}

/** Follows who the bot is logged in as, from the code that somebody scans to the logout. */
export const watchLogin = (bot: WechatyInterface, puppet: Puppet, ports: LoginWatchPorts): void => {
  followLogins(puppet, ports)
  reportLogouts(bot, puppet, ports)
}
