import type { startGate } from './gate.ts'
import type { Measured } from './measure.ts'

/** What a figure of a row should come to at most. */
export interface Aim {
  /** The contender that it is about. */
  readonly of: string
  /** The contender whose figure is taken from it: what comes on top of that one. */
  readonly over?: string
  readonly atMost: number
  /** `×`: against the floor. */
  readonly unit: 'µs' | 'ms' | 's' | '×' | 'MB'
  /**
   * Nobody has set a goal. It is at most twice what was measured when it was written, so that a figure that
   * gets much worse is seen. Whoever makes it much better lowers it.
   */
  readonly isAsMeasured?: true
}

/** Something that the bench measures, in a process of its own. */
export interface Row {
  /** The word for it at the command line. */
  readonly name: string
  readonly what: string
  /**
   * The contender that does the least that the work needs: the first one. It runs nothing that a revision
   * changes, so its own change is chance. Else why there is none.
   */
  readonly floor: string | { readonly none: string }
  readonly aims: readonly [Aim, ...Aim[]]
  /** Nothing but this process is measured, and it takes some seconds. These are the rows of `--quick`. */
  readonly isQuick: boolean
  /** Absent: its figures are times. */
  readonly isMemory?: true
  /** The row starts a gate of its own if it needs one; whoever calls stops it. */
  measure(start: typeof startGate): Promise<Measured>
}

const noMatch = (hooks: number, size: '64 B' | '4 kB', atMostUs: number): Row => ({
  name: `no-match-${hooks}-${size.replace(' ', '').toLowerCase()}`,
  what: `a fire among ${hooks} hooks of which none matches, ${size}`,
  floor: 'tool names compared',
  aims: [{ of: 'fire', atMost: atMostUs, unit: 'µs' }],
  // Approving a thousand hooks takes longer than all quick rows.
  isQuick: hooks < 1000,
  measure: async (start) => (await import('./match.ts')).measureNoMatch(await start(), hooks, size),
})

