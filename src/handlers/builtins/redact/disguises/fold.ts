import { createReader, tableOf, throughout, type TextReading } from './reading.ts'

/**
 * The depth of the folding. `signs` decodes entities, escapes, percent encoding, invisible characters and
 * decorated letters. `markup` also removes tags and the signs of Markdown. `italics` also removes underscores
 * that are not escaped.
 */
export type Depth = 'signs' | 'markup' | 'italics'

/** Entities by their names: signs, spaces, and what nobody sees. */
const named: ReadonlyMap<string, string> = new Map([
  ...String.raw`
    amp & lt < gt > quot " apos ' lowbar _ underbar _ hyphen - dash - colon : period . comma , sol / bsol \
    equals = plus + commat @ num #`
    .matchAll(/(\w+) (\S)/g)
    .map(([, name = '', sign = '']) => [name, sign] as const),
  ...['nbsp', 'ensp', 'emsp', 'thinsp'].map((name) => [name, ' '] as const),
  ...['shy', 'zwj', 'zwnj', 'lrm', 'rlm', 'zerowidthspace', 'nobreak'].map((name) => [name, ''] as const),
  ['tab', '\t'],
  ['newline', '\n'],
])
const block = /^<\/?(?:br|p|div|li|ul|ol|tr|td|th|h[1-6]|blockquote|pre|hr|table)\b/i

/** Every quantifier is bounded, because the text is hostile. */
const signs = [
  '&(?:#\\d{1,16};?|#[xX][0-9a-fA-F]{1,16};?|[A-Za-z]{2,16};)',
  '\\\\(?:u[0-9a-fA-F]{4}|u\\{[0-9a-fA-F]{1,6}\\}|x[0-9a-fA-F]{2}|[!-\\/:-@\\[-`{-~])',
  '%[c-dC-D][0-9a-fA-F]%[89abAB][0-9a-fA-F]|%[eE][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){2}|%[fF][0-7](?:%[89abAB][0-9a-fA-F]){3}|%[0-7][0-9a-fA-F]',
  '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]',
  '\\p{M}+',
  // Scripts without ASCII letters are left out, because they would only take time.
  '[^\\x00-\\x7f\\u0410-\\u044f\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fff\\uac00-\\ud7a3]',
].join('|')
const markup = '<!--[^<>]{0,4000}-->|<\\/?[A-Za-z][^<>]{0,4000}>|!?\\[|[*~|`]|\\]\\([^()\\s<>]{0,400}\\)'
const patterns: Readonly<Record<Depth, RegExp>> = {
  signs: new RegExp(signs, 'uy'),
  markup: new RegExp(`${markup}|${signs}`, 'uy'),
  italics: new RegExp(`_|${markup}|${signs}`, 'uy'),
}

const char = (code: number): string =>
  code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    ? String.fromCodePoint(code)
    : code === 9 || code === 10 || code === 13
      ? '\n'
      : ''

/** The first code points of three alphabets that Unicode does not map to plain letters. */
const signAlphabets = [0x1f150, 0x1f170, 0x1f1e6]
const dashes = /^[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]$/u
const isIgnored = /^[\p{Cf}\p{DI}\u2800]$/u
const isMark = /^\p{M}/u
const plain = /^[\x20-\x7e]+$/

const undress = (dressed: string): string => {
  if (isIgnored.test(dressed)) return ''
  if (dashes.test(dressed)) return '-'
  if (/[\u0085\u2028\u2029]/.test(dressed)) return '\n'
  const code = dressed.codePointAt(0) ?? 0
  const alphabet = signAlphabets.find((first) => code >= first && code < first + 26)
  if (alphabet !== undefined) return String.fromCodePoint(0x41 + code - alphabet)
  const letters = dressed.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  // A character without an ASCII base stays unchanged, because words of other languages are compared as they
  // are.
  return plain.test(letters) ? letters : dressed
}
const undressed = new Map<string, string>()
const maxKept = 20_000
const plainly = (dressed: string): string => {
  const known = undressed.get(dressed)
  if (known !== undefined) return known
  const letters = undress(dressed)
  if (undressed.size < maxKept) undressed.set(dressed, letters)
  return letters
}

