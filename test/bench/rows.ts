import type { startGate } from './gate.ts'
import type { Measured } from './measure.ts'
import type { ReadText } from './parse.ts'

/** What a figure of a row should come to at most. */
export interface Aim {
  /** The contender that it is about. */
  readonly of: string
  /** The contender whose figure is taken from it: what comes on top of that one. */
  readonly over?: string
  readonly atMost: number
  /** `×`: against the floor. */
  readonly unit: 'µs' | 'ms' | 's' | '×' | 'MB'
}

/** Something that the bench measures, in a process of its own. */
export interface Row {
  /** The word for it at the command line. */
  readonly name: string
  readonly what: string
  /** The contender that does the least that the work needs: the first one. Else why there is none. */
  readonly floor: string | { readonly none: string }
  readonly aims: readonly [Aim, ...Aim[]]
  /** Nothing but this process is measured, and it takes some seconds. These are the rows of `--quick`. */
  readonly isQuick: boolean
  /** Absent: its figures are times. */
  readonly isMemory?: true
  /** The row starts a gate of its own if it needs one; whoever calls stops it. */
  measure(start: typeof startGate): Promise<Measured>
}

/** In place of a contender: the one with the largest median, without the floor. */
export const slowest = 'the slowest'

const noMatch = (hooks: number, size: '64 B' | '4 kB', atMostUs: number): Row => ({
  name: `no-match-${hooks}-${size.replace(' ', '').toLowerCase()}`,
  what: `a fire among ${hooks} hooks of which none matches, ${size}`,
  floor: 'tool names compared',
  aims: [{ of: 'fire', atMost: atMostUs, unit: 'µs' }],
  // Approving a thousand hooks takes longer than all quick rows. Ten say little beside none and a hundred.
  isQuick: hooks === 0 || hooks === 100,
  measure: async (start) => (await import('./match.ts')).measureNoMatch(await start(), hooks, size),
})

const parse = (name: string, which: ReadText, atMostUs: number): Row => ({
  name,
  what: `a text is read for commands: ${which}`,
  floor: 'startsWith and split',
  aims: [{ of: 'parseChat', atMost: atMostUs, unit: 'µs' }],
  isQuick: true,
  measure: async () => (await import('./parse.ts')).measureParse(which),
})

const standby = (kind: 'sh' | 'python' | 'node', atMost: number): Row => ({
  name: `rested-${kind}`,
  what: `one approved ${kind} hook, rested`,
  floor: 'bare spawn',
  aims: [{ of: 'fire, a shell waits', atMost, unit: '×' }],
  isQuick: false,
  measure: async (start) => (await import('./standby.ts')).measureStandby(await start(), kind),
})

/**
 * Everything that `npm run bench` can measure. "As measured" at an aim: it is a figure of November 2026 with
 * some room, because nobody has named a better one yet.
 */
