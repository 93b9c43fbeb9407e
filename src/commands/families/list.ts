import { wayOut } from '../../shared/gate/recovery.ts'
import type { ListedHook } from '../../shared/gate/catalogue.ts'
import { refusal, type Notice } from '../../core/model/chat/notice.ts'
import { formatProblem } from '../../shared/base/problem.ts'
import { joinProse, prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import { isWarning, separationLine } from '../../shared/gate/separation.ts'
import type { CardButtons } from '../cards/card-buttons.ts'
import { handlerLine } from '../cards/handler.ts'
import type { Command, CommandContext, CommandPorts } from '../ports.ts'
import { eventWords, isWaiting, rowLines } from '../cards/row.ts'
import { oneLine, shorten, untilWords } from '../words.ts'

/**
 * The number of rows on a page. They fit into one message, a phone shows them without much scrolling, and the
 * proposals of a first start are one page.
 */
const rowsOfPage = 14

/** The missing program that an unapproved hook needs to run on this machine. */
const lackOf = ({ live, problem }: ListedHook): string | undefined =>
  live === undefined ? problem?.lacks : undefined

/** True when the hook was not checked yet, because checks that take long are spread over time. */
const isUnseen = ({ live, problem }: ListedHook): boolean =>
  live === undefined && problem?.code === 'program.later'

/**
 * The order of the list: what needs the owner comes first. These are approved hooks that stopped, then
 * waiting hooks, then problems. Approved hooks come next, and hooks that cannot run on this machine are last.
 */
const rankOf = (row: ListedHook): number => {
  const { status, problem, isStopped } = row
  if (lackOf(row) !== undefined) return 5
  if (isUnseen(row)) return 6
  if (isStopped === true) return 0
  if (problem !== undefined) return 2
  return { invalid: 2, waiting: 1, changed: 1, gone: 3, approved: 4 }[status]
}

/** The text of a lockdown: its reason, and the two ways to end it. */
export const lockdownText = (
  lockdown: string,
  good: { readonly lines: number; readonly head: string } | undefined,
  effect: Prose = [],
): Prose => {
  const head = prose`LOCKDOWN: ${verbatim(lockdown)}\n${effect}`
  if (good === undefined) return prose`${head}${wayOut(lockdown)}`
  const goodLines =
    good.lines === 1
      ? prose`1 line of the ledger is good, head ${verbatim(good.head)}`
      : prose`${good.lines} lines of the ledger are good, head ${verbatim(good.head)}`
  return prose`${head}${goodLines}\n→ /hooks recover ${verbatim(good.head)}\n  continues from there\n→ /hooks recover\n  starts a new ledger, with nothing approved`
}

/** The state of the switch in one line. */
export const switchLine = ({ gate, now }: Pick<CommandPorts, 'gate' | 'now'>): Prose => {
  const { isOn, isForcedOn, offUntilMs, lockdown, good } = gate()
  if (lockdown !== undefined) return lockdownText(lockdown, good)
  if (isForcedOn) return prose`Hooks are ON (STARCHILD_SHELL_HOOKS=1 at start)`
  if (isOn) return prose`Hooks are ON`
  return offUntilMs === undefined
    ? prose`Hooks are OFF`
    : prose`Hooks are OFF ${untilWords(offUntilMs, now())}`
}

/** One page of the list. A number above the last page means the last page. */
interface Page {
  readonly rows: readonly ListedHook[]
  readonly number: number
  readonly of: number
}

const pageOf = (rows: readonly ListedHook[], asked: string): Page => {
  const of = Math.max(1, Math.ceil(rows.length / rowsOfPage))
  const number = Math.min(of, Math.max(1, Number(asked === '' ? 1 : asked)))
  const inOrder = rows.toSorted((a, b) => rankOf(a) - rankOf(b))
  return { rows: inOrder.slice((number - 1) * rowsOfPage, number * rowsOfPage), number, of }
}

const pageLine = ({ number, of }: Page): Prose =>
  prose`\npage ${number} of ${of} → /hooks ${number < of ? number + 1 : 1}`

/** The warnings about the file and the machine, above the list. */
const warnings = ({ sourceProblem, separation }: CommandPorts): readonly Prose[] => {
  const problem = sourceProblem()
  return [
    ...(problem === undefined ? [] : [prose`\n⚠ ${formatProblem(problem)}`]),
    ...(isWarning(separation) ? [prose`\n⚠ ${separationLine(separation)}`] : []),
  ]
}

/** The hooks that cannot run on this machine, grouped by the program that they need. */
const lackingLines = (rows: readonly ListedHook[]): readonly Prose[] =>
  [...Map.groupBy(rows, lackOf)].flatMap(([program = '', some]) => {
    return [
      some.length === 1
        ? prose`\n1 hook needs ${oneLine(program)}, which is not installed.\nInstall it for the whole system:`
        : prose`\n${some.length} hooks need ${oneLine(program)}, which is not installed.\nInstall it for the whole system:`,
      ...some.map((row) => prose`${eventWords(row.event)}\n  ${handlerLine(row)}`),
    ]
  })

/** The hooks that the gate has not checked yet. This is no problem of theirs. */
const unseenLines = (rows: readonly ListedHook[]): readonly Prose[] =>
  rows.length === 0
    ? []
    : [
        rows.length === 1
          ? prose`\n1 hook more is still being checked.\nAsk again in a few seconds:`
          : prose`\n${rows.length} hooks more are still being checked.\nAsk again in a few seconds:`,
        ...rows.map((row) => prose`${eventWords(row.event)}\n  ${handlerLine(row)}`),
      ]

/** The answer of `/hooks`: the switch, the counts, and the hooks of a page with their commands. */
const listNotice = (
  rows: readonly ListedHook[],
  page: Page,
  ports: CommandPorts,
  context: CommandContext,
  cardButtons: CardButtons,
): Notice => {
  const { isOn, isForcedOn, offUntilMs, lockdown } = ports.gate()
  const standingRows = rows.filter(({ live }) => live !== undefined)
  const approved = standingRows.filter(({ isShadow }) => isShadow !== true).length
  const shadows = standingRows.length - approved
  const waiting = rows.filter(isWaiting).length
  const idle = rows.filter((row) => lackOf(row) !== undefined).length
  const broken = rows.filter((row) => row.problem !== undefined && !isUnseen(row)).length - idle
  const isLive = isOn && lockdown === undefined
  const standing = isLive
    ? prose`${approved} live`
    : approved === 0
      ? prose`none approved`
      : prose`${approved} approved, none live`
  const counts = joinProse(
    [
      standing,
      shadows > 0 && (shadows === 1 ? prose`1 shadow` : prose`${shadows} shadows`),
      prose`${waiting} waiting`,
      broken > 0 && prose`${broken} to fix`,
      idle > 0 && prose`${idle} cannot run here`,
    ],
    ' · ',
  )
  const more = isForcedOn
    ? [prose`(STARCHILD_SHELL_HOOKS=1 at start)`]
    : offUntilMs === undefined
      ? []
      : [prose`${untilWords(offUntilMs, ports.now())}, then ON automatically`]
  const isSwitch = isOn
    ? prose`Hooks are ON · config/shell_hooks.yaml`
    : prose`Hooks are OFF · config/shell_hooks.yaml`
  const title = lockdown === undefined ? proseLines(isSwitch, ...more) : switchLine(ports)
  const canSwitchOn = !isOn && standingRows.length > 0 && lockdown === undefined
  const text = proseLines(
    prose`${title}\n${counts}`,
    ...(page.number === 1 ? warnings(ports) : []),
    ...(rows.length === 0 ? [prose`\nNo hooks are proposed yet.`] : [prose``]),
    ...page.rows
      .filter((row) => lackOf(row) === undefined && !isUnseen(row))
      .map((row) => rowLines(row, ports, context)),
    ...lackingLines(page.rows.filter((row) => lackOf(row) !== undefined)),
    ...unseenLines(page.rows.filter(isUnseen)),
    page.of > 1 && pageLine(page),
    canSwitchOn && prose`\n→ /hooks on`,
  )
  const turns = [
    ...(page.number > 1 ? [{ page: page.number - 1, label: 'Back' }] : []),
    ...(page.number < page.of ? [{ page: page.number + 1, label: 'Next' }] : []),
  ]
  const under = [turns, canSwitchOn ? ['on' as const] : [], waiting > 0 ? ['pending' as const] : []]
  return { text, ...cardButtons.under(cardButtons.place(context), under) }
}

export const listCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks list',
  usage: '/hooks [page]',
  summary: 'the switch and every hook',
  need: 'viewer',
  needsRefresh: true,
  run: (rest, context) => {
    if (!/^\d{0,6}$/.test(rest)) {
      return refusal(prose`Expected the number of a page, got ${shorten(oneLine(rest))}.\n→ /hooks`)
    }
    const rows = ports.rows()
    const page = pageOf(rows, rest)
    cardButtons.shown.note(context.owner, page.rows, rows, 'line')
    return listNotice(rows, page, ports, context, cardButtons)
  },
})
