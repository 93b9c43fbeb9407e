import type { Span } from '../span.ts'

/**
 * Rules for secrets that the preset rules do not cover, by fixed marks that ordinary text does not have.
 * Every quantifier is bounded, because the text is hostile. The group "secret", when it exists, is what is
 * removed.
 */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['aws', /\b(?:AKIA|ASIA)(?!\w{9}EXAMPLE)[A-Z2-7]{16}\b/g],
  ['google', /\bAIza[\w-]{35}(?![\w-])/g],
  ['google', /\bGOCSPX-[\w-]{28}(?![\w-])/g],
  ['google', /\bya29\.[\w-]{20,500}/g],
  ['telegram', /(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])/g],
  ['token', /\beyJ[\w-]{8,512}\.eyJ[\w-]{8,6000}\.[\w-]{8,1000}/g],
  ['openai', /\bsk-(?:(?:proj|svcacct|admin)-[\w-]{40,250}|[A-Za-z0-9]{48})(?![\w-])/g],
  ['openrouter', /\bsk-or-v1-[0-9a-f]{64}\b/g],
  ['anthropic', /\bsk-ant-[a-z]{3,8}\d\d-[\w-]{80,200}/g],
  ['slack', /\bxox[ces]-[\w-]{10,250}/g],
  ['npm', /_authToken\s{0,4}=\s{0,4}"?(?<secret>[\w+/=.-]{8,250})/g],
  ['pypi', /\bpypi-AgEIcHlwaS5vcmc[\w-]{50,500}/g],
  ['azure', /\bAccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/g],
  ['twilio', /\bSK[0-9a-f]{32}\b/g],
  ['discord', /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g],
  ['age', /\bAGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}\b/g],
  ['bearer token', /\bbearer\s{1,4}(?<secret>(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{20,4000}={0,2})/gi],
  [
    'private key',
    /\b(?:private|secret|signing)[ _-]?key["']?(?:\s{0,4}[:=]|\s{1,4}is)\s{0,4}["'`]?(?<secret>(?:0x)?[0-9a-f]{64})(?![0-9a-f])/gi,
  ],
]

export const findOwn = (text: string): readonly Span[] =>
  patterns.flatMap(([kind, pattern]) =>
    Array.from(text.matchAll(pattern), (match) => {
      const secret = match.groups?.['secret'] ?? match[0]
      // In each pattern with the group "secret", the secret is at the end.
      const end = match.index + match[0].length
      return { start: end - secret.length, end, kind }
    }),
  )
