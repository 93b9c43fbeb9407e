import type { WechatyInterface } from 'wechaty/impls'
import type { impls } from 'wechaty-puppet'
import type { ILinkOptions } from './ilink/ilink.ts'
import type { LoginMemory } from './connect/logins.ts'

/** The part of the package wechaty that is used. */
export interface Loaded {
  readonly WechatyBuilder: { build(options: { readonly puppet: impls.PuppetInterface }): WechatyInterface }
}

/** The content of a login's QR code and the time when it expires. */
export interface LoginCode {
  readonly text: string
  readonly expiresAtMs: number
  /**
   * The rows of the code. `1` is a dark square. Absent when the package that draws the code is not installed.
   */
  readonly rows?: readonly string[]
}

export interface WechatOptions extends Partial<LoginMemory> {
  /**
   * `ilink` is hookgate's own puppet. Otherwise this is a puppet object, or the name of an installed package
   * that
   * exports one.
   */
  readonly puppet: string | object
  readonly ilink?: ILinkOptions
  /** Shows a login's QR code on the console. */
  readonly show?: (lines: string) => void
  /**
   * Gives the code of the login to the page that draws it. Undefined means that there is no code any more.
   * Anybody who sees the code can log in as the bot.
   */
  readonly shown?: (qr: LoginCode | undefined) => void
  /** Asks for a number on the console. Undefined when nobody typed one. */
  readonly number?: (prompt: string, signal: AbortSignal) => Promise<string | undefined>
  /**
   * Tells a person that only so many messages are left until that person writes, and that they are kept for
   * what hookgate itself says.
   */
  readonly nearlySpent?: (chatId: string, left: number) => void
  /** Loads wechaty. Only tests set this. */
  readonly load?: () => Promise<Loaded>
  /** A send that takes longer than this has the outcome `unknown`. */
  readonly sendTimeoutMs?: number
}
