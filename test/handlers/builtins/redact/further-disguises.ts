const each = (secret: string, write: (char: string, at: number) => string): string =>
  Array.from(secret, write).join('')
const between = (secret: string, sign: string): string => Array.from(secret).join(sign)
const groups = (secret: string, size: number, sign: string): string =>
  (secret.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []).join(sign)
const bytesOf = (secret: string): readonly number[] => [...Buffer.from(secret)]
const hex = (byte: number): string => byte.toString(16).padStart(2, '0')
const rows = (secret: string): readonly (readonly number[])[] => {
  const bytes = bytesOf(secret)
  return Array.from({ length: Math.ceil(bytes.length / 16) }, (_, at) => bytes.slice(at * 16, at * 16 + 16))
}
const dump = (secret: string, line: (row: readonly number[], offset: number) => string): string =>
  rows(secret)
    .map((row, at) => line(row, at * 16))
    .join('\n')
const seen = (row: readonly number[]): string => row.map((byte) => String.fromCharCode(byte)).join('')
const offset = (at: number, base: number, digits: number): string => at.toString(base).padStart(digits, '0')
const pairs = (row: readonly number[]): string =>
  (
    row
      .map(hex)
      .join('')
      .match(/.{1,4}/g) ?? []
  ).join(' ')
const utf16be = (text: string): string =>
  Buffer.from(text, 'utf16le').swap16().toString('base64').replaceAll('=', '')
const base32 = (secret: string): string => {
  const bits = bytesOf(secret)
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(five.padEnd(5, '0'), 2)))
    .join('')
}
const rot13 = (text: string): string =>
  text.replaceAll(/[A-Za-z]/g, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) + (letter.toLowerCase() < 'n' ? 13 : -13)),
  )
const half = (secret: string): readonly [string, string] => [
  secret.slice(0, secret.length / 2),
  secret.slice(secret.length / 2),
]

/** Further disguises, for secrets of one word. `isSeen`: whether redact_secrets sees it, as its page says. */
export const furtherDisguises: Readonly<
  Record<string, { readonly isSeen: boolean; readonly write: (secret: string) => string }>
