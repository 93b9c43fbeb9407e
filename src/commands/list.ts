import type { Row } from '../model/catalogue.ts'
import type { Notice } from '../model/notice.ts'
import { formatProblem } from '../model/problem.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { isWarning, separationLine } from '../model/separation.ts'
import type { Deck } from './deck.ts'
import type { Command, CommandContext, CommandPorts } from './ports.ts'
import { isWaiting, rowLines } from './row.ts'
import type { Shown } from './shown.ts'
import { plural, untilWords } from './words.ts'

const order: Readonly<Record<Row['status'], number>> = { approved: 0, changed: 1, gone: 2, waiting: 3, invalid: 4 }
const maxShown = 30

/** What is wrong, and the ways out: on from the good part, or anew. */
export const lockdownText = (lockdown: string, good: { readonly lines: number; readonly head: string } | undefined, effect = ''): Prose => {
  const waysOut = good === undefined
    ? '→ /hooks recover'
    : `${plural(good.lines, 'line')} of the ledger ${good.lines === 1 ? 'is' : 'are'} good, head ${good.head}\n→ /hooks recover ${good.head}\n  goes on from there\n→ /hooks recover\n  begins anew, nothing approved`
  return fixed(`LOCKDOWN: ${lockdown}\n${effect}${waysOut}`)
}

/** The switch in one line, as `on` and `off` show it. */
export const switchLine = ({ gate, now }: CommandPorts): Prose => {
  const { isOn, isForcedOn, offUntilMs, lockdown, good } = gate()
  if (lockdown !== undefined) return lockdownText(lockdown, good)
  const until = offUntilMs === undefined ? '' : ` ${untilWords(offUntilMs, now())}`
  return fixed(`Hooks are ${isOn ? 'ON' : 'OFF'}${isForcedOn ? ' (STARCHILD_SHELL_HOOKS=1 at start)' : ''}${until}`)
}

const inOrder = (rows: readonly Row[]): readonly Row[] => rows.toSorted((a, b) => order[a.status] - order[b.status])

/** `/hooks list`: the switch, the counts, and every hook with what can be done about it. Turning protection on is one tap. */
const listNotice = (ports: CommandPorts, context: CommandContext, deck: Deck): Notice => {
  const rows = inOrder(ports.rows())
  const { isOn, isForcedOn, offUntilMs, lockdown } = ports.gate()
  const approved = rows.filter(({ live }) => live !== undefined).length
  const waiting = rows.filter(isWaiting).length
  const broken = rows.filter((row) => row.problem !== undefined).length
  const isLive = isOn && lockdown === undefined
  const standing = isLive ? `${approved} live` : approved === 0 ? 'none approved' : `${approved} approved, none live`
  const counts = `${standing} · ${waiting} waiting${broken === 0 ? '' : ` · ${broken} to mend`}`
  const problem = ports.sourceProblem()
  const more = isForcedOn ? '\n(STARCHILD_SHELL_HOOKS=1 at start)' : offUntilMs === undefined ? '' : `\n${untilWords(offUntilMs, ports.now())}, then ON by itself`
  const title = lockdown === undefined ? fixed(`Hooks are ${isOn ? 'ON' : 'OFF'} · config/shell_hooks.yaml${more}`) : switchLine(ports)
  const canSwitchOn = !isOn && approved > 0 && lockdown === undefined
  const text = joinProse([
    prose`${title}\n${fixed(counts)}`,
    ...(problem === undefined ? [] : [prose`\n⚠ ${formatProblem(problem)}`]),
    ...(isWarning(ports.separation) ? [fixed(`\n⚠ ${separationLine(ports.separation)}`)] : []),
    ...(rows.length === 0 ? [fixed('\nNo hooks are proposed yet.')] : [fixed('')]),
    ...rows.slice(0, maxShown).map((row) => rowLines(row, ports, context)),
    ...(rows.length > maxShown ? [fixed(`… and ${rows.length - maxShown} more`)] : []),
    ...(canSwitchOn ? [fixed('\n→ /hooks on')] : []),
  ], '\n')
  return { text, ...deck.under(deck.place(context), [canSwitchOn ? ['on'] : [], waiting > 0 ? ['pending'] : []]) }
}

export const listCommand = (ports: CommandPorts, shown: Shown, deck: Deck): Command => ({
  path: 'hooks list',
  usage: '/hooks',
  summary: 'the switch and every hook',
  need: 'owner',
  run: (_, context) => {
    const rows = ports.rows()
    shown.note(context.owner, inOrder(rows).slice(0, maxShown), rows)
    return listNotice(ports, context, deck)
  },
})
