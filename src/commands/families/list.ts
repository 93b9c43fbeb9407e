import { wayOut } from '../../shared/gate/recovery.ts'
import { rowKey, type ListedHook } from '../../shared/gate/catalogue.ts'
import { refusal, type Notice } from '../../core/model/chat/notice.ts'
import { joinProse, prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import { isWarning, separationLine } from '../../shared/gate/separation.ts'
import type { CardButtons, CardPlace, Tap } from '../cards/card-buttons.ts'
import type { Command, CommandContext, CommandPorts } from '../ports.ts'
import { isWaiting, listLine, troublesOf } from '../cards/row.ts'
import { hookName, shippedIn } from './shipped/shipped.ts'
import { oneLine, shorten, untilWords } from '../words.ts'
import { fixedWords, problemWords } from '../../shared/said/our-words.ts'

/** The number of hooks on a page. A phone shows them without scrolling. */
const rowsOfPage = 14

/** What needs the owner comes first: hooks that stopped, then what else is the matter with one. */
const rankOf = ({ status, problem, isStopped, isShadow }: ListedHook): number => {
  if (isStopped === true) return 0
  if (problem !== undefined) return 1
  if (isShadow === true) return 4
  return status === 'approved' ? 3 : 2
}

/** The text of a lockdown: its reason, and the two ways to end it. */
export const lockdownText = (
  lockdown: string,
  good: { readonly lines: number; readonly head: string } | undefined,
  effect: Prose = [],
): Prose => {
  const why = fixedWords(lockdown)
  const head = prose`LOCKDOWN: ${effect.length === 0 ? why : prose`${why}.`}\n${effect}`
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

const pageLine = ({ number, of }: Page, canTap: boolean): Prose =>
  canTap
    ? prose`page ${number} of ${of}`
    : prose`page ${number} of ${of} → /hooks ${number < of ? number + 1 : 1}`

/** The warning about a file of hooks that cannot be read. */
export const sourceLine = ({ sourceProblem }: CommandPorts): Prose | false => {
  const problem = sourceProblem()
  return problem !== undefined && prose`⚠ ${problemWords(problem)}`
}

/** The warnings about the file and the machine, above the list. */
const warnings = (ports: CommandPorts): readonly (Prose | false)[] => [
  sourceLine(ports),
  isWarning(ports.separation) && prose`⚠ ${separationLine(ports.separation)}`,
]

/** What waits for the owner, in numbers. Undefined: nothing does. */
const waitsLine = (rows: readonly ListedHook[], canTap: boolean): Prose | undefined => {
  const waiting = rows.filter(isWaiting).length
  const { toFix, idle, unseen } = troublesOf(rows)
  const counts = joinProse(
    [
      waiting > 0 && (waiting === 1 ? prose`1 waits for you` : prose`${waiting} wait for you`),
      toFix.length > 0 && prose`${toFix.length} to fix`,
      idle.length > 0 && prose`${idle.length} cannot run here`,
      unseen.length > 0 && prose`${unseen.length} being checked`,
    ],
    ' · ',
  )
  if (counts.length === 0) return undefined
  return canTap ? counts : prose`${counts}\n→ /hooks pending`
}

/** The title of the list: the switch, and how long it stays as it is. */
const titleOf = (ports: CommandPorts, live: number): Prose => {
  const { isOn, lockdown, offUntilMs } = ports.gate()
  const title = switchLine(ports)
  if (lockdown !== undefined) return title
  if (live === 0) return prose`${title}. Nothing protects you yet.`
  if (isOn) return title
  return offUntilMs === undefined
    ? prose`${title}: none of these fires.`
    : prose`${title}, then ON automatically.`
}

const turnTo = (label: 'Back' | 'Next', page: number): Tap => ({
  act: 'turn',
  label,
  words: `/hooks ${page}`,
})

/** The answer of `/hooks`: the switch, what protects now by name, and how much waits for the owner. */
const listNotice = (
  rows: readonly ListedHook[],
  page: Page,
  ports: CommandPorts,
  { owner, address }: CommandContext,
  place: CardPlace,
  cardButtons: CardButtons,
): Notice => {
  const { isOn, lockdown } = ports.gate()
  const live = rows.filter((row) => row.live !== undefined).length
  const canSwitchOn = !isOn && live > 0 && lockdown === undefined
  const ours = shippedIn(ports)
  const waits = waitsLine(rows, place.canTap)
  const text = proseLines(
    titleOf(ports, live),
    ...(page.number === 1 ? warnings(ports) : []),
    ...page.rows.map((row) => {
      const handle = place.canTap ? '' : ports.handle(owner, address.chat_id, rowKey(row) ?? '')
      return listLine(row, hookName(row, ours(row)), handle, ports)
    }),
    rows.length === 0 && prose`No hooks are proposed yet.`,
    waits,
    page.of > 1 && pageLine(page, place.canTap),
    canSwitchOn && !place.canTap && prose`→ /hooks on`,
  )
  const turns = [
    ...(page.number > 1 ? [turnTo('Back', page.number - 1)] : []),
    ...(page.number < page.of ? [turnTo('Next', page.number + 1)] : []),
  ]
  const show = waits === undefined ? [] : ['pending' as const]
  return { text, ...cardButtons.under(place, [turns, canSwitchOn ? ['on' as const] : [], show]) }
}

export const listCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks list',
  usage: '/hooks [page]',
  summary: 'what protects you now, and what waits for you',
  need: 'viewer',
  needsRefresh: true,
  run: (rest, context) => {
    if (!/^\d{0,6}$/.test(rest)) {
      return refusal(prose`Expected the number of a page, got ${shorten(oneLine(rest))}.\n→ /hooks`)
    }
    const rows = ports.rows()
    const live = rows.filter((row) => row.live !== undefined)
    const page = pageOf(live, rest)
    cardButtons.shown.note(context.owner, page.rows, rows, 'line')
    return listNotice(rows, page, ports, context, cardButtons.place(context), cardButtons)
  },
})