> = {
  'a letter glued in front': { isSeen: true, write: (secret) => `x${secret}` },
  'a letter glued behind': { isSeen: true, write: (secret) => `${secret}x` },
  'a letter glued on both sides': { isSeen: true, write: (secret) => `x${secret}x` },
  'a word glued in front': { isSeen: true, write: (secret) => `token${secret}` },
  'dots between letters': { isSeen: true, write: (secret) => between(secret, '.') },
  'strokes between letters': { isSeen: true, write: (secret) => between(secret, '-') },
  'underscores between letters': { isSeen: true, write: (secret) => between(secret, '_') },
  'slashes between letters': { isSeen: true, write: (secret) => between(secret, '/') },
  'colons between letters': { isSeen: true, write: (secret) => between(secret, ':') },
  'two strokes between letters': { isSeen: true, write: (secret) => between(secret, '--') },
  'stars and blanks between letters': { isSeen: true, write: (secret) => between(secret, ' * ') },
  'arrows between letters': { isSeen: true, write: (secret) => between(secret, '→') },
  'emoji between letters': { isSeen: true, write: (secret) => between(secret, '🔥') },
  'the letter x between letters': { isSeen: true, write: (secret) => between(secret, 'x') },
  'brackets around letters': { isSeen: true, write: (secret) => each(secret, (char) => `[${char}]`) },
  'braces around letters': { isSeen: true, write: (secret) => each(secret, (char) => `{${char}}`) },
  'quotes around letters': {
    isSeen: true,
    write: (secret) => `[${Array.from(secret, (char) => `"${char}"`).join(',')}]`,
  },
  'groups of four with dots': { isSeen: true, write: (secret) => groups(secret, 4, '.') },
  'groups of four with slashes': { isSeen: true, write: (secret) => groups(secret, 4, '/') },
  'groups of five with colons': { isSeen: true, write: (secret) => groups(secret, 5, ':') },
  'groups of eight with hashes': { isSeen: true, write: (secret) => groups(secret, 8, '#') },
  'groups of six in brackets': { isSeen: true, write: (secret) => `[${groups(secret, 6, '][')}]` },
  'halves with brackets between': { isSeen: false, write: (secret) => half(secret).join('] [') },
  'quoted-printable': {
    isSeen: true,
    write: (secret) =>
      bytesOf(secret)
        .map((byte) => `=${hex(byte).toUpperCase()}`)
        .join(''),
  },
  'quoted-printable where it has to be, in lines': {
    isSeen: true,
    write: (secret) =>
      groups(secret, 20, '\0')
        .replaceAll(/[^A-Za-z0-9\0]/g, (char) => `=${hex(char.charCodeAt(0)).toUpperCase()}`)
        .replaceAll('\0', '=\n'),
  },
  'od -c': {
    isSeen: true,
    write: (secret) =>
      dump(
        secret,
        (row, at) => `${offset(at, 8, 7)}${row.map((byte) => `   ${String.fromCharCode(byte)}`).join('')}`,
      ),
  },
  'od -t x1': {
    isSeen: true,
    write: (secret) => dump(secret, (row, at) => `${offset(at, 8, 7)} ${row.map(hex).join(' ')}`),
  },
  'od -t x1z': {
    isSeen: true,
    write: (secret) =>
      dump(secret, (row, at) => `${offset(at, 8, 7)} ${row.map(hex).join(' ').padEnd(47)}  >${seen(row)}<`),
  },
  xxd: {
    isSeen: true,
    write: (secret) =>
      dump(secret, (row, at) => `${offset(at, 16, 8)}: ${pairs(row).padEnd(39)}  ${seen(row)}`),
  },
  'hexdump -C': {
    isSeen: true,
    write: (secret) =>
      dump(secret, (row, at) => `${offset(at, 16, 8)}  ${row.map(hex).join(' ').padEnd(48)}  |${seen(row)}|`),
  },
  'xxd -i': {
    isSeen: true,
    write: (secret) =>
      bytesOf(secret)
        .map((byte) => `0x${hex(byte)}`)
        .join(', '),
  },
  'UTF-7': { isSeen: true, write: (secret) => `+${utf16be(secret)}-` },
  'UTF-7 where it has to be': {
    isSeen: true,
    write: (secret) => secret.replaceAll(/[^A-Za-z0-9]/g, (char) => `+${utf16be(char)}-`),
  },
  'octal numbers': {
    isSeen: true,
    write: (secret) =>
      bytesOf(secret)
        .map((byte) => byte.toString(8).padStart(3, '0'))
        .join(' '),
  },
  'octal escapes': {
    isSeen: true,
    write: (secret) =>
      bytesOf(secret)
        .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
        .join(''),
  },
  'decimal numbers': { isSeen: true, write: (secret) => bytesOf(secret).join(' ') },
  'decimal numbers as a list': { isSeen: true, write: (secret) => `[${bytesOf(secret).join(', ')}]` },
  'binary numbers': {
    isSeen: true,
    write: (secret) =>
      bytesOf(secret)
        .map((byte) => byte.toString(2).padStart(8, '0'))
        .join(' '),
  },
  base32: { isSeen: true, write: base32 },
  backwards: { isSeen: true, write: (secret) => Array.from(secret).toReversed().join('') },
  'a number before each letter': {
    isSeen: false,
    write: (secret) => each(secret, (char, at) => `${at + 1}. ${char}\n`),
  },
  'a word between letters': { isSeen: false, write: (secret) => between(secret, ' then ') },
  rot13: { isSeen: false, write: rot13 },
  'capitals and small ones exchanged': {
    isSeen: false,
    write: (secret) =>
      each(secret, (char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase())),
  },
  'signs that change between letters': {
    isSeen: false,
    write: (secret) =>
      each(secret, (char, at) => `${char}${'.:/-='.charAt((at * at + char.charCodeAt(0)) % 5)}`),
  },
  'od, in words of two bytes': {
    isSeen: false,
    write: (secret) =>
      dump(
        secret,
        (row, at) =>
          `${offset(at, 8, 7)} ${(
            Buffer.from(row)
              .toString('hex')
              .match(/.{1,4}/g) ?? []
          )
            .map((word) => offset(Number.parseInt(word.replace(/(..)(..)/, '$2$1'), 16), 8, 6))
            .join(' ')}`,
      ),
  },
  uuencode: {
    isSeen: false,
    write: (secret) =>
      dump(
        secret,
        (row) =>
          String.fromCharCode(32 + row.length) +
          (
            row
              .map((byte) => byte.toString(2).padStart(8, '0'))
              .join('')
              .match(/.{1,6}/g) ?? []
          )
            .map((six) => String.fromCharCode(32 + Number.parseInt(six.padEnd(6, '0'), 2)).replace(' ', '`'))
            .join(''),
      ),
  },
}
