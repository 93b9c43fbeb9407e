import type { Entry } from '../../src/model/hooks/entry.ts'
import type { Plane } from '../plane.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { awaited, inTurn, measure, type Contender } from './measure.ts'
import { startPeer } from './peer.ts'
import type { Subject } from './table.ts'

const by = 'memory:owner'
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
const commands = [
  { size: '64 B', command: line.slice(0, 64) },
  { size: '4 kB', command: line.repeat(64).slice(0, 4096) },
]

/** What a gate costs that knows nothing but tool names: the obvious loop, and nothing merged or kept. */
const namesOnly = (names: readonly RegExp[], toolName: string): boolean => {
  for (const name of names) if (name.test(toolName)) return true
  return false
}

const anyMatches = (patterns: readonly RegExp[], subject: string): boolean => {
  for (const one of patterns) if (one.test(subject)) return true
  return false
}

const inARow = 100

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

/**
 * A fire that no matcher hits: through the gate as it runs, with all approved hooks in force and every record
 * kept.
 */
export const measureMatching = async (plane: Plane): Promise<readonly Subject[]> => {
  const { gatekeeper, dispatcher, store } = plane.gate
  const subjects: Subject[] = []
  const peer = await startPeer(plane.workspace)
  let approved = 0
  for (const count of [0, 10, 100, 1000]) {
    for (; approved < count; approved++) {
      const done = await gatekeeper.approve(entry(approved), by)
      if (!done.ok) throw new Error(done.problem.message)
    }
    const tools = Array.from({ length: count }, (_, index) => {
      const place = places[index % places.length] ?? ''
      return `^(${place}_read|${place}_write_${index})$`
    })
    const names = tools.map((tool) => new RegExp(tool))
    const patterns = Array.from({ length: count }, (_, index) => new RegExp(pattern(index), 'm'))
    for (const { size, command } of commands) {
      const request = {
        agentId: 'main',
        event: 'pre_tool_call',
        sessionId: 'bench',
        cwd: plane.workspace,
        fields: { tool_name: 'bash', tool_input: { command }, tool_use_id: 'call-1' },
      } as const
      const subject = `bash\ncommand\n${command}`
      const fired = await dispatcher.fire(request)
      if (
        fired.kind !== 'verdict' ||
        fired.verdict.hooks.length !== count ||
        fired.verdict.hooks.some((trace) => trace.fired)
      )
        throw new Error(`Expected ${count} hooks and no match.`)
      const times = await measure(
        [
          inTurn('tool names compared', 20, () => namesOnly(names, 'bash')),
          inTurn('V8 RegExp one by one', 20, () => anyMatches(patterns, subject)),
          awaited('fire', () => dispatcher.fire(request)),
          {
            name: 'Gemini CLI, tool names',
            sample: () => peer.ask({ kind: 'match', matchers: tools, tool: 'bash', times: 20 }),
          },
        ],
        { rounds: 30, burst: 20, warmUps: 300, between: () => store.records({ limit: 1 }) },
      )
      subjects.push({ name: `no match, ${count} hooks, ${size}`, times })
      if (count !== 100 || command !== commands[0]?.command) continue
      const stored = (): Promise<unknown> => store.records({ limit: 1 })
      subjects.push({
        name: `no match, ${count} hooks, ${size}, ${inARow} in a row`,
        times: await measure(
          [
            manyFires(
              'fire',
              () => dispatcher.fire(request),
              () => Promise.resolve(),
            ),
            manyFires('fire, until all records are stored', () => dispatcher.fire(request), stored),
          ],
          { rounds: 40, burst: 1, warmUps: 3, between: stored },
        ),
      })
    }
  }
  await peer.stop()
  return subjects
}
