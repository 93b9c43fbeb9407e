const isWords = (secret: string): boolean =>
  /(?:[\p{L}\p{M}]+[ \u3000]){3}\p{L}/u.test(secret) && !secret.startsWith('--')
const middle = (secret: string): number => {
  // Words are parted between words, everything else in the midst.
  const half = Math.floor(secret.length / 2)
  return isWords(secret) ? secret.search(new RegExp(`(?<=^.{${half},})[ \u3000]`)) : half
}
const each = (secret: string, write: (char: string) => string): string => Array.from(secret, write).join('')
const within = (secret: string, open: string, close: string): string => {
  const third = Math.floor(secret.length / 3)
  return `${secret.slice(0, third)}${open}${secret.slice(third, -third)}${close}${secret.slice(-third)}`
}
const lines = (text: string, width: number): string =>
  text.replaceAll(new RegExp(`.{${width}}(?=.)`, 'gs'), '$&\n')
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const utf32 = (text: string): Buffer =>
  Buffer.concat(Array.from(text, (char) => Buffer.from(Uint32Array.of(char.codePointAt(0) ?? 0).buffer)))
const hex = (text: string): string => Buffer.from(text).toString('hex')
const percent = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('')
const mathematical = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  if (/[A-Z]/.test(char)) return String.fromCodePoint(0x1d5a0 + code - 65)
  if (/[a-z]/.test(char)) return String.fromCodePoint(0x1d5ba + code - 97)
  return /\d/.test(char) ? String.fromCodePoint(0x1d7e2 + code - 48) : char
}

export interface Disguise {
  readonly write: (secret: string) => string
  /** Only for secrets of one unbroken word, or of one line. */
  readonly only?: 'one word' | 'one line'
  /** What of the written form may stay: ends of pairs, and padding that holds nothing. */
  readonly mayStay?: RegExp
}

