import type { CodeRange } from '../../model/chat/push.ts'

/**
 * Addresses that a messenger opens by itself. With one tap they start a bot, put foreign text into the
 * reader's input line, set a proxy, join a group or log somebody in. Each is compared as the messenger reads
 * it, however it is spelled. Source: get_link_info and match_urls in TDLib.
 */
const telegram = [
  // This includes every subdomain, since `name.t.me` means `t.me/name`.
  String.raw`(?<![a-z0-9_-])(?:t|telegram)\.(?:me|dog)(?!\.?[a-z0-9_-])`,
  String.raw`t(?:g|on|onsite):\/\/`,
  String.raw`(?<![a-z0-9])t(?:g|on|onsite):(?=[a-z0-9_])`,
].join('|')
/** The pages of public accounts (`mp.weixin.qq.com`) are ordinary pages and not included. */
const wechat = [
  String.raw`(?<![a-z0-9_-])(?:u\.wechat\.com|(?<!mp\.)weixin\.qq\.com|weixin110\.qq\.com)(?!\.?[a-z0-9_-])`,
  String.raw`(?<![a-z0-9_-])(?:wxaurl\.cn|wx\.tenpay\.com)(?!\.?[a-z0-9_-])`,
  String.raw`(?:weixin|wechat|wxp|wxwork|wework):(?=[a-z0-9_/])`,
].join('|')
/** Feishu takes every host that begins so for its own. Its pages (`open.feishu.cn`) are not included. */
const feishu = String.raw`(?<![a-z0-9_.-])applink\.(?=[a-z0-9])|(?:lark|feishu):\/\/`
const ofTelegram = new RegExp(telegram)
/** Of the messengers that cannot show code. */
const ofCodeless = new RegExp(`${wechat}|${feishu}`)

/** The paths of Telegram's host that are no names. */
const reserved = [
  'addemoji',
  'addlist',
  'addstickers',
  'addstyle',
  'addtheme',
  'auction',
  'auth',
  'boost',
  'call',
  'confirmphone',
  'contact',
  'giftcode',
  'invoice',
  'joinchat',
  'login',
  'newbot',
  'oauth',
  'passport',
  'proxy',
  'setlanguage',
  'share',
  'socks',
].join('|')
/** The page of a public channel or person, or of one message there. The names of bots end in "bot". */
const page = new RegExp(
  String.raw`^(?:https?://)?(?:t|telegram)\.me/` +
    String.raw`(?!(?:${reserved}|\w*bot)(?:/|$))[a-z]\w{3,31}(?:/\d{1,10})?/?$`,
  'i',
)

const decoded = (run: string): string => {
  try {
    return decodeURIComponent(run)
  } catch {
    return run.replace(/%[0-7][0-9a-f]/gi, (sign) => String.fromCharCode(Number.parseInt(sign.slice(1), 16)))
  }
}
/** The largest number of nested percent encodings that is decoded. */
const maxDecodings = 3

/**
 * An address as a client compares it: percent-decoded, in NFKC, without invisible characters, in lower case.
 */
const normalized = (written: string): string => {
  let read = written
  for (let round = 0; round < maxDecodings && /%[0-9a-f]{2}/i.test(read); round++)
    read = read.replace(/(?:%[0-9a-f]{2})+/gi, decoded)
  if (/[^\0-\x7f]/.test(read))
    read = read
      .normalize('NFKC')
      .replaceAll('。', '.')
      .replace(/[\p{Cf}\p{DI}\p{M}]+/gu, '')
  return read.toLowerCase()
}

const authority = /^[^/\\?#]*[/\\]*[^/\\?#]*/

/** True for an address that a messenger opens by itself and that is no public page. */
export const isMessengerAddress = (address: string): boolean => {
  const bare = address.replace(/[\t\r\n]/g, '').trim()
  if (page.test(bare)) return false
  const host = URL.parse(bare)?.hostname ?? ''
  const spellings = [normalized(host), normalized(authority.exec(bare)?.[0] ?? '')]
  // A web client takes the whole address as a parameter of its own address.
  return (
    spellings.some((spelling) => ofTelegram.test(spelling) || ofCodeless.test(spelling)) ||
    /t(?:g|on|onsite):\/\//.test(normalized(bare))
  )
}

/** A run of characters in which an address can stand. */
const runs = /[^\s<>"«»“”]{4,}/g
/** A run without one of these characters can never be read as an address of a messenger. */
const mayBeAddress = /[.:%。．｡․]|[^\0-\u024f]/
/** Text that every client reads as it is written. */
const plainLetters = /^[\0-$&-\x7f]*$/
const [openers, closers] = ["([{'‘`*_~|", ")]}'’`*~|.,:;!?"]
/**
 * Removes brackets and punctuation around an address. A regular expression for the end would scan the run
 * again from each of its characters.
 */
const bareOf = (run: string): string => {
  let [from, to] = [0, run.length]
  while (from < to && openers.includes(run.charAt(from))) from += 1
  while (to > from && closers.includes(run.charAt(to - 1))) to -= 1
  return run.slice(from, to)
}

interface LinkRun {
  readonly at: number
  readonly run: string
  readonly read: string
}
const runsOf = (text: string, pattern: RegExp): readonly LinkRun[] => {
  // Most texts need no closer look, and every push waits for this check.
  if (plainLetters.test(text) && !pattern.test(text.toLowerCase())) return []
  return Array.from(text.matchAll(runs)).flatMap(({ 0: run, index }) => {
    if (!mayBeAddress.test(run)) return []
    const read = normalized(run)
    return pattern.test(read) ? [{ at: index, run, read }] : []
  })
}

/** The ranges of Telegram's own addresses that a client would make tappable. */
export const messengerRanges = (text: string): readonly CodeRange[] =>
  runsOf(text, ofTelegram).flatMap(({ at, run }) => {
    if (page.test(bareOf(run))) return []
    const from = /^[([{'‘`*_~|]*/.exec(run)?.[0].length ?? 0
    return [{ offset: at + from, length: run.length - from }]
  })

/** The positions where a blank stops WeChat and Feishu from making an address tappable. */
export const linkBreaks = (text: string): readonly number[] =>
  runsOf(text, ofCodeless).flatMap(({ at, run }) =>
    Array.from(run.matchAll(/[.:%。．｡․](?=.)/gu), ({ index }) => at + index + 1),
  )
