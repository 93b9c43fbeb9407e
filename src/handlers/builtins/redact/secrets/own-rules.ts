import { createSearch } from './marks.ts'
import { hasRandom } from './random.ts'
import { isRandom } from './shapes.ts'
import type { Span } from '../span.ts'
import { further, halved } from './tokens.ts'

/** The pattern of a token from its mark on. What has to stand before the mark is checked there. */
const tokens = [...halved, ...further].map(({ kind, lead, mark, body }) => ({
  kind,
  mark,
  pattern: new RegExp(`${lead === '' ? '' : `(?<=(?<lead>${lead}))`}${mark}${body}`, 'y'),
}))
/** The kinds of the tokens that have marks of their own. */
export const tokenKinds: ReadonlySet<string> = new Set(tokens.map(({ kind }) => kind))
const search = createSearch(tokens.map(({ mark }) => mark))

/** Fewer surprises than this are a filler or words, such as `xoxp-1-YourTokenHere`. */
const leastInToken = 3

/**
 * Finds the tokens of a text, and the kinds of all marks in it. No pattern ends at a boundary, so letters
 * around a token do not hide it.
 */
export const findTokens = (text: string) => {
  const found: Span[] = []
  const kinds = new Set<string>()
  search(text, (index, at) => {
    const { kind, pattern } = tokens[index] ?? {}
    if (kind === undefined || pattern === undefined) return
    kinds.add(kind)
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match === null) return
    const lead = match.groups?.['lead'] ?? ''
    const [token, start] = [lead + match[0], at - lead.length]
    if (isRandom(token) && hasRandom(token, undefined, leastInToken))
      found.push({ start, end: start + token.length, kind })
  })
  return { found, kinds }
}

/** Secrets that need not look random. The group "secret" is what is removed. */
const named: Readonly<Record<string, RegExp>> = {
  // A digit tells it from the name of a continent within capitals.
  aws: /(?<secret>(?:AKIA|ASIA(?:(?=[A-Z]{0,15}[2-7])|(?<!\w.{4})(?=.{16}(?!\w))))(?!\w{9}EXAMPLE)[A-Z2-7]{16})/g,
  age: /(?<secret>AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58})/g,
  slack:
    /(?<secret>(?:xox[a-z]|xapp)-(?:(?:\d{5,14}-){1,3}(?=\w{0,60}[A-Za-z])[\w-]{4,250}|\d-(?=[\w-]{0,60}\d[A-Za-z])[\w-]{20,250}|(?<=xox[ar]-)(?:\d-)?(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{9,48}))/g,
  npm: /_authToken\s{0,4}=\s{0,4}"?(?<secret>[\w+/=.-]{8,250})/g,
  azure:
    /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{43,86}={1,2})|[?&;]sig=(?<secret>[\w%+/]{40,70}(?:%3[Dd]|=))/g,
  'bearer token': /bearer\s{1,4}(?<secret>(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{20,4000}={0,2})/gi,
  'private key':
    /(?:private|secret|signing)[ _-]?key["']?(?:\s{0,4}[:=]|\s{1,4}is)\s{0,4}["'`]?(?<secret>(?:0x)?[0-9a-f]{64,256})/gi,
  'password in an address':
    /:\/\/[^\s:/@"'<>{}$]{0,100}:(?<secret>(?=[^\s@\d]{0,100}\d)[^\s/:@"'<>{}$()[\]]{6,200})(?=@[\w[])/g,
  'nuget password':
    /<add\s{1,8}key="(?:ClearText)?Password"\s{1,8}value="(?!%[^"\n%]{1,100}%"|\[redacted: )(?<secret>[^"\n]{8,200})(?=")/gi,
  bundler:
    /BUNDLE_[A-Z0-9_]{2,60}__[A-Z0-9]{2,20}["']?\s{0,2}[:=]\s{0,2}["']?(?<secret>[\w.-]{2,100}:[\w.-]{6,200})/g,
}

/** Finds secrets that the preset rules do not cover, or not with letters around them. */
export const findNamed = (text: string): readonly Span[] =>
  Object.entries(named).flatMap(([kind, pattern]) =>
    Array.from(text.matchAll(pattern), ({ 0: { length }, index, groups }) => {
      // The secret is at the end.
      const end = index + length
      return { start: end - (groups?.['secret'] ?? '').length, end, kind }
    }),
  )
