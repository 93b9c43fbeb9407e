import type { Bounded } from './error-boundary.ts'
import type { LoginCode, WechatOptions } from '../options.ts'
import { modulesOf } from './qr.ts'

/** The usual lifetime of a code. WeChat itself reports when a code has expired and gives a new one. */
const codeAgeMs = 5 * 60_000

/** True when a code is printable ASCII without spaces, so that it may be shown to people and on the page. */
export const isAddress = (code: string): boolean => /^[\x21-\x7e]{1,512}$/.test(code)

/** Makes the code that somebody has to scan now. Undefined when it may not be shown. */
export const loginCodeOf = (code: string, nowMs: number): LoginCode | undefined =>
  isAddress(code) ? { text: code, expiresAtMs: nowMs + codeAgeMs } : undefined

/** Gives the present code to the page. Undefined means that there is no code any more. */
export const createCodeDisplay = (shown: WechatOptions['shown'], bounded: Bounded) => {
  let latest: LoginCode | undefined
  return (code: LoginCode | undefined): void => {
    latest = code
    if (code === undefined) shown?.(undefined)
    else
      void modulesOf(code.text).then(
        bounded('scan', (rows) => {
          // The code may have been used while it was drawn.
          if (code === latest) shown?.(rows === undefined ? code : { ...code, rows })
        }),
      )
  }
}
