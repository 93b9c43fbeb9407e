import type { CodeRange } from '../../model/chat/push.ts'

/**
 * Addresses that a messenger opens by itself. With one tap they start a bot, put foreign text into the
 * reader's input line, set a proxy, join a group or log somebody in. Each is compared as the messenger reads
 * it, however it is spelled: percent-decoded, in NFKC, without invisible characters, in lower case.
 */
export interface MessengerAddresses {
  /** The hosts and schemes of those that a client does not make tappable in code. */
  readonly notInCode: RegExp
  /** The hosts and schemes of the messengers that cannot show code. */
  readonly ofCodeless: RegExp
  /** Schemes that a web client takes from anywhere in its own address. */
  readonly nested: RegExp
  /** The pages among them that a tap only shows. Each is compared as it is written. */
  readonly pages: RegExp
}

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

/** Recognizes the addresses that a messenger opens by itself, wherever they stand. */
export const createMessengerLinks = ({ notInCode, ofCodeless, nested, pages }: MessengerAddresses) => ({
  /** True for an address that a messenger opens by itself and that is no public page. */
  isMessengerAddress: (address: string): boolean => {
    const bare = address.replace(/[\t\r\n]/g, '').trim()
    if (pages.test(bare)) return false
    const host = URL.parse(bare)?.hostname ?? ''
    const spellings = [normalized(host), normalized(authority.exec(bare)?.[0] ?? '')]
    return (
      spellings.some((spelling) => notInCode.test(spelling) || ofCodeless.test(spelling)) ||
      nested.test(normalized(bare))
    )
  },

  /** The ranges of the addresses that a client would make tappable anywhere but in code. */
  messengerRanges: (text: string): readonly CodeRange[] =>
    runsOf(text, notInCode).flatMap(({ at, run }) => {
      if (pages.test(bareOf(run))) return []
      const from = /^[([{'‘`*_~|]*/.exec(run)?.[0].length ?? 0
      return [{ offset: at + from, length: run.length - from }]
    }),

  /** The positions where a blank stops a client that cannot show code from making an address tappable. */
  linkBreaks: (text: string): readonly number[] =>
    runsOf(text, ofCodeless).flatMap(({ at, run }) =>
      Array.from(run.matchAll(/[.:%。．｡․](?=.)/gu), ({ index }) => at + index + 1),
    ),
})

export type MessengerLinks = ReturnType<typeof createMessengerLinks>
