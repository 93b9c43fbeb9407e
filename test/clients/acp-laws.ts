import type { Limit } from './laws.ts'

/** `isRefused`: what the test then expects is a refusal in place of it. */
export interface AcpLimit extends Limit {
  readonly isRefused: boolean
}

/** What each agent of kind acp is tried for, in the words of the table of its README. */
export const ACP_LAWS = {
  chat: 'what you write is answered in the chat',
  allow: 'a call that you allow runs',
  deny: 'a call that a hook refuses does not run, and the agent is told why',
  rewrite: 'a call that a hook rewrites runs as rewritten',
  ask: 'a hook asks: your card says why, and it runs once you said yes',
  stop: '`/stop` ends a running command',
  new: '`/new` begins another session',
  unasked: 'what it runs without asking is noticed, and ends the turn where a hook objects',
} as const
export type AcpLaw = keyof typeof ACP_LAWS

const asItWas = { words: 'refused, with the call that is wanted', isRefused: true }
const limits: Readonly<Record<string, Readonly<Partial<Record<AcpLaw, AcpLimit>>>>> = {
  'Gemini CLI': { rewrite: asItWas },
  'Claude Code': { rewrite: asItWas },
  Codex: { rewrite: asItWas },
  'Copilot CLI': { rewrite: asItWas },
  'Kimi Code': {
    rewrite: {
      words: '✓ once it ran a command; before, refused with the call that is wanted',
      isRefused: false,
    },
  },
  OpenCode: { rewrite: asItWas, unasked: { words: 'it asks about everything', isRefused: true } },
}

export const acpLimitOf = (title: string, law: AcpLaw): AcpLimit | undefined => limits[title]?.[law]