const percent = (token: string): string => {
  try {
    return token.length === 3 ? char(Number.parseInt(token.slice(1), 16)) : decodeURIComponent(token)
  } catch {
    return token
  }
}

/** The text that a reader sees for a sign. */
const readAs = (token: string): string => {
  const [first, second = ''] = token
  if (first === '&') {
    if (second === '#')
      return char(
        /^&#x/i.test(token) ? Number.parseInt(token.slice(3), 16) : Number.parseInt(token.slice(2), 10),
      )
    return named.get(token.slice(1).replace(';', '').toLowerCase()) ?? token
  }
  if (first === '\\')
    return second === 'u' || second === 'x'
      ? char(Number.parseInt(token.slice(2).replaceAll(/[{}]/g, ''), 16))
      : second
  if (first === '%') return percent(token)
  if (first === '<' && token.length > 1) return block.test(token) ? '\n' : ''
  return token.length <= 2 && token > '\x7f' ? plainly(token) : ''
}

/** The signs at which a pattern can match, among the first 256 units. */
const startsOf = (more: string): Uint8Array =>
  tableOf(new RegExp(`[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\xff&\\\\%${more}]`))
const starts: Readonly<Record<Depth, Uint8Array>> = {
  signs: startsOf(''),
  markup: startsOf('<![*~|`\\]'),
  italics: startsOf('_<![*~|`\\]'),
}
/** True for letters that are read as they are: those of Chinese, Japanese, Korean and Cyrillic. */
const isLetter = (unit: number): boolean =>
  (unit >= 0x4e00 && unit <= 0x9fff) ||
  (unit >= 0xac00 && unit <= 0xd7a3) ||
  (unit >= 0x410 && unit <= 0x44f) ||
  (unit >= 0x3041 && unit <= 0x3096) ||
  (unit >= 0x30a1 && unit <= 0x30fa)

const foldOnce = (text: string, depth: Depth): TextReading | undefined => {
  const reader = createReader(text)
  const [pattern, isStart] = [patterns[depth], starts[depth]]
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at)
    if (unit < 0x100 ? isStart[unit] === 0 : isLetter(unit)) {
      at += 1
      continue
    }
    pattern.lastIndex = at
    const token = pattern.exec(text)?.[0] ?? ''
    const [start, end] = [at, at + token.length]
    at += Math.max(1, token.length)
    if (token === '') continue
    if (unit > 0x7f && isMark.test(token)) {
      // A combining mark belongs to the ASCII letter before it, so that it does not remain after the letter
      // is replaced.
      const before = reader.before(start)
      if (before === undefined || !plain.test(before)) continue
      reader.leaveOut(start, end)
      reader.stretch(end)
    } else {
      const read = readAs(token)
      if (read === token) continue
      reader.leaveOut(start, end)
      reader.add(read, start, end)
    }
  }
  return reader.finish()
}

/**
 * The most rounds. A folded text may need another round: `%2567`, `&amp;#103;`, an entity of a full-width
 * letter.
 */
const maxRounds = 3
const isEscaped = /[&%\\]/

/** The text as a reader sees it. It is undefined when the text does not change. */
export const fold = (text: string, depth: Depth): TextReading | undefined => {
  let folded = foldOnce(text, depth)
  // After the first round, an underscore was escaped, so it stays.
  const next = depth === 'signs' ? 'signs' : 'markup'
  for (
    let round = 1;
    folded !== undefined && round < maxRounds && (isEscaped.test(text) || isEscaped.test(folded.text));
    round++
  ) {
    const again = foldOnce(folded.text, next)
    if (again === undefined) break
    folded = throughout(folded, again)
  }
  return folded
}
