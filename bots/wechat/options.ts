import type { WechatyInterface } from 'wechaty/impls'
import type { impls } from 'wechaty-puppet'
import type { ILinkOptions } from './ilink/ilink.ts'
import type { LoginMemory } from './logins.ts'

/** What is used of the package wechaty. */
export interface Loaded {
  readonly WechatyBuilder: { build(options: { readonly puppet: impls.PuppetInterface }): WechatyInterface }
}

/** What a login's QR code says, and until when WeChat takes it. */
export interface LoginCode {
  readonly text: string
  readonly expiresAtMs: number
  /** Its rows, `1` for what is dark; absent where the package that draws it is not installed. */
  readonly rows?: readonly string[]
}

export interface WechatOptions extends Partial<LoginMemory> {
  /** `ilink`, hookgate's own; else a puppet, or the name of an installed package that has one. */
  readonly puppet: string | object
  readonly ilink?: ILinkOptions
  /** Shows a login's QR code to whoever sits at the console. */
  readonly show?: (lines: string) => void
  /** The code that whoever logs the bot in has to scan, for a page that draws it; undefined when there is none any more. Whoever sees it can become the bot. */
  readonly shown?: (qr: LoginCode | undefined) => void
  /** Asks there for a number; undefined when nobody typed one. */
  readonly number?: (prompt: string, signal: AbortSignal) => Promise<string | undefined>
  /** Brings wechaty in; only tests give another. */
  readonly load?: () => Promise<Loaded>
  /** How long a send may take before its outcome counts as unknown. */
  readonly sendTimeoutMs?: number
}