/** Each writes a secret so that its reader still has it. */
export const disguises: Readonly<Record<string, Disguise>> = {
  'as it is': { write: (secret) => secret },
  'zero-width spaces': { write: (secret) => each(secret, (char) => `${char}\u200b`), mayStay: /\u200b/g },
  'zero-width joiners': {
    write: (secret) => each(secret, (char) => `\u200d${char}\ufeff`),
    mayStay: /[\u200d\ufeff]/g,
  },
  'bidirectional marks': { write: (secret) => within(secret, '\u202d\u200e', '\u202c\u2069') },
  'written from right to left': {
    write: (secret) => `\u202e${secret.split('').toReversed().join('')}\u202c`,
    only: 'one line',
    mayStay: /[\u202e\u202c]/g,
  },
  'soft hyphens and tags': {
    write: (secret) => each(secret, (char) => `${char}\u00ad\u{e0041}`),
    mayStay: /\u00ad|\u{e0041}/gu,
  },
  'combining marks': {
    write: (secret) => each(secret, (char) => (/[!-~]/.test(char) ? `${char}\u0332\ufe0f` : char)),
  },
  'full-width letters': {
    write: (secret) =>
      each(secret, (char) =>
        /[!-~]/.test(char) ? String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0) : char,
      ),
  },
  'mathematical letters': { write: (secret) => each(secret.normalize('NFC'), mathematical) },
  'HTML entities': { write: (secret) => each(secret, (char) => `&#${char.codePointAt(0)};`) },
  'HTML entities, hex': {
    write: (secret) => each(secret, (char) => `&#x${char.codePointAt(0)?.toString(16)};`),
  },
  'HTML entities, with many noughts': {
    write: (secret) => each(secret, (char) => `&#${String(char.codePointAt(0)).padStart(12, '0')};`),
  },
  'HTML entities, twice': { write: (secret) => each(secret, (char) => `&amp;#${char.codePointAt(0)};`) },
  'HTML tags': { write: (secret) => within(secret, '<b>', '</b>') },
  'HTML tags with attributes': {
    write: (secret) => within(secret, '<span class="tg-spoiler">', '</span><!-- x -->'),
  },
  'a long HTML tag': { write: (secret) => within(secret, `<b title="${'x'.repeat(3000)}">`, '</b>') },
  'Markdown bold': { write: (secret) => within(secret, '**', '**') },
  'Markdown strike and spoiler': { write: (secret) => within(within(secret, '~~', '~~'), '||', '||') },
  'code spans': { write: (secret) => within(secret, '``', '`') },
  'Markdown picture': { write: (secret) => within(secret, '![](https://example.org/a.png)', '') },
  'Markdown link': { write: (secret) => within(secret, '[', '](https://example.org/a)') },
  'MarkdownV2 escapes': { write: (secret) => secret.replaceAll(/[_*[\]()~`>#+\-=|{}.!]/g, '\\$&') },
  'MarkdownV2 escapes and italics': {
    write: (secret) =>
      within(secret, '\0', '\0')
        .replaceAll(/[_*[\]()~`>#+\-=|{}.!]/g, '\\$&')
        .replaceAll('\0', '_'),
  },
  'unicode escapes': {
    write: (secret) =>
      each(secret, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`),
  },
  'hex escapes': {
    write: (secret) =>
      each(secret, (char) =>
        char < '\x7f' ? `\\x${(char.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}` : char,
      ),
  },
  'a line break': {
    write: (secret) => `${secret.slice(0, middle(secret))}\n${secret.slice(middle(secret))}`,
  },
  'many line breaks': {
    write: (secret) =>
      `${secret.slice(0, middle(secret))}${'\n \t'.repeat(15)}${secret.slice(middle(secret))}`,
    only: 'one word',
  },
  'lines of twelve': {
    write: (secret) => (isWords(secret) ? secret.replaceAll(/[ \u3000]/g, '\n') : lines(secret, 12)),
    only: 'one line',
  },
  'a quoted line break': {
    write: (secret) => `${secret.slice(0, middle(secret))}\r\n> ${secret.slice(middle(secret))}`,
  },
  'strings put together': {
    write: (secret) => `"${secret.slice(0, middle(secret))}" +\n    "${secret.slice(middle(secret))}"`,
    only: 'one line',
    mayStay: /"/g,
  },
  'letters apart': { write: (secret) => each(secret, (char) => `${char} `).trim(), only: 'one word' },
  base64: { write: base64, mayStay: /=/g },
  'base64 in lines': { write: (secret) => lines(base64(secret), 24), mayStay: /=/g },
  base64url: { write: (secret) => Buffer.from(secret).toString('base64url') },
  'base64 of base64': { write: (secret) => base64(base64(secret)), mayStay: /=|[A-Za-z0-9]{0,4}=*$/g },
  'base64 of UTF-16': { write: (secret) => Buffer.from(secret, 'utf16le').toString('base64'), mayStay: /=/g },
  'base64 of UTF-32': { write: (secret) => utf32(secret).toString('base64'), mayStay: /=|^A{4}|^AAA/g },
  'hex of UTF-32, the other byte order': {
    write: (secret) => utf32(secret).swap32().toString('hex'),
    mayStay: /^0{6}/g,
  },
  hex: { write: hex },
  'hex, bytes apart': { write: (secret) => hex(secret).replaceAll(/..(?=.)/g, '$& ') },
  'hex, capitals with colons': {
    write: (secret) =>
      hex(secret)
        .toUpperCase()
        .replaceAll(/..(?=.)/g, '$&:'),
  },
  percent: { write: percent },
  'percent, twice': { write: (secret) => percent(secret).replaceAll('%', '%25') },
  'percent within base64': { write: (secret) => base64(percent(secret)), mayStay: /=/g },
  'full-width in zero-width in bold': {
    write: (secret) =>
      within(
        each(
          secret,
          (char) =>
            `${/[!-~]/.test(char) ? String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0) : char}\u200b`,
        ),
        '**',
        '**',
      ),
    mayStay: /\u200b/g,
  },
}
