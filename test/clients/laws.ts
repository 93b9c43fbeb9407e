import type { InstalledClient } from '../../src/bridge/install/clients.ts'

/** What each client is tried for, in the words of the README's table. */
export const LAWS = {
  installed: '`bridge install` writes its hooks, and a refusal refuses',
  allow: 'what no hook minds runs',
  deny: 'a refused call does not run, and the model is told why',
  rewrite: 'a rewritten call runs as rewritten',
  ask: 'a hook asks: it runs once you said yes in the chat',
  timeout: 'a hook that hangs refuses',
  stop: 'a refused end goes on, at most 3 times',
  dead: 'without a gate nothing runs',
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
  opencode: { stop: { words: 'not in `opencode run`: it has ended by then', turns: 1 } },
}

export const limitOf = (client: InstalledClient, law: Law): Limit | undefined => limits[client]?.[law]
