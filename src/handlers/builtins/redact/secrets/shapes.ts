import { isBase58Check } from './keys.ts'
import { halved, lettersOf } from './tokens.ts'

/** Matches a gap between two letters of a secret that is split: breaks, quotes and signs of code. */
export const tightGap = `(?:\\\\[nrt]|[\\s"'\`+,;|*~>()\\u2022\\u00b7])`
const tight = `${tightGap}{0,64}`
/** A gap that may also contain the signs . _ and -, for alphabets without them. */
const looseGap = `(?:\\\\[nrt]|[\\s"'\`+,;|*~>()\\u2022\\u00b7._-])`
const loose = `${looseGap}{0,64}`

export interface Shape {
  readonly kind: string
  /** One of its beginnings stands in every text with such a secret, when the gaps are taken out. */
  readonly mark: string
  readonly pattern: RegExp
  /** The gaps that are removed from a match. */
  readonly gaps: RegExp
  /** Checks the match without its gaps. A short match without digits may be chance. */
  readonly isOne: (letters: string, pieces: number) => boolean
  /** True when the secret may continue after the match. */
  readonly isOpen?: boolean
}

/** 1 for a capital, 2 for a small letter, 3 for a digit, 0 for another character. */
const kindOf = (code: number): number =>
  code >= 0x41 && code <= 0x5a ? 1 : code >= 0x61 && code <= 0x7a ? 2 : code >= 0x30 && code <= 0x39 ? 3 : 0
/** True for random letters, which often change between capitals, small letters and digits. Words do not. */
export const isRandom = (letters: string): boolean => {
  let [count, changes, last] = [0, 0, 0]
  for (let at = 0; at < letters.length; at++) {
    const kind = kindOf(letters.charCodeAt(at))
    if (kind === 0) continue
    count += 1
    if (last !== 0 && kind !== last) changes += 1
    last = kind
  }
  return changes >= count * 0.15
}
const word = '[A-Za-z0-9]'
const wordOrDash = String.raw`[\w-]`

/** A mark with gaps behind its letters. A sign that belongs to it is not a gap. */
const strung = (mark: string): string =>
  (mark.match(/\[[^\]]+\]|\(\?:[^)]+\)|\\?./g) ?? [])
    .map((atom) => {
      const alternatives = /^\(\?:(.+)\)$/.exec(atom)?.[1]?.split('|')
      return alternatives === undefined ? `${atom}${tight}` : `(?:${alternatives.map(strung).join('|')})`
    })
    .join('')

/** With `isApart`, no letter touches it: words and other keys have its mark too. */
const shape = (
  kind: string,
  mark: string,
  body: string,
  count: number,
  isOne: Shape['isOne'] = isRandom,
  isApart = false,
): Shape => {
  const isTight = body === wordOrDash
  const gap = isTight ? tight : loose
  const start = strung(mark)
  return {
    kind,
    mark,
    pattern: new RegExp(
      `${isApart ? '(?<![A-Za-z0-9])' : ''}${start}(?:${body}${gap}){${count - 1}}${body}${isApart ? '(?![A-Za-z0-9])' : ''}`,
      'g',
    ),
    gaps: new RegExp(`${isTight ? tightGap : looseGap}+`, 'g'),
    isOne,
  }
}
const long = (body: string, least: number, most = least): string => `(?:${body}${tight}){${least},${most}}`

/** The pattern of a form in the notation of the tokens. Behind its last letter stands no gap. */
const formed = (form: string, isWhole = true): string => {
  const all = form.split(' ')
  return all
    .map((part, index) => {
      const letters = lettersOf(part)
      if (letters === undefined) return strung(part)
      const { alphabet, least, most } = letters
      return isWhole && index === all.length - 1
        ? `${long(alphabet, least - 1)}${alphabet}`
        : long(alphabet, least, most)
    })
    .join('')
}

/** A shape with several parts in alphabets of their own. */
const parts = (kind: string, mark: string, pattern: string, isOpen = false): Shape => ({
  kind,
  mark,
  pattern: new RegExp(pattern, 'g'),
  gaps: new RegExp(`${tightGap}+`, 'g'),
  isOne: isRandom,
  isOpen,
})
/**
 * Shapes of variable length behind a form: first the known lengths, then an open one that continues while the
 * text looks like a secret.
 */
const open = (
  kind: string,
  mark: string,
  form: string,
  body: string,
  known: readonly number[],
  atLeast: number,
): readonly Shape[] =>
  [...known, atLeast].map((count, index) =>
    parts(kind, mark, `${formed(form, false)}${long(body, count - 1)}${body}`, index === known.length),
  )

const isFewPieces: Shape['isOne'] = (letters, pieces) => /\d/.test(letters.slice(4)) || pieces <= 3
const base58 = '[1-9A-HJ-NP-Za-km-z]'

/** The tokens of one alphabet, which the table of tokens has. */
const ofTable = halved.flatMap(({ kind, lead, mark, letters }) =>
  letters === undefined || lead !== ''
    ? []
    : letters.least === letters.most
      ? [shape(kind, mark, letters.alphabet, letters.least)]
      : open(kind, mark, mark, letters.alphabet, [letters.most, letters.least], letters.least),
)

export const shapes: readonly Shape[] = [
  ...ofTable,
  shape(
    'aws',
    'A[KS]IA',
    '[A-Z2-7]',
    16,
    (letters, pieces) => !letters.includes('EXAMPLE') && isFewPieces(letters, pieces),
  ),
  parts('telegram', ':AA', formed('d8-10 :AA t33')),
  ...[74, 58].map((count) =>
    parts('openai', 'sk-', formed(`sk- (?:proj|svcacct|admin)- t${count} T3BlbkFJ t${count}`)),
  ),
  shape('openai', 'sk-', word, 48, isRandom, true),
  ...open('anthropic', 'sk-ant-api', 'sk-ant-api d2 -', wordOrDash, [95], 80),
  parts('slack', 'xox', formed('xox[bp]- d10-13 - d10-13 - w24')),
  ...open('slack', 'xox', 'xox[abceoprs]-', wordOrDash, [], 24),
  shape('notion', 'ntn_', word, 46),
  ...open('pypi', 'pypi-AgEIcHlwaS5vcmc', 'pypi-AgEIcHlwaS5vcmc', wordOrDash, [], 50),
  shape('age', 'AGE-SECRET-KEY-1', '[02-9AC-HJ-NP-Z]', 58),
  parts('sendgrid', 'SG\\.', formed('SG\\. t22 \\. t43')),
  ...open('token', 'eyJ', 'eyJ t8-512 \\.eyJ t8-4000 \\.', wordOrDash, [43], 20),
  {
    kind: 'private key',
    // The ends of "private", "secret" and "signing", and a key.
    mark: '(?:te|et|ng|TE|ET|NG)(?:k|_k|-k|K|_K|-K)(?:ey|EY)',
    pattern: new RegExp(
      `(?<=(?:private|secret|signing)[ _-]?key["']?(?:\\s{0,4}[:=]|\\s{1,4}is)\\s{0,4}["'\`]?)(?:0x)?(?:[0-9a-f]${loose}){63}[0-9a-f]`,
      'gi',
    ),
    gaps: new RegExp(`${looseGap}+`, 'g'),
    isOne: isRandom,
  },
  shape('private key', '[59]', base58, 50, (letters) => isBase58Check(letters, 37), true),
  shape('private key', '[KLc]', base58, 51, (letters) => isBase58Check(letters, 38), true),
  shape('private key', '[xyztuv]prv', base58, 107, (letters) => isBase58Check(letters, 82), true),
]
