import type { InstalledClient } from '../../src/bridge/install/clients.ts'

/** What each client is tried for, in the words of the table in src/bridge/README.md. */
export const LAWS = {
  installed: '`bridge install` writes the hooks, and the client obeys a refusal',
  allow: 'a call that no hook objects to runs',
  deny: 'a call that a hook refuses does not run, and the model is told why',
  subagent: 'a call of a subagent that a hook refuses does not run, and the subagent is told why',
  rewrite: 'a call that a hook rewrites runs as rewritten',
  ask: 'a call that a hook asks about runs after your yes in the chat',
  timeout: 'a call whose hook hangs is refused',
  stop: 'a refused end makes the agent go on, at most 3 times',
  dead: 'no call runs while the gate does not run',
} as const
export type Law = keyof typeof LAWS

/** What a client cannot do, in the words of its cell; what the test then expects is its own. */
export interface Limit {
  readonly words: string
  /** How often the model is asked when each end is refused. */
  readonly turns?: number
}

const limits: Readonly<Partial<Record<InstalledClient, Readonly<Partial<Record<Law, Limit>>>>>> = {
  kimi: {
    rewrite: { words: 'refused, with the call that is wanted' },
    stop: { words: 'once, then it ends', turns: 2 },
  },
  opencode: { stop: { words: 'not in `opencode run`, which has ended by then', turns: 1 } },
}

export const limitOf = (client: InstalledClient, law: Law): Limit | undefined => limits[client]?.[law]
