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
/** What a phone shows of a line of code without breaking it. */
const maxColumns = 44
/** Two pieces on one line where they fit on it, else on two. */
const gap = (before: string, separator: string, after: string): string => (before.length + separator.length + after.length <= maxColumns ? separator : '\n  ')

/** Whether an owner could approve it as it stands. */
export const isWaiting = (row: Row): boolean => (row.status === 'waiting' || row.status === 'changed') && row.problem === undefined

/** The switch in one line, as the list, `on` and `off` show it. */
export const switchLine = ({ gate }: CommandPorts): Prose => {
  const { isOn, isForcedOn, lockdown } = gate()
  if (lockdown !== undefined) return fixed(`LOCKDOWN: ${lockdown}\n→ /hooks recover`)
  return fixed(`Hooks are ${isOn ? 'ON' : 'OFF'}${isForcedOn ? ' (STARCHILD_SHELL_HOOKS=1 at start)' : ''}`)
}

const rowLines = (row: Row, ports: CommandPorts, { owner, address }: CommandContext): Prose => {
  const key = rowKey(row)
  const handle = key === undefined ? '' : `${ports.handle(owner, address.chat_id, key)} `
  const status = handle + statusWords[row.status]
  const open = row.unsealed.length === 0 ? '' : `\n  not all of it is sealed → /hooks show ${handle}`.trimEnd()
  const head = prose`${fixed(status + gap(status, '  ', row.event))}${eventWords(row.event)}\n  ${shorten(row.command)}${fixed(open)}`
  const problem = row.problem === undefined ? [] : prose`\n  ${formatProblem(row.problem)}`
  const firedMs = row.live === undefined ? undefined : ports.lastFiredMs(row.live)
  const fired = firedMs === undefined ? '' : `last fired ${ago(firedMs, ports.now())}`
  const line = (words: string): string => `\n  ${words}${fired === '' ? '' : gap(`  ${words}`, ' · ', fired) + fired}`
  const fails = line(row.entry === undefined ? 'approved' : `if it fails: ${failWords[row.entry.onError]}`)
  switch (row.status) {
    case 'approved': return prose`${head}${fixed(fails)}`
    case 'gone': return prose`${head}${fixed(`${fails}\n  → /hooks revoke ${handle}`.trimEnd())}`
    case 'changed': return prose`${head}${fixed(line('the approved bytes run on'))}${problem}${fixed(`\n  → /hooks ${row.problem === undefined ? 'approve' : 'revoke'} ${handle}`.trimEnd())}`
    case 'waiting': return row.problem === undefined ? prose`${head}${fixed(`\n  → /hooks approve ${handle}`.trimEnd())}` : prose`${head}${problem}`
    case 'invalid': return prose`${head}${problem}`
  }
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
