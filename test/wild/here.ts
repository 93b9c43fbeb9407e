import { actingIn } from '../consent.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListedHook } from '../../src/shared/gate/catalogue.ts'
import { contractOf } from '../../src/core/model/events/event.ts'
import type { Json, JsonObject } from '../../src/core/model/base/json.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import { until, type Plane } from '../plane.ts'
import { SYSTEMS, type Outcome, type WildCase, type WildSet } from './lock.ts'

/** What came of one hook behind a real gate, and what its row said before it was approved. */
export interface Here {
  readonly outcome: Outcome
  readonly said: readonly string[]
  readonly detail: string
}

/** Names the sets' files as sources, and waits until the gate has read them. */
export const bring = async (
  plane: Plane,
  sets: readonly Pick<WildSet, 'system' | 'source' | 'config'>[],
): Promise<void> => {
  const lines = sets.map(
    ({ system, source = SYSTEMS[system].source, config }) => `  - ${source}: ./${config}\n`,
  )
  await writeFile(
    join(plane.workspace, 'config/shell_hooks.yaml'),
    `sources:\n${[...new Set(lines)].join('')}`,
  )
  await until('the sources to be read', () => plane.gate.rows().length > 0)
}

const words = ({ problem, unsealed, remarks = [], missing = [] }: ListedHook): readonly string[] => [
  ...(problem === undefined ? [] : [problem.message, problem.fix ?? '']),
  ...unsealed,
  ...remarks,
  ...missing,
]

/** An entry of a source keeps its native event, and the words by which the case knows its command. */
const isNamed = ({ hook }: WildCase, { entry, event, command }: ListedHook): boolean => {
  const [native = '', ...rest] = hook.split(' ')
  return (
    // A file of VS Code's own has its events under names that only hookgate gives them.
    [entry?.dialect?.event, event].some((name) => name?.replace(/^vscode:/, '') === native) &&
    [entry?.name, entry?.command, command, ...(entry?.args ?? [])].join(' ').includes(rest.join(' '))
  )
}

const isSame = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b)

const outcomeOf = (
  { event, ...one }: WildCase,
  fields: Readonly<Record<string, Json>>,
  { verdict, payload, contexts, hooks, warnings, reason }: Verdict,
): Pick<Here, 'outcome' | 'detail'> => {
  const answers = hooks.flatMap(({ answer }) => (answer === undefined ? [] : [answer]))
  const faults = answers.flatMap(({ fault }) => (fault === undefined ? [] : [fault]))
  const why = hooks.map(({ why }) => why).join('; ')
  const detail = [
    reason ?? '',
    ...faults.map(({ kind, detail }) => `${kind}: ${detail}`),
    ...warnings,
    ...contexts.map((text) => `context: ${text.slice(0, 80)}`),
    why,
  ]
    .filter((part) => part !== '')
    .join(' | ')
  const nothing = contractOf(event).gate.includes('block') && one.expect !== 'observes' ? 'allow' : 'observes'
  if (faults.length > 0) return { outcome: verdict === 'block' ? 'block' : 'fault', detail }
  if (verdict !== 'allow') return { outcome: verdict, detail }
  if (contractOf(event).rewrite.some((field) => !isSame(payload[field], fields[field])))
    return { outcome: 'rewrite', detail }
  return { outcome: contexts.length > 0 ? 'context' : nothing, detail }
}

/** Approves the one hook that the case names, fires its event, and revokes it again. */
export const here = async (plane: Plane, one: WildCase, config: string): Promise<Here> => {
  const { gatekeeper, dispatcher, rows } = plane.gate
  // Many proposals at once are looked at one after another.
  const waits = (): boolean =>
    rows().some(({ problem }) => problem?.message.includes('will be inspected soon') === true)
  await until('each proposal to have its turn', () => !waits(), 120_000)
  const isOfFile = ({ entry }: ListedHook): boolean => entry === undefined || entry.origin.includes(config)
  const find = (): ListedHook | undefined =>
    rows().filter((row) => isOfFile(row) && isNamed(one, row))[one.nth]
  const row = find()
  if (row === undefined)
    return {
      outcome: 'cannot run',
      said: [],
      detail: `no row is named ${one.hook}: ${rows()
        .map(
          ({ entry, event, command, problem }) =>
            `${entry?.dialect?.event ?? event} ${command.slice(0, 50)} ${problem?.message ?? ''}`,
        )
        .join(' ; ')}`,
    }
  const said = words(row)
  if (row.entry === undefined || row.proposed === undefined || row.problem !== undefined)
    return { outcome: 'cannot run', said, detail: said.join(' ') }
  // What ran before may have changed a file that the hook names: its owner is then told to look at the list
  // again.
  const approve = async () => {
    const { entry, proposed } = find() ?? row
    const said =
      entry === undefined || proposed === undefined
        ? undefined
        : await actingIn(gatekeeper).approve(entry, proposed)
    if (said?.ok !== false || said.problem.code !== 'approve.changed') return { said, proposed }
    await plane.ask('/hooks list', (answer) => answer !== '')
    return undefined
  }
  const { said: approved, proposed = row.proposed } = await until('the hook to be what is shown', approve)
  if (approved?.ok !== true) return { outcome: 'cannot run', said, detail: JSON.stringify(approved) }
  try {
    const { event, tool, input, fields = {} } = one
    const call: JsonObject =
      tool === undefined ? {} : { tool_name: tool, tool_input: input ?? {}, tool_use_id: 'call-1' }
    const sample = contractOf(event).fields
    const full = {
      ...sample,
      ...('tool_name' in sample ? { tool_name: 'bash', tool_input: {} } : {}),
      ...call,
      ...fields,
    }
    const fired = await dispatcher.fire({
      agentId: 'main',
      event,
      sessionId: 'a-session',
      cwd: plane.workspace,
      fields: full,
    })
    if (fired.kind !== 'verdict') return { outcome: 'fault', said, detail: fired.why }
    return { ...outcomeOf(one, full, fired.verdict), said }
  } finally {
    await actingIn(gatekeeper).revoke(proposed)
  }
}
