/** Other readings of a text: decoded, and without the spaces between its letters. */

/** Letters with a space after each, and more spaces between words. */
const spelt = /(?<!\S)\S(?:[^\S\n]{1,4}\S(?!\S)){15,}/g
const unspelt = (text: string): string =>
  Array.from(text.matchAll(spelt), ([run]) =>
    run
      .split(/[^\S\n]{2,}/)
      .map((word) => word.replaceAll(/\s/g, ''))
      .join(' '),
  ).join('\n')

const escape = new RegExp(
  [
    '(?:%[0-9a-fA-F]{2}){1,9999}',
    '&#(?:\\d{1,7}|[xX][0-9a-fA-F]{1,6});?',
    '&(?:nbsp|lt|gt|amp|quot);',
    '\\\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})',
  ].join('|'),
  'g',
)
const named: Readonly<Record<string, string>> = { nbsp: ' ', lt: '<', gt: '>', amp: '&', quot: '"' }
const letterOf = (code: number): string =>
  code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : ' '
const unescaped = (token: string): string => {
  if (token.startsWith('%')) return Buffer.from(token.replaceAll('%', ''), 'hex').toString()
  if (token.startsWith('\\')) return letterOf(Number.parseInt(token.slice(2), 16))
  const [, hex, decimal, name = ''] = /^&(?:#[xX]([0-9a-fA-F]+)|#(\d+)|(\w+))/.exec(token) ?? []
  if (hex !== undefined) return letterOf(Number.parseInt(hex, 16))
  return decimal === undefined ? (named[name] ?? ' ') : letterOf(Number(decimal))
}
/** So much is read around an escape. */
const margin = 150
/** The parts of a text that have escapes, without them. */
const withoutEscapes = (text: string): string => {
  const parts: { from: number; to: number }[] = []
  for (const { 0: token, index } of text.matchAll(escape)) {
    const last = parts.at(-1)
    const to = index + token.length + margin
    if (last !== undefined && index - margin <= last.to) last.to = to
    else parts.push({ from: Math.max(0, index - margin), to })
  }
  return parts.map(({ from, to }) => text.slice(from, to).replaceAll(escape, unescaped)).join('\n\n')
}

const base64 = /(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{40,}\r?\n)*[A-Za-z0-9+/_-]{24,}/g
const hex = /(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}[ :]?){24,}/g
/** A text that is not mostly legible is a picture, a hash or a name. */
const isLegible = (text: string): boolean => {
  const legible = text.match(/[\p{L}\p{N}\p{P}\p{Zs}\n]/gu)?.length ?? 0
  return (
    legible > text.length * 0.9 &&
    (/[\s\u0080-\uffff]/.test(text) || /^[A-Za-z0-9+/_-]{24,}={0,2}$/.test(text))
  )
}
const decoded = (text: string): string =>
  (
    [
      [base64, 'base64'],
      [hex, 'hex'],
    ] as const
  )
    .flatMap(([runs, encoding]) =>
      Array.from(text.matchAll(runs), ([run]) =>
        Buffer.from(run.replaceAll(/[\s:]/g, ''), encoding).toString().replaceAll('\0', ''),
      ),
    )
    .filter(isLegible)
    .join('\n\n')

/** `isDisguised` is true for what nobody writes to be read. An address and a page have escapes. */
export const readingsOf = (text: string) =>
  [
    { text: withoutEscapes(text), isDisguised: false },
    { text: decoded(text), isDisguised: true },
    { text: unspelt(text), isDisguised: true },
  ].filter((reading) => reading.text !== '')
