import { isRandom } from './shapes.ts'
import type { Span } from '../span.ts'

/**
 * Secrets of a known form: the kind, the mark, which no word contains, and the letters that follow it. Every
 * quantifier is bounded, because the text is hostile.
 */
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
  ['gitlab', 'glpat-', String.raw`[\w-]{20,128}`],
  ['stripe', '[sr]k_(?:live|test)_', '[A-Za-z0-9]{24,99}'],
  ['shopify', 'shp(?:at|ca|pa|ss)_', '[0-9a-f]{32}'],
  ['sendgrid', String.raw`SG\.`, String.raw`[\w-]{22}\.[\w-]{43}`],
  ['token', 'eyJ', String.raw`[\w-]{8,512}\.eyJ[\w-]{8,6000}\.[\w-]{8,1000}`],
]

/** Further secrets of a known form. Their two halves are not put together. */
const further: readonly (readonly [kind: string, form: string])[] = [
  ['google', String.raw`ya29\.[\w-]{20,500}`],
  // Hashes behind "task-" have no capitals.
  ['openai', 'sk-(?=[a-z0-9]{0,47}[A-Z])[A-Za-z0-9]{48}'],
  ['slack', String.raw`(?:xox[abceoprs]|xapp)-[\w-]{20,250}`],
  ['pypi', String.raw`pypi-AgEIcHlwaS5vcmc[\w-]{50,500}`],
  ['twilio', 'SK[0-9a-f]{32}'],
  ['discord', String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.(?=[\w-]{0,26}\d)[\w-]{27,38}`],
  ['groq', 'gsk_[A-Za-z0-9]{52}'],
  // Names in code have no two capitals side by side, and hardly any token has none.
  ['huggingface', 'hf_(?=[A-Za-z]{0,32}[A-Z]{2})[A-Za-z]{34}'],
  ['linear', String.raw`lin_api_\w{32,128}`],
  ['notion', String.raw`ntn_\d{11}[A-Za-z0-9]{35}`],
  ['grafana', 'gl(?:c_[A-Za-z0-9+/]{32,400}|sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})'],
  ['1password', 'ops_ey[A-Za-z0-9+/]{100,1280}'],
  ['hashicorp vault', String.raw`hv[bsr]\.[\w-]{90,300}`],
  ['vercel', 'vc[aikpr]_[A-Za-z0-9]{20,60}'],
  ['databricks', 'dapi[A-Fa-f0-9]{32}'],
  ['docker', String.raw`dckr_pat_[\w-]{27}`],
  ['figma', String.raw`figd_[\w-]{40,200}`],
  ['cloudflare', 'cf(?:k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}'],
  ['tailscale', String.raw`tskey-[a-z]{2,20}-\w{8,40}-\w{16,60}`],
]
const tokens = [...marked.map(([kind, mark, body]) => [kind, mark + body] as const), ...further].map(
  ([kind, form]) => ({ kind, pattern: new RegExp(form, 'g') }),
)

/** Finds tokens. No pattern ends at a boundary, so letters around a token do not hide it. */
const findTokens = (text: string): readonly Span[] => {
  const found: Span[] = []
  for (const { kind, pattern } of tokens) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const { 0: token, index: start } = match
      // Another one may begin within this one, which is then only letters before it.
      pattern.lastIndex = start + 1
      if (isRandom(token)) found.push({ start, end: start + token.length, kind })
    }
  }
  return found
}

/** Secrets that need not look random. The group "secret" is what is removed. */
const named: readonly (readonly [kind: string, pattern: RegExp])[] = [
  // A digit tells it from the name of a continent within capitals.
  [
    'aws',
    /(?<secret>(?:AKIA|ASIA(?:(?=[A-Z]{0,15}[2-7])|(?<!\w.{4})(?=.{16}(?!\w))))(?!\w{9}EXAMPLE)[A-Z2-7]{16})/g,
  ],
  ['age', /(?<secret>AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58})/g],
  ['slack', /(?<secret>xox[a-z]-\d[\w-]{10,250})/g],
  ['npm', /_authToken\s{0,4}=\s{0,4}"?(?<secret>[\w+/=.-]{8,250})/g],
  ['azure', /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/g],
  ['bearer token', /bearer\s{1,4}(?<secret>(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{20,4000}={0,2})/gi],
  [
    'private key',
    /(?:private|secret|signing)[ _-]?key["']?(?:\s{0,4}[:=]|\s{1,4}is)\s{0,4}["'`]?(?<secret>(?:0x)?[0-9a-f]{64,256})/gi,
  ],
]

/** Finds secrets that the preset rules do not cover, or not with letters around them. */
export const findOwn = (text: string): readonly Span[] => [
  ...findTokens(text),
  ...named.flatMap(([kind, pattern]) =>
    Array.from(text.matchAll(pattern), ({ 0: { length }, index, groups }) => {
      // The secret is at the end.
      const end = index + length
      return { start: end - (groups?.['secret'] ?? '').length, end, kind }
    }),
  ),
]
