/**
 * `npm run bench`: what the gate costs, each figure beside a floor that was taken in the same rounds on the
 * same machine.
 * `npm run bench -- fleet` measures a database, nodes and a second gate instead.
 * It starts real processes on loopback in temporary folders, removes them, and always exits with 0 when it
 * could measure.
 */
import { cpus } from 'node:os'
import { setFlagsFromString } from 'node:v8'

// As `hookgate start` does, and as early; there and back again.
setFlagsFromString('--semi-space-growth-factor=1')
const { startThreadedPlane } = await import('../plane.ts')
const { freePort } = await import('../../src/attack/gate/free-port.ts')
const { measureBridge, measureBridgeHttp } = await import('./bridge.ts')
const { measureHistory } = await import('./history.ts')
const { measureHook, measureTimeout, hookScript, slowScript } = await import('./hook.ts')
const { measureHttp } = await import('./http.ts')
const { measureLedger } = await import('./ledger.ts')
const { measureMatching } = await import('./match.ts')
const { measureMemory } = await import('./memory.ts')
const { measureParse } = await import('./parse.ts')
const { measureProcess } = await import('./process.ts')
const { measurePush, measurePushes } = await import('./push.ts')
const { measureStart } = await import('./start.ts')
const { measureStandby } = await import('./standby.ts')
const { medianOf, ratioOf, table, verdicts } = await import('./table.ts')
const { measureTrial } = await import('./trial.ts')
const { measureWarm } = await import('./warm.ts')

const addedMs = (subject: Parameters<typeof medianOf>[0], floor: string, name: string): number =>
  ((medianOf(subject, name) ?? Number.NaN) - (medianOf(subject, floor) ?? Number.NaN)) / 1000
const startedAtMs = performance.now()
const tell = (words: string): void => void process.stdout.write(`${words}\n`)
const tellTime = (): void => tell(`\n${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`)
const [cpu] = cpus()
tell(`Node ${process.version}, ${process.platform}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}\n`)

if (process.argv[2] === 'fleet') {
  const { benchFleet } = await import('./fleet/fleet.ts')
  await benchFleet(tell)
  tellTime()
  process.exit(0)
}

