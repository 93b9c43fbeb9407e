import { fold } from '../disguises/fold.ts'
import { written } from '../disguises/reading.ts'
import type { Span } from '../span.ts'
import { findAccounts } from './accounts.ts'
import { findCards } from './cards.ts'
import { findPhones } from './phones.ts'

/** It is looked for at each `@`, from there to both sides. */
const addresses =
  /(?<=([\p{L}\p{N}._%+'-]{1,64}))@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu
/** `logo@2x.png` is a file, `getty@tty1.service` a unit of systemd. */
const isName =
  /\.(?:png|jpe?g|gif|webp|svg|ico|pdf|m?[jt]sx?|css|html?|json|md|zip|t?gz|service|socket|timer|target|mount|slice)$|^(?:this|super|return)@/i
/** `https://name:word@host` signs in, and `git@host:` is a repository. */
const isLogin = /:\/\/[^\s/@]*$/

const findEmails = (text: string): readonly Span[] =>
  [...text.matchAll(addresses)].flatMap(({ 0: domain, 1: name = '', index }) => {
    const [start, end] = [index - name.length, index + domain.length]
    const isAddress =
      !isName.test(name + domain) &&
      !(/^git$/i.test(name) && text[end] === ':') &&
      !isLogin.test(text.slice(Math.max(0, start - 80), start))
    return isAddress ? [{ start, end, kind: 'email address' }] : []
  })

/** The digits of all scripts as 0 to 9. Ten of them stand in a row, and nothing that is one beside them. */
const plainDigits = (text: string): string =>
  text.replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => {
    let zero = digit.codePointAt(0) ?? 0
    const code = zero
    while (/^\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
    return digit.length === 1 ? String(code - zero) : digit
  })

/** Finds what identifies a person. Spans can overlap, as those of secrets do. */
export const findPersonal = (text: string): readonly Span[] => {
  const isPlain = /^[\0-\x7f]*$/.test(text)
  const reading = isPlain ? undefined : fold(text, 'signs')
  const read = isPlain ? text : plainDigits(reading?.text ?? text)
  const found = [findEmails, findAccounts, findCards, findPhones].flatMap((findKind) => findKind(read))
  return reading === undefined ? found : found.map((span) => written(reading, span))
}
