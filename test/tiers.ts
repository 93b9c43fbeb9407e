/** A tier of tests: which files belong to it, and how its files run. */
export interface Tier {
  /** What a file of this tier is called. A file belongs to a tier by its name alone. */
  readonly include: readonly string[]
  /** What the tier proves, as one sentence. */
  readonly proves: string
  /** How many files run at once. */
  readonly workers: number
  /** The files of one worker share their modules, which saves a third of the processor's time. */
  readonly isShared?: true
}

/** The tiers that vitest runs. `npm test` is the first of them, `npm run test:<name>` each of the others. */
export const tiers = {
  quick: {
    include: ['test/**/*.test.ts', 'test/**/*.property.ts'],
    proves: 'The product does what it says, on any machine that has npm, git and a POSIX shell.',
    workers: 3,
    isShared: true,
  },
  smoke: {
    include: ['test/**/*.smoke.ts'],
    proves:
      'The whole program works, in about thirty tests with real parts: what has to be green before anything lands.',
    workers: 2,
  },
  integration: {
    include: ['test/**/*.integration.ts'],
    proves: 'Hooks, shells, git, threads and agents work as real programs, many of them and for longer.',
    workers: 3,
    isShared: true,
  },
  e2e: {
    include: ['test/**/*.e2e.ts'],
    proves:
      'The whole program works with a real browser, real users, sandboxes and processes that are killed.',
    workers: 3,
  },
  property: {
    include: ['test/**/*.property.ts'],
    proves: 'The laws that must hold for any input hold for thousands of random ones.',
    workers: 2,
  },
  attack: {
    include: ['test/**/*.attack.ts'],
    proves: 'No forgery with the rights of an agent, or of a stranger in a chat, opens the gate.',
    workers: 3,
  },
  fleet: {
    include: ['test/**/*.fleet.ts'],
    proves:
      'What is kept in a PostgreSQL server is kept as in a file, and one of several gates works at a time.',
    workers: 1,
  },
  load: {
    include: ['test/**/*.load.ts'],
    proves: 'Nothing is lost or doubled while 50 chats are written to and processes are killed.',
    workers: 1,
  },
} as const satisfies Readonly<Record<string, Tier>>

export type TierName = keyof typeof tiers