/** Everything that `npm run bench` can measure. */
export const rows: readonly Row[] = [
  noMatch(0, '64 B', 4),
  noMatch(0, '4 kB', 6),
  noMatch(100, '64 B', 6),
  noMatch(100, '4 kB', 20),
  noMatch(1000, '64 B', 20),
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
    measure: async (start) => (await import('./hook.ts')).measureHook(await start(), 0),
  },
  {
    name: 'rested-sh',
    what: 'the same hook after a rest of 25 ms, so that a shell waits for it',
    floor: 'bare spawn',
    aims: [{ of: 'fire', atMost: 0.8, unit: '×' }],
    isQuick: false,
    measure: async (start) => (await import('./hook.ts')).measureHook(await start(), 25),
  },
  {
    name: 'resident',
    what: 'one approved resident python hook, all on one core',
    floor: 'bare line there and back',
    aims: [{ of: 'fire', atMost: 60, unit: 'µs' }],
    isQuick: false,
    measure: async (start) => (await import('./process.ts')).measureProcess(await start()),
  },
  {
    name: 'warm',
    what: 'one approved warm python hook, after a rest of 80 ms',
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
    what: 'one event of a client through a spawned bridge',
    floor: 'node --eval 0',
    aims: [{ of: 'hookgate bridge', over: 'node --eval 0', atMost: 60, unit: 'ms' }],
    isQuick: false,
    measure: async (start) => (await import('./bridge.ts')).measureBridge(await start()),
  },
  {
    name: 'bridge-http',
    what: 'the same event as an HTTP hook, kept connection',
    floor: 'bare 204',
    aims: [{ of: 'HTTP hook', over: 'bare 204', atMost: 0.3, unit: 'ms', isAsMeasured: true }],
    isQuick: true,
    measure: async (start) => (await import('./bridge.ts')).measureBridgeHttp(await start()),
  },
  {
    name: 'parse',
    what: 'a text of a chat is read for commands',
    floor: 'startsWith and split',
    aims: [
      { of: 'a command', atMost: 1, unit: 'µs', isAsMeasured: true },
      { of: 'prose, 75 characters', atMost: 1, unit: 'µs', isAsMeasured: true },
      { of: 'prose, 4 kB in 40 lines', atMost: 20, unit: 'µs', isAsMeasured: true },
    ],
    isQuick: true,
    measure: async () => (await import('./parse.ts')).measureParse(),
  },
  {
    name: 'push',
    what: 'a push with no hook, one at a time',
    floor: 'the channel alone',
    aims: [{ of: 'push, to delivered', atMost: 300, unit: 'µs' }],
    isQuick: true,
    measure: async (start) => (await import('./push.ts')).measurePush(await start()),
  },
  {
    name: 'pushes',
    what: 'a push of 250 at a time over 50 chats, no hook approved',
    floor: 'the channel alone',
    aims: [{ of: 'push, to delivered', atMost: 40, unit: 'µs' }],
    isQuick: true,
    measure: async (start) => (await import('./push.ts')).measureManyPushes(await start(), 0),
  },
  {
    name: 'push-judged',
    what: 'a push with five resident hooks approved, one at a time, of which none, one or all judge it',
    floor: 'the channel alone',
    aims: [
      { of: '5 hooks', atMost: 0.9, unit: 'ms' },
      { of: '1 hooks', over: '0 hooks', atMost: 0.3, unit: 'ms' },
    ],
    isQuick: false,
    measure: async (start) => (await import('./push.ts')).measureJudgedPush(await start()),
  },
  {
    name: 'pushes-judged',
    what: 'a push of 250 at a time over 50 chats that five resident hooks judge',
    floor: 'the channel alone',
    aims: [{ of: 'push, to delivered', atMost: 500, unit: 'µs', isAsMeasured: true }],
    isQuick: false,
    measure: async (start) => (await import('./push.ts')).measureManyPushes(await start(), 5),
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
    what: 'the same ledger, at a change',
    floor: 'append and fsync of a line',
    aims: [
      { of: 'verified before it', atMost: 25, unit: 'µs', isAsMeasured: true },
      { of: 'verified, written, its head kept', atMost: 1, unit: 'ms', isAsMeasured: true },
    ],
    isQuick: true,
    measure: async () => (await import('./ledger.ts')).measureLedgerChange(),
  },
  {
    name: 'seal',
    what: 'the seal of one file, untouched',
    floor: 'one stat',
    aims: [{ of: 'seal check', atMost: 10, unit: 'µs', isAsMeasured: true }],
    isQuick: true,
    measure: async () => (await import('./ledger.ts')).measureSeal(),
  },
  {
    name: 'history-page',
    what: 'the History page at 100 000 events',
    floor: 'bare scan of the table of events',
    aims: [
      { of: 'list of a hook that was never asked', atMost: 100, unit: 'ms' },
      { of: 'list and plots of one agent', atMost: 100, unit: 'ms' },
      { of: 'list and plots of everything', atMost: 300, unit: 'ms' },
    ],
    isQuick: false,
    measure: async () => (await import('./history.ts')).measurePage(),
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
    what: 'a start in a home that is there, without a messenger',
    floor: 'node --eval 0',
    aims: [{ of: 'start to page', atMost: 500, unit: 'ms' }],
    isQuick: false,
    measure: async () => (await import('./start.ts')).measureStart(),
  },
  {
    name: 'memory',
    what: 'what is held after a start, with the web page and Telegram, without WeChat',
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
  {
    name: 'fleet-event',
    what: 'a fire that no hook matches, with ledger and history in a database',
    floor: { none: 'Beside it is a gate with files, which changes, too.' },
    aims: [{ of: 'database', atMost: 15, unit: 'µs', isAsMeasured: true }],
    isQuick: false,
    measure: async (start) => (await import('./fleet/database.ts')).measureEvent(start),
  },
  {
    name: 'fleet-pushes',
    what: 'a push of 250 at a time over 50 chats, with a database',
    floor: { none: 'Beside it is a gate with files, which changes, too.' },
    aims: [{ of: 'database', atMost: 400, unit: 'µs' }],
    isQuick: false,
    measure: async (start) => (await import('./fleet/database.ts')).measureDurablePushes(start),
  },
  {
    name: 'fleet-node',
    what: 'an event of an agent by its socket, kept connection',
    floor: { none: 'Beside it is an agent of the same gate.' },
    aims: [{ of: 'on a node', over: 'on the machine of the gate', atMost: 2, unit: 'ms' }],
    isQuick: false,
    measure: async (start) => (await import('./fleet/nodes.ts')).measureNodeEvent(start),
  },
  {
    name: 'fleet-off',
    what: 'hooks are turned off on a gate, five nodes and two gates that wait, until the owner knows',
    floor: { none: 'Nothing else has nodes to ask.' },
    aims: [
      { of: '99 of 100 within', atMost: 250, unit: 'ms' },
      { of: 'one stands still, the longest', atMost: 2500, unit: 'ms' },
    ],
    isQuick: false,
    measure: async (start) => (await import('./fleet/nodes.ts')).measureOff(start),
  },
  {
    name: 'fleet-failover',
    what: 'a gate with 10 000 lines of ledger is killed with `kill -9`, until the second one has answered',
    floor: { none: 'The lease of the first one has to end.' },
    aims: [{ of: 'the longest of 5', atMost: 10, unit: 's' }],
    isQuick: false,
    measure: async () => (await import('./fleet/failover.ts')).measureFailover(),
  },
]
