import type { Entry } from '../../src/core/model/hooks/entry.ts'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import { approve, type BenchGate } from './gate.ts'
import { hookScript } from './hook.ts'
import { awaited, inTurn, measure, type Contender, type Measured } from './measure.ts'
import { startPeer, withoutPeer } from './peer.ts'

const places = [
  'billing',
  'ledger',
  'archive',
  'metrics',
  'gateway',
  'payroll',
  'search',
  'mailer',
  'backup',
  'vault',
  'catalog',
  'orders',
  'media',
]
const forms: readonly ((place: string) => string)[] = [
  (place) => `rm -rf /srv/${place}|rm -fr /srv/${place}`,
  (place) => `(DROP|TRUNCATE) TABLE ${place}`,
  (place) => `git push (--force|-f) origin ${place}`,
  (place) => `kubectl delete (ns|deploy|pvc) ${place}`,
  (place) => `${place}_(TOKEN|SECRET|API_KEY)=`,
  (place) => `curl .*${place}\\.example.*\\| ?(ba)?sh`,
  (place) => `aws s3 (rb|rm) s3://${place}`,
  (place) => `systemctl (stop|disable|mask) ${place}`,
  (place) => `chmod -R 777 /var/${place}|chown -R nobody /var/${place}`,
  (place) => `mkfs\\.(ext4|xfs) /dev/mapper/${place}|dd if=.* of=/dev/mapper/${place}`,
]

/** Literals and alternations as owners write them, each another one. None matches the commands below. */
const pattern = (index: number): string =>
  (forms[index % forms.length] ?? forms[0])?.(`${places[index % places.length] ?? ''}-${index}`) ?? ''

const entry = (index: number): Entry =>
  anEntry({ command: './hook.sh', matcher: { pattern: pattern(index) } })

const line = 'git -C packages/server log --oneline --since=yesterday | head -9 '
const commands = { '64 B': line.slice(0, 64), '4 kB': line.repeat(64).slice(0, 4096) } as const

/** What a gate costs that knows nothing but tool names: the obvious loop, and nothing merged or kept. */
const namesOnly = (names: readonly RegExp[], toolName: string): boolean => {
  for (const name of names) if (name.test(toolName)) return true
  return false
}

const anyMatches = (patterns: readonly RegExp[], subject: string): boolean => {
  for (const one of patterns) if (one.test(subject)) return true
  return false
}

/** Fires between two reads of the store, which wait for what it has to write. */
const burst = 40
const inARow = 100
const lot = 1000

/**
 * Fires until the last five lots were no faster than one before. In a heap that still grows, and with code
 * that is not compiled yet, the figures would say when garbage was collected, and not what a fire costs.
 */
const warmUp = async (fire: () => Promise<unknown>, between: () => Promise<unknown>): Promise<void> => {
  let best = Infinity
  for (let lots = 0, since = 0; lots < 60 && since < 5; lots++, since++) {
    const from = performance.now()
    for (let count = 0; count < lot; count++) {
      await fire()
      if (count % burst === 0) await between()
    }
    const tookMs = performance.now() - from
    if (tookMs < best * 0.98) since = -1
    best = Math.min(best, tookMs)
  }
}

/** The mean of many fires in a row, with or without what happens to their records afterwards. */
const manyFires = (
  name: string,
  fire: () => Promise<unknown>,
  afterwards: () => Promise<unknown>,
): Contender => ({
  name,
  sample: async () => {
    const from = performance.now()
    for (let count = 0; count < inARow; count++) await fire()
    await afterwards()
    return ((performance.now() - from) * 1000) / inARow
  },
})

/** Approves so many hooks, and fires an event that all of them are there for and none matches. */
const createUnmatched = async (
  gate: BenchGate,
  count: number,
  command: string,
): Promise<() => Promise<unknown>> => {
  await gate.script('hook.sh', hookScript)
  for (let index = 0; index < count; index++) await approve(gate, entry(index))
  const { dispatcher } = gate.gate
  const request = {
    agentId: 'main',
    event: 'pre_tool_call',
    sessionId: 'bench',
    cwd: gate.workspace,
    fields: { tool_name: 'bash', tool_input: { command }, tool_use_id: 'call-1' },
  } as const
  const fired = await dispatcher.fire(request)
  // An older revision has the hooks that did not match among the others.
  const { hooks, missed = 0 } = fired.kind === 'verdict' ? fired.verdict : { hooks: [] }
  if (hooks.length + missed !== count || hooks.some((trace) => trace.fired))
    throw new Error(`Expected ${count} hooks and no match, got ${JSON.stringify(fired).slice(0, 500)}.`)
  return () => dispatcher.fire(request)
}

/**
 * A fire that no matcher hits: through the gate as it runs, with all approved hooks in force and every record
 * kept.
 */
export const measureNoMatch = async (
  gate: BenchGate,
  count: number,
  size: keyof typeof commands,
): Promise<Measured> => {
  const command = commands[size]
  const fire = await createUnmatched(gate, count, command)
  const tools = Array.from({ length: count }, (_, index) => {
    const place = places[index % places.length] ?? ''
    return `^(${place}_read|${place}_write_${index})$`
  })
  const names = tools.map((tool) => new RegExp(tool))
  const patterns = Array.from({ length: count }, (_, index) => new RegExp(pattern(index), 'm'))
  const subject = `bash\ncommand\n${command}`
  const peer = await startPeer(gate.workspace)
  const contenders = [
    inTurn('tool names compared', 20, () => namesOnly(names, 'bash')),
    inTurn('V8 RegExp one by one', 5, () => anyMatches(patterns, subject)),
    awaited('fire', fire),
    ...(peer === undefined
      ? []
      : [
          {
            name: 'Gemini CLI, tool names',
            sample: () => peer.ask({ kind: 'match', matchers: tools, tool: 'bash', times: 20 }),
          },
        ]),
  ]
  try {
    const between = (): Promise<unknown> => gate.gate.store.records({ limit: 1 })
    await warmUp(fire, between)
    const times = await measure(contenders, { rounds: 60, burst, warmUps: burst, between })
    return { times, ...(peer === undefined ? { note: withoutPeer } : {}) }
  } finally {
    await peer?.stop()
  }
}

/** The same a hundred times in a row, with 100 hooks: without what happens to the records, and with it. */
export const measureInARow = async (gate: BenchGate): Promise<Measured> => {
  const fire = await createUnmatched(gate, 100, commands['64 B'])
  // An older revision has no records but those of the store.
  const parts: Partial<typeof gate.gate> = gate.gate
  const records = parts.records ?? gate.gate.store.records
  const stored = (): Promise<unknown> => records({ limit: 1 })
  await warmUp(fire, stored)
  const times = await measure(
    [
      manyFires('fire', fire, () => Promise.resolve()),
      manyFires('fire, until all records are stored', fire, stored),
    ],
    { rounds: 120, burst: 1, warmUps: 3, between: stored },
  )
  return { times }
}
