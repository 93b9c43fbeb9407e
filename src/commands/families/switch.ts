import { readDuration } from '../../shared/base/duration.ts'
import { refusal, type NoticeText } from '../../core/model/chat/notice.ts'
import { joinProse, named, prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import type { Recovery } from '../../core/model/gate/recovery.ts'
import type { CardButtons } from '../cards/card-buttons.ts'
import { switchLine } from './list.ts'
import { foldTypography } from '../../core/commands/parse.ts'
import type { Command, CommandContext, CommandPorts } from '../ports.ts'
import { isWaiting } from '../cards/row.ts'
import { briefWords, oneLine, shorten, untilWords } from '../words.ts'
import { ourWords } from '../../shared/said/our-words.ts'

const maxOffMs = 24 * 60 * 60 * 1000
/** The receipt waits so long for the nodes, in milliseconds. */
const nodesWithinMs = 2000

/** The nodes whose bridges may still act by the earlier setting, should they lose the gate now. */
const untoldText = (nodes: readonly string[]): readonly Prose[] =>
  nodes.length === 0
    ? []
    : [
        prose`⚠ Not confirmed by ${joinProse(nodes.map(named), ', ')}. Clients there that cannot reach the gate go by the earlier setting for at most 30 s.`,
      ]

/** Switches hooks on or off, and tells the other owners. */
export const flip = async (
  ports: CommandPorts,
  cardButtons: CardButtons,
  isOn: boolean,
  context: CommandContext,
  forMs?: number,
): Promise<NoticeText> => {
  const { owner, address, consent } = context
  const { isChanged, warning } = await ports.setSwitch(isOn, consent, forMs)
  const { lockdown, offUntilMs } = ports.gate()
  if (lockdown !== undefined && !isChanged)
    return refusal(proseLines(prose`Nothing was changed.`, switchLine(ports)))
  if (ports.gate().isOn !== isOn) {
    const why = warning === undefined ? prose`The gate’s folder could not be written.` : ourWords(warning)
    return refusal(prose`✗ ${switchLine(ports)} still.\n${why}`)
  }
  if (isChanged) {
    const text = isOn
      ? prose`Hooks were switched ON by ${named(owner)}.`
      : offUntilMs === undefined
        ? prose`⚠ Hooks were switched OFF by ${named(owner)}.\nNo hook fires.\n→ /hooks on`
        : prose`⚠ Hooks were switched OFF by ${named(owner)} ${untilWords(offUntilMs, ports.now())}.\nNo hook fires.\n→ /hooks on`
    ports.tellOthers(
      (chat) => ({ text, ...cardButtons.under(cardButtons.placeOf(chat), isOn ? [] : [['on']]) }),
      address,
    )
  }
  // It is in the ledger, and the gate lost its database since.
  if (lockdown !== undefined)
    return proseLines(
      isOn
        ? prose`Hooks were switched ON. They fire when this ends:`
        : prose`Hooks were switched OFF. That holds when this ends, too:`,
      switchLine(ports),
    )
  const untold = isChanged ? await ports.untoldNodes(nodesWithinMs) : []
  const rows = ports.rows()
  const standing = rows.filter((row) => row.live !== undefined)
  const approved = standing.filter(({ isShadow }) => isShadow !== true).length
  const waiting = rows.filter(isWaiting).length
  const live =
    approved === 0
      ? standing.length === 0
        ? prose`No hook is approved yet`
        : prose`Only shadows are asked, and none decides`
      : approved === 1
        ? prose`1 hook live from the next event`
        : prose`${approved} hooks live from the next event`
  const onEffect = waiting > 0 ? prose`${live} · ${waiting} waiting → /hooks` : prose`${live}.`
  const offEffect =
    offUntilMs === undefined
      ? prose`No hook fires; approvals are kept.`
      : prose`No hook fires; approvals are kept.\nThen they switch ON again automatically.`
  return proseLines(
    isChanged ? prose`${switchLine(ports)}.` : prose`${switchLine(ports)} (they were already).`,
    isOn ? onEffect : offEffect,
    warning !== undefined && prose`⚠ ${ourWords(warning)}`,
    ...untoldText(untold),
  )
}

export const onCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks on',
  usage: '/hooks on',
  summary: 'switch approved hooks on',
  need: 'privileged',
  run: (rest, context) => {
    if (rest === '') return flip(ports, cardButtons, true, context)
    const got = shorten(oneLine(rest))
    return refusal(
      proseLines(
        prose`✗ ${switchLine(ports)}.`,
        prose`“/hooks on” takes nothing after it, but got ${got}. It is one switch for all approved hooks.`,
        prose`To switch all approved hooks on → /hooks on`,
        prose`To let one hook fire → /hooks approve <name>`,
        prose`To stop one hook → /hooks revoke <name>`,
        prose`The handles → /hooks`,
      ),
    )
  },
})

