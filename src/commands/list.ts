import { failWords, rowKey, statusWords, type Row } from '../model/catalogue.ts'
import { isEventName } from '../model/event.ts'
import { formatProblem } from '../model/problem.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import type { Command, CommandContext, CommandPorts } from './ports.ts'
import type { Shown } from './shown.ts'
import { ago, shorten } from './words.ts'

/** An event's name is ours only when it is one; what a file wrote instead is a quote. */
export const eventWords = (event: string): Prose => (isEventName(event) ? fixed(event) : prose`${event}`)

const order: Readonly<Record<Row['status'], number>> = { approved: 0, changed: 1, gone: 2, waiting: 3, invalid: 4 }
const maxShown = 30

/** The switch in one line, as the list, `on` and `off` show it. */
export const switchLine = ({ gate }: CommandPorts): Prose => {
  const { isOn, isForcedOn, lockdown } = gate()
  if (lockdown !== undefined) return fixed(`LOCKDOWN: ${lockdown}\n→ /hooks recover`)
  return fixed(`Hooks are ${isOn ? 'ON' : 'OFF'}${isForcedOn ? ' (STARCHILD_SHELL_HOOKS=1 at start)' : ''}`)
}

const rowLines = (row: Row, ports: CommandPorts, { owner, address }: CommandContext): Prose => {
  const key = rowKey(row)
  const handle = key === undefined ? '' : `${ports.handle(owner, address.chat_id, key)} `
  const head = prose`${fixed(handle + statusWords[row.status])}  ${eventWords(row.event)}\n  ${shorten(row.command)}`
  const firedMs = row.live === undefined ? undefined : ports.lastFiredMs(row.live)
  const fired = firedMs === undefined ? '' : ` · last fired ${ago(firedMs, ports.now())}`
  const fails = row.entry === undefined ? '' : `\n  if it fails: ${failWords[row.entry.onError]}`
  switch (row.status) {
    case 'approved': return prose`${head}${fixed(fails + fired)}`
    case 'gone': return prose`${head}${fixed(`${fails}${fired}\n  → /hooks revoke ${handle}`.trimEnd())}`
    case 'changed': return prose`${head}${fixed(`\n  the approved bytes run on${fired}\n  → /hooks approve ${handle}`.trimEnd())}`
    case 'waiting': return row.problem === undefined
      ? prose`${head}${fixed(`\n  → /hooks approve ${handle}`.trimEnd())}`
      : prose`${head}\n  ${formatProblem(row.problem)}`
    case 'invalid': return row.problem === undefined ? head : prose`${head}\n  ${formatProblem(row.problem)}`
  }
}

/** `/hooks list`: the switch, the counts, and every hook with what can be done about it. */
export const listText = (ports: CommandPorts, context: CommandContext): Prose => {
  const rows = ports.rows().toSorted((a, b) => order[a.status] - order[b.status])
  const { isOn, lockdown } = ports.gate()
  const approved = rows.filter(({ live }) => live !== undefined).length
  const waiting = rows.filter(({ status }) => status === 'waiting' || status === 'changed').length
  const isLive = isOn && lockdown === undefined
  const counts = `${isLive ? `${approved} live` : `${approved} approved, none live`} · ${waiting} waiting`
  const problem = ports.sourceProblem()
  return joinProse([
    prose`${switchLine(ports)}${fixed(' · config/shell_hooks.yaml')}\n${fixed(counts)}`,
    ...(problem === undefined ? [] : [prose`\n⚠ ${formatProblem(problem)}`]),
    ...(rows.length === 0 ? [fixed('\nNo hooks are proposed yet.')] : [fixed('')]),
    ...rows.slice(0, maxShown).map((row) => rowLines(row, ports, context)),
    ...(rows.length > maxShown ? [fixed(`… and ${rows.length - maxShown} more`)] : []),
    ...(isOn || approved === 0 ? [] : [fixed('\n→ /hooks on')]),
  ], '\n')
}

export const listCommand = (ports: CommandPorts, shown: Shown): Command => ({
  path: 'hooks list',
  usage: '/hooks',
  summary: 'the switch and every hook',
  need: 'owner',
  run: (_, context) => {
    for (const row of ports.rows()) shown.note(context.owner, row)
    return listText(ports, context)
  },
})
