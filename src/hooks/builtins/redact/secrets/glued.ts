import { isBase58Check } from './keys.ts'
import { isRandom } from './shapes.ts'
import type { Span } from '../span.ts'

/**
 * The most letters that may touch a secret without belonging to it. Longer runs, as in pictures, contain
 * every mark by chance.
 */
const maxBefore = 12
const maxAfter = 6

/** Secrets of a known length: the kind, the mark, which no word contains, and the pattern that follows it. */
export const marked: readonly (readonly [kind: string, mark: string, body: string])[] = [
  ['github', 'gh[posur]_', '[A-Za-z0-9]{36}'],
  ['github', 'github_pat_', String.raw`\w{82}`],
  ['aws', 'A[KS]IA', String.raw`(?!\w{9}EXAMPLE)[A-Z2-7]{16}`],
  ['google', 'AIza', String.raw`[\w-]{35}`],
  ['google', 'GOCSPX-', String.raw`[\w-]{28}`],
  ['telegram', String.raw`\d{8,10}:AA`, String.raw`[\w-]{33}`],
  ['openai', 'sk-(?:proj|svcacct|admin)-', String.raw`[\w-]{40,250}`],
  ['openrouter', 'sk-or-v1-', '[0-9a-f]{64}'],
  ['anthropic', String.raw`sk-ant-[a-z]{3,8}\d\d-`, String.raw`[\w-]{80,200}`],
  ['slack', 'xox[bp]-', String.raw`\d{10,13}-\d{10,13}-[A-Za-z0-9]{24}`],
  ['npm', 'npm_', '[A-Za-z0-9]{36}'],
  ['gitlab', 'glpat-', String.raw`[\w-]{20}`],
  ['stripe', '[sr]k_live_', '[A-Za-z0-9]{24}'],
  ['shopify', 'shp(?:at|ca|pa|ss)_', '[0-9a-f]{32}'],
  ['sendgrid', String.raw`SG\.`, String.raw`[\w-]{22}\.[\w-]{43}`],
  ['token', 'eyJ', String.raw`[\w-]{8,512}\.eyJ[\w-]{8,6000}\.[\w-]{8,1000}`],
]
const patterns = marked.map(([kind, mark, body]) => ({ kind, pattern: new RegExp(`${mark}${body}`, 'g') }))

const letters = /[A-Za-z0-9+/_-]/
/** Counts the letters that touch a position, before or after it, up to a bound. */
const touching = (text: string, at: number, step: 1 | -1, most: number): number => {
  let count = 0
  while (count <= most && letters.test(text.charAt(step === 1 ? at + count : at - 1 - count))) count += 1
  return count
}

const wallet = /(?<![A-Za-z0-9])[A-Za-z0-9]{52,58}(?![A-Za-z0-9])/g
const walletLengths = [
  [51, 37],
  [52, 38],
] as const

const walletIn = (run: string, index: number): readonly Span[] => {
  for (const [length, bytes] of walletLengths) {
    for (let at = 0; at + length <= run.length; at++) {
      if (isBase58Check(run.slice(at, at + length), bytes))
        return [{ start: index + at, end: index + at + length, kind: 'private key' }]
    }
  }
  return []
}

/** Finds secrets with other letters directly before or after them. */
export const findGlued = (text: string): readonly Span[] => [
  ...patterns.flatMap(({ kind, pattern }) =>
    Array.from(text.matchAll(pattern)).flatMap(({ 0: found, index }): readonly Span[] => {
      const end = index + found.length
      const [before, after] = [touching(text, index, -1, maxBefore), touching(text, end, 1, maxAfter)]
      if (before > maxBefore || after > maxAfter || before + after === 0 || !isRandom(found)) return []
      return [{ start: index, end, kind }]
    }),
  ),
  ...Array.from(text.matchAll(wallet)).flatMap(({ 0: run, index }) => walletIn(run, index)),
]
