import type { Span } from '../span.ts'

/** It is looked for at each `@`, from there to both sides. */
const addresses =
  /(?<=([\p{L}\p{N}._%+'-]{1,64}))@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu
/** `logo@2x.png` is a file, `getty@tty1.service` a unit of systemd. */
const isName =
  /\.(?:png|jpe?g|gif|webp|svg|ico|pdf|m?[jt]sx?|css|html?|json|md|zip|t?gz|service|socket|timer|target|mount|slice)$|^(?:this|super|return)@/i
/** `https://name:word@host` signs in, and `git@host:` is a repository. */
const isLogin = /:\/\/[^\s/@]*$/

export const findEmails = (text: string): readonly Span[] =>
  [...text.matchAll(addresses)].flatMap(({ 0: domain, 1: name = '', index }) => {
    const [start, end] = [index - name.length, index + domain.length]
    const isAddress =
      !isName.test(name + domain) &&
      !(/^git$/i.test(name) && text[end] === ':') &&
      !isLogin.test(text.slice(Math.max(0, start - 80), start))
    return isAddress ? [{ start, end, kind: 'email address' }] : []
  })