export const offCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks off',
  usage: '/hooks off [15m]',
  summary: 'switch all hooks off, for good or for a while',
  need: 'off',
  run: (rest, context) => {
    if (rest === '') return flip(ports, cardButtons, false, context)
    const forMs = readDuration(foldTypography(rest))
    if (forMs !== undefined && forMs <= maxOffMs) return flip(ports, cardButtons, false, context, forMs)
    const held = ports.gate().lockdown === undefined ? prose`${switchLine(ports)} still.` : switchLine(ports)
    const got = shorten(oneLine(rest))
    const expected = prose`${got} is no time. Write for how long, at most 24h: 90s, 15m or 2h.`
    return refusal(prose`✗ ${held}\n${expected}\n→ /hooks off 15m`)
  },
})

const titled = (title: Prose, hooks: readonly string[]): readonly Prose[] =>
  hooks.length === 0 ? [] : [joinProse([title, ...hooks.map((hook) => briefWords(hook))], '\n  ')]

const receiptText = (ports: CommandPorts, { kept, receipt }: Extract<Recovery, { ok: true }>): Prose => {
  if (receipt === undefined)
    return prose`A new ledger was started. The damaged one was kept beside it.\nNothing is approved and hooks are OFF. Waiting messages are checked again.\n→ /hooks`
  const { lines, head, unread, approved, revoked, broken, lost } = receipt
  return proseLines(
    kept === undefined
      ? prose`The ledger continues after line ${lines}, head ${verbatim(head)}.`
      : prose`The ledger continues after line ${lines}, head ${verbatim(head)}.\nThe damaged one was kept beside it.`,
    prose`${switchLine(ports)}.`,
    ...(approved.length === 0 ? [prose`Nothing is approved.`] : titled(prose`Approved now:`, approved)),
    ...titled(prose`Revoked after that line, and still revoked:`, revoked),
    ...titled(prose`Revoked now, because their sealed files were changed:`, broken),
    ...titled(prose`Approved after that line, and no longer approved:`, lost),
    unread > 0 &&
      (unread === 1
        ? prose`⚠ 1 change after it cannot be read. Hooks that you revoked there are approved again, and owners that you removed are owners again.`
        : prose`⚠ ${unread} changes after it cannot be read. Hooks that you revoked there are approved again, and owners that you removed are owners again.`),
    prose`Waiting messages are checked again.\n→ /hooks`,
  )
}

/** Ends a lockdown with a new ledger, or with the old one after a good line. Owners stay. */
export const recoverCommand = (ports: CommandPorts): Command => ({
  path: 'hooks recover',
  usage: '/hooks recover [head]',
  summary: 'end a lockdown: start a new ledger, or continue from a good line',
  need: 'privileged',
  run: async (rest, { owner, address, consent }) => {
    if (ports.gate().lockdown === undefined) return refusal(prose`There is no lockdown to end.`)
    const head = foldTypography(rest).toLowerCase()
    const done = await (head === '' ? ports.recover(consent) : ports.recover(consent, head))
    if (!done.ok) return refusal(prose`The lockdown could not be ended.\n${ourWords(done.why)}`)
    const text = receiptText(ports, done)
    ports.tellOthers(prose`The lockdown was ended by ${named(owner)}.\n${text}`, address)
    return text
  },
})

/** The notice about an edit of the switch in agent.yaml, with the command that switches it. */
export const switchFileEditText = (said: boolean, isOn: boolean): Prose =>
  prose`config/agent.yaml now says hooks are ${verbatim(said ? 'on' : 'off')}. A file cannot switch them: they are ${verbatim(isOn ? 'ON' : 'OFF')}.\nTo switch them → /hooks ${verbatim(said ? 'on' : 'off')}`