export const rows: readonly Row[] = [
  noMatch(0, '64 B', 4),
  noMatch(0, '4 kB', 6),
  // As measured.
  noMatch(10, '64 B', 15),
  // As measured.
  noMatch(10, '4 kB', 25),
  noMatch(100, '64 B', 6),
  noMatch(100, '4 kB', 20),
  noMatch(1000, '64 B', 20),
  noMatch(1000, '4 kB', 200),
  {
    name: 'no-match-in-a-row',
    what: 'a fire among 100 hooks of which none matches, 64 B, 100 in a row',
    floor: { none: 'No bare work does what a record needs.' },
    aims: [{ of: 'fire, until all records are stored', atMost: 25, unit: 'µs' }],
    isQuick: true,
    measure: async (start) => (await import('./match.ts')).measureInARow(await start()),
  },
  {
    name: 'sh',
    what: 'one approved three-line sh hook, in a row',
    floor: 'bare spawn',
    aims: [{ of: 'fire', atMost: 1.3, unit: '×' }],
    isQuick: false,
    measure: async (start) => (await import('./hook.ts')).measureHook(await start()),
  },
  standby('sh', 0.8),
  standby('python', 1),
  standby('node', 1),
  {
    name: 'rested-memory',
    what: 'three shells that wait for hooks',
    floor: { none: 'Without them there is nothing.' },
    // As measured.
    aims: [{ of: 'what no other process shares', atMost: 1, unit: 'MB' }],
    isQuick: false,
    isMemory: true,
    measure: async (start) => (await import('./standby.ts')).measureStandbyMemory(await start()),
  },
  {
    name: 'timeout',
    what: 'a hook and its child, late by two seconds at a limit of one',
    floor: { none: 'The limit itself is the least.' },
    // As measured.
    aims: [{ of: 'fire', atMost: 1100, unit: 'ms' }],
    isQuick: false,
    measure: async (start) => (await import('./hook.ts')).measureTimeout(await start()),
  },
  {
    name: 'resident',
    what: 'one approved resident python hook',
    floor: 'bare line there and back',
    aims: [
      { of: 'transport', atMost: 3, unit: '×' },
      { of: 'fire', atMost: 60, unit: 'µs' },
    ],
    isQuick: false,
    measure: async (start) => (await import('./process.ts')).measureProcess(await start()),
  },
  {
    name: 'warm',
    what: 'one approved python hook',
    floor: 'bare spawn',
    aims: [{ of: 'fire, warm', atMost: 2.5, unit: 'ms' }],
    isQuick: false,
    measure: async (start) => (await import('./warm.ts')).measureWarm(await start()),
  },
  {
    name: 'http',
    what: 'one approved http hook, kept connection',
    floor: 'bare keep-alive POST',
    aims: [{ of: 'fire', atMost: 200, unit: 'µs' }],
    isQuick: true,
    measure: async (start) => (await import('./http.ts')).measureHttp(await start()),
  },
  {
    name: 'bridge',
    what: 'one event through a spawned bridge',
    floor: 'node --eval 0',
    aims: [{ of: 'hookgate bridge', over: 'node --eval 0', atMost: 60, unit: 'ms' }],
    isQuick: false,
    measure: async (start) => (await import('./bridge.ts')).measureBridge(await start()),
  },
  {
    name: 'bridge-http',
    what: 'one event as an HTTP hook, kept connection',
    floor: 'bare 204',
    aims: [{ of: 'HTTP hook', over: 'bare 204', atMost: 5, unit: 'ms' }],
    isQuick: true,
    measure: async (start) => (await import('./bridge.ts')).measureBridgeHttp(await start()),
  },
  // As measured, all three.
  parse('parse-command', 'a command', 2),
  parse('parse-prose', 'prose, 75 characters', 2),
  parse('parse-long', 'prose, 4 kB in 40 lines', 40),
  {
    name: 'push',
    what: 'a push with no hook',
    floor: 'the channel alone',
    aims: [{ of: 'push, to delivered', atMost: 300, unit: 'µs' }],
    isQuick: true,
    measure: async (start) => (await import('./push.ts')).measurePush(await start()),
  },
  {
    name: 'pushes',
    what: 'a push of 250 at a time, no hook approved',
    floor: 'the channel alone',
    aims: [{ of: '50 chats, 0 hooks', atMost: 40, unit: 'µs' }],
    isQuick: true,
    measure: async (start) => (await import('./push.ts')).measureManyPushes(await start()),
  },
  {
    name: 'push-judged',
    what: 'a push with five resident hooks approved, one at a time',
    floor: 'the channel alone',
    aims: [
      { of: '5 hooks', atMost: 0.9, unit: 'ms' },
      { of: '1 hooks', over: '0 hooks', atMost: 0.3, unit: 'ms' },
    ],
    isQuick: false,
    measure: async (start) => (await import('./push.ts')).measureJudgedPush(await start(), 'all'),
  },
  {
    name: 'push-judged-one-core',
    what: 'the same, all on one core',
    floor: 'the channel alone',
    // As measured.
    aims: [{ of: '5 hooks', atMost: 3, unit: 'ms' }],
    isQuick: false,
    measure: async (start) => (await import('./push.ts')).measureJudgedPush(await start(), 'one'),
  },
  {
    name: 'pushes-judged',
    what: 'a push of 250 at a time with five resident hooks approved',
    floor: 'the channel alone',
    // As measured.
    aims: [{ of: '50 chats, 5 hooks', atMost: 500, unit: 'µs' }],
    isQuick: false,
    measure: async (start) => (await import('./push.ts')).measureManyJudged(await start()),
  },
  {
    name: 'ledger-start',
    what: 'a ledger of 100 000 entries, at a start',
    floor: 'read, HMAC and SHA-256 of each line',
    aims: [{ of: 'verified and folded', atMost: 1, unit: 's' }],
    // It reads a long ledger a dozen times.
    isQuick: false,
    measure: async () => (await import('./ledger.ts')).measureLedgerStart(),
  },
  {
    name: 'ledger-change',
    what: 'a ledger of 100 000 entries, at a change',
    floor: 'append and fsync of a line',
    aims: [{ of: 'verified before it', atMost: 5, unit: 'ms' }],
    isQuick: true,
    measure: async () => (await import('./ledger.ts')).measureLedgerChange(),
  },
  {
    name: 'seal',
    what: 'the seal of one file, untouched',
    floor: 'one stat',
    aims: [{ of: 'seal check', atMost: 20, unit: 'µs' }],
    isQuick: true,
    measure: async () => (await import('./ledger.ts')).measureSeal(),
  },
  {
    name: 'history-list',
    what: 'the History page at 100 000 events: the list',
    floor: 'bare scan of the table of events',
    aims: [{ of: slowest, atMost: 100, unit: 'ms' }],
    isQuick: false,
    measure: async () => (await import('./history.ts')).measurePage('list'),
  },
  {
    name: 'history-plots',
    what: 'the History page at 100 000 events: the list and both plots',
    floor: 'bare scan of the table of events',
    aims: [
      { of: 'everything', atMost: 300, unit: 'ms' },
      { of: 'one agent', atMost: 100, unit: 'ms' },
    ],
    isQuick: false,
    measure: async () => (await import('./history.ts')).measurePage('list and plots'),
  },
  {
    name: 'history-kept',
    what: 'an event is kept, 4 kB',
    floor: 'JSON.stringify of its payload',
    aims: [{ of: 'kept', atMost: 4, unit: 'µs' }],
    isQuick: true,
    measure: async () => (await import('./history.ts')).measureKept(),
  },
  {
    name: 'start',
    what: 'one start, without a messenger',
    floor: 'node --eval 0',
    aims: [{ of: 'start to page', atMost: 500, unit: 'ms' }],
    isQuick: false,
    measure: async () => (await import('./start.ts')).measureStart(),
  },
  {
    name: 'memory',
    what: 'after a start, with the web page and Telegram, without WeChat (shared pages count in each process)',
    floor: 'bare Node',
    aims: [
      { of: 'gate', atMost: 110, unit: 'MB' },
      { of: 'all processes', atMost: 230, unit: 'MB' },
    ],
    isQuick: false,
    isMemory: true,
    measure: async () => (await import('./memory.ts')).measureMemory(),
  },
  {
    name: 'trial',
    what: 'a trial of 1000 events by an sh hook',
    floor: { none: 'Nothing else asks a hook about what is over.' },
    aims: [{ of: 'trial', atMost: 3, unit: 's' }],
    isQuick: false,
    measure: async (start) => (await import('./trial.ts')).measureTrial(await start('auto')),
  },
]