const memory = await measureMemory()
const start = await measureStart()
const trialS = await measureTrial()
const port = await freePort()
const plane = await startThreadedPlane(
  'hooks: []\n',
  { 'hook.sh': hookScript, 'slow.sh': slowScript },
  { STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL: '1' },
  'none',
  { port },
)
setFlagsFromString('--semi-space-growth-factor=2')
await plane.gate.gatekeeper.setSwitch(true, 'memory:owner')
try {
  const parse = await measureParse()
  const push = await measurePush(plane)
  const pushes = await measurePushes(plane)
  const hook = await measureHook(plane)
  const timeout = await measureTimeout(plane)
  const resident = await measureProcess(plane)
  const warm = await measureWarm(plane)
  const standby = await measureStandby(plane)
  const http = await measureHttp(plane)
  const bridge = await measureBridge(plane)
  const bridgeHttp = await measureBridgeHttp(plane, port)
  const matching = await measureMatching(plane)
  const ledger = await measureLedger()
  const history = await measureHistory()
  tell(
    table([
      ...matching,
      hook,
      timeout,
      resident,
      warm,
      ...standby.subjects,
      http,
      bridge,
      bridgeHttp,
      ...parse,
      push,
      ...pushes,
      ...ledger,
      ...history.page,
      history.write,
      start,
    ]),
  )
  tell(`\nResident after a start, with the web page and Telegram, without WeChat (shared pages count in each process):
  bare Node ${memory.bareMb.toFixed(1)} MB · gate ${memory.gateMb.toFixed(1)} MB · all ${memory.processes} processes ${memory.allMb.toFixed(1)} MB
  ${standby.shells} shells that wait for hooks ${standby.shellsMb.toFixed(1)} MB, of which ${standby.ownMb.toFixed(1)} MB are no other process's`)
  tell(`\nA trial of 1000 events by an sh hook: ${trialS.toFixed(1)} s`)
  tell(
    `\n${verdicts([
      {
        what: 'no match among 100 hooks, 64 B, median',
        unit: 'µs',
        atMost: 5,
        figure: medianOf(
          matching.find(({ name }) => name === 'no match, 100 hooks, 64 B'),
          'fire',
        ),
      },
      {
        what: 'no match among 1000 hooks, 64 B, median',
        unit: 'µs',
        atMost: 20,
        figure: medianOf(
          matching.find(({ name }) => name === 'no match, 1000 hooks, 64 B'),
          'fire',
        ),
      },
      {
        what: 'no match among 1000 hooks, 4 kB, median',
        unit: 'µs',
        atMost: 200,
        figure: medianOf(
          matching.find(({ name }) => name === 'no match, 1000 hooks, 4 kB'),
          'fire',
        ),
      },
      {
        what: 'a resident hook, against a bare line there and back',
        unit: '×',
        atMost: 3,
        figure: ratioOf(resident, 'transport'),
      },
      {
        what: 'a fire through a resident hook, median',
        unit: 'µs',
        atMost: 35,
        figure: medianOf(resident, 'fire'),
      },
      {
        what: 'a warm python hook, median',
        unit: 'ms',
        atMost: 2,
        figure: (medianOf(warm, 'fire, warm') ?? Number.NaN) / 1000,
      },
      {
        what: 'an event through a spawned bridge: what it adds, median',
        unit: 'ms',
        atMost: 60,
        figure: addedMs(bridge, 'node --eval 0', 'hookgate bridge'),
      },
      {
        what: 'an event as an HTTP hook: what it adds, median',
        unit: 'ms',
        atMost: 5,
        figure: addedMs(bridgeHttp, 'bare 204', 'HTTP hook'),
      },
      {
        what: 'one sh hook in a row, against its bare spawn',
        unit: '×',
        atMost: 1.25,
        figure: ratioOf(hook, 'fire'),
      },
      ...standby.subjects.map((subject, index) => ({
        what: `${subject.name}, against its bare spawn`,
        unit: '×',
        atMost: index === 0 ? 0.7 : 1,
        figure: ratioOf(subject, 'fire, a shell waits'),
      })),
      {
        what: 'a push of many over 50 chats, no hook, median',
        unit: 'µs',
        atMost: 30,
        figure: medianOf(pushes[0], '50 chats, 0 hooks'),
      },
      {
        what: 'a push: what one resident hook adds, median',
        unit: 'ms',
        atMost: 0.3,
        figure:
          ((medianOf(pushes[1], '1 hooks') ?? Number.NaN) - (medianOf(pushes[1], '0 hooks') ?? Number.NaN)) /
          1000,
      },
      {
        what: 'a ledger of 100 000 entries, verified at start',
        unit: 's',
        atMost: 1,
        figure: (medianOf(ledger[0], 'verified and folded') ?? Number.NaN) / 1e6,
      },
      {
        what: 'the same before a change',
        unit: 'ms',
        atMost: 5,
        figure: (medianOf(ledger[1], 'verified before it') ?? Number.NaN) / 1000,
      },
      {
        what: 'the seal of one file, untouched',
        unit: 'µs',
        atMost: 20,
        figure: medianOf(ledger[2], 'seal check'),
      },
      {
        what: 'a start until the page answers, median',
        unit: 'ms',
        atMost: 600,
        figure: (medianOf(start, 'start to page') ?? Number.NaN) / 1000,
      },
      {
        what: 'the History page at 100 000 events: the first view, median',
        unit: 'ms',
        atMost: 300,
        figure: (medianOf(history.page[1], 'everything') ?? Number.NaN) / 1000,
      },
      {
        what: 'the same: the list of the slowest filter, median',
        unit: 'ms',
        atMost: 100,
        figure: Math.max(...(history.page[0]?.times.map(({ medianUs }) => medianUs) ?? [])) / 1000,
      },
      {
        what: 'the same: the list and both plots of one agent, median',
        unit: 'ms',
        atMost: 100,
        figure: (medianOf(history.page[1], 'one agent') ?? Number.NaN) / 1000,
      },
      {
        what: 'an event kept with a 4 kB payload, median',
        unit: 'µs',
        atMost: 5,
        figure: medianOf(history.write, 'kept'),
      },
      { what: 'resident memory of the gate', unit: 'MB', atMost: 100, figure: memory.gateMb },
      {
        what: 'resident memory of all processes',
        unit: 'MB',
        atMost: 230,
        figure: memory.processes >= 3 ? memory.allMb : undefined,
      },
    ])}`,
  )
} finally {
  await plane.stop()
}
tellTime()
// A push leaves a timer behind that would keep an empty house open for ten seconds more.
process.exit(0)
