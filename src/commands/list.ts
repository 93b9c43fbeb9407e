import type { Row } from '../model/catalogue.ts'
import { formatProblem } from '../model/problem.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { separationLine } from '../model/separation.ts'
import type { Command, CommandContext, CommandPorts } from './ports.ts'
import { isWaiting, rowLines } from './row.ts'
import type { Shown } from './shown.ts'

const order: Readonly<Record<Row['status'], number>> = { approved: 0, changed: 1, gone: 2, waiting: 3, invalid: 4 }
const maxShown = 30

/** The switch in one line, as the list, `on` and `off` show it. */
export const switchLine = ({ gate }: CommandPorts): Prose => {
  const { isOn, isForcedOn, lockdown } = gate()
  if (lockdown !== undefined) return fixed(`LOCKDOWN: ${lockdown}\n→ /hooks recover`)
  return fixed(`Hooks are ${isOn ? 'ON' : 'OFF'}${isForcedOn ? ' (STARCHILD_SHELL_HOOKS=1 at start)' : ''}`)
}

const inOrder = (rows: readonly Row[]): readonly Row[] => rows.toSorted((a, b) => order[a.status] - order[b.status])

/** `/hooks list`: the switch, the counts, and every hook with what can be done about it. */
export const listText = (ports: CommandPorts, context: CommandContext): Prose => {
  const rows = inOrder(ports.rows())
  const { isOn, isForcedOn, lockdown } = ports.gate()
  const approved = rows.filter(({ live }) => live !== undefined).length
  const waiting = rows.filter(isWaiting).length
  const broken = rows.filter((row) => row.problem !== undefined).length
  const isLive = isOn && lockdown === undefined
  const standing = isLive ? `${approved} live` : approved === 0 ? 'none approved' : `${approved} approved, none live`
  const counts = `${standing} · ${waiting} waiting${broken === 0 ? '' : ` · ${broken} to mend`}`
  const problem = ports.sourceProblem()
  const title = lockdown === undefined ? fixed(`Hooks are ${isOn ? 'ON' : 'OFF'} · config/shell_hooks.yaml${isForcedOn ? '\n(STARCHILD_SHELL_HOOKS=1 at start)' : ''}`) : switchLine(ports)
  return joinProse([
    prose`${title}\n${fixed(counts)}`,
    ...(problem === undefined ? [] : [prose`\n⚠ ${formatProblem(problem)}`]),
    ...(ports.separation.kind === 'none' ? [fixed(`\n⚠ ${separationLine(ports.separation)}`)] : []),
    ...(rows.length === 0 ? [fixed('\nNo hooks are proposed yet.')] : [fixed('')]),
    ...rows.slice(0, maxShown).map((row) => rowLines(row, ports, context)),
    ...(rows.length > maxShown ? [fixed(`… and ${rows.length - maxShown} more`)] : []),
    ...(isOn || approved === 0 || lockdown !== undefined ? [] : [fixed('\n→ /hooks on')]),
  ], '\n')
}

export const listCommand = (ports: CommandPorts, shown: Shown): Command => ({
  path: 'hooks list',
  usage: '/hooks',
  summary: 'the switch and every hook',
  need: 'owner',
  run: (_, context) => {
    const rows = ports.rows()
    shown.note(context.owner, inOrder(rows).slice(0, maxShown), rows)
    return listText(ports, context)
  },
})
