import type { Bounded } from './error-boundary.ts'
import type { LoginCode, WechatOptions } from './options.ts'
import { modulesOf } from './qr.ts'

/** WeChat says when a code has expired and gives a new one; this is what a code was good for so far. */
const codeAgeMs = 5 * 60_000

/** Whether a code is an address, which people and a page may be shown. */
export const isAddress = (code: string): boolean => /^[\x21-\x7e]{1,512}$/.test(code)

/** The code that somebody has to scan now, or none if it is no address. */
export const loginCodeOf = (code: string, nowMs: number): LoginCode | undefined =>
  isAddress(code) ? { text: code, expiresAtMs: nowMs + codeAgeMs } : undefined

/** Shows a page the code that has to be scanned now; undefined when there is none any more. */
export const createCodeDisplay = (shown: WechatOptions['shown'], bounded: Bounded) => {
  let latest: LoginCode | undefined
  return (code: LoginCode | undefined): void => {
    latest = code
    if (code === undefined) shown?.(undefined)
    else
      void modulesOf(code.text).then(
        bounded('scan', (rows) => {
          // Drawn in a moment, in which it may have been used.
          if (code === latest) shown?.(rows === undefined ? code : { ...code, rows })
        }),
      )
  }
}
