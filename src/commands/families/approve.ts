import { rowKey, type ListedHook } from '../../model/gate/catalogue.ts'
import { choiceFacts, type FaultChoice } from '../../model/hooks/fault.ts'
import { refusal, type Notice } from '../../model/chat/notice.ts'
import { formatProblem } from '../../model/gate/problem.ts'
import { fixed, joinProse, prose, type Prose, verbatim } from '../../model/chat/prose.ts'
import { handlerLines, optionLines, surroundingLines } from '../cards/binding.ts'
import type { At } from '../cards/card.ts'
import type { CardButtons, CardPlace } from '../cards/card-buttons.ts'
import { driftOf } from './diff.ts'
import { asHandle, findApproved, findByHandle, findProposed, understoodAs, type FoundRows } from '../find.ts'
import { fileWords, handlerLine } from '../cards/handler.ts'
import { hiddenWords } from '../cards/hidden.ts'
import { switchLine } from './list.ts'
import { firstWord, foldTypography } from '../parse.ts'
import type {
  CataloguePorts,
  Command,
  CommandContext,
  GateActPorts,
  GatePorts,
  HandlePorts,
  SealPorts,
  TimePorts,
} from '../ports.ts'
import { canClose, canOpen, eventWords, placeKey } from '../cards/row.ts'
import type { Shown } from '../cards/shown.ts'
import { oneLine } from '../words.ts'

type ApprovePorts = CataloguePorts & GateActPorts & GatePorts & HandlePorts & SealPorts & TimePorts
type RevokePorts = CataloguePorts & GateActPorts & GatePorts & HandlePorts & TimePorts

const nameOf = (row: ListedHook): string => handlerLine(row, 120)

const sealedWords = ({ files, watched = [] }: ListedHook): Prose =>
  joinProse(
    [
      ...(files.length === 0 ? [fixed('no file')] : files.map((file) => fileWords(file, 8))),
      ...watched.map((file) => prose`watched: ${fileWords(file, 8)}`),
    ],
    '\n  ',
  )

/** The receipt of an approval. It shows all that is sealed, because the owner may not have seen it before. */
const receipt = (row: ListedHook, isNew: boolean): Prose => {
  const open =
    row.failsClosed === true || !canClose(row) ? [] : [fixed('approved as “closed” it would block')]
  const [handler, ...more] = [handlerLines(row), optionLines(row), open, surroundingLines(row, 'sealed')]
  const head = isNew
    ? prose`✓ Approved: ${eventWords(row.event)}`
    : prose`✓ Already approved: ${eventWords(row.event)}`
  return joinProse([head, ...(handler ?? []), ...more.flat().map((line) => prose`  ${line}`)], '\n')
}

/** The reason why a choice has no effect for a hook, in words. */
const idleChoice = (row: ListedHook, choice: FaultChoice | undefined): Prose | undefined => {
  if (choice === 'closed' && !canClose(row)) return fixed('its failure cannot block anything')
  if (choice === 'open' && !canOpen(row)) return fixed('its failures block only where its file says so')
  return undefined
}

const approveRow = async (
  row: ListedHook,
  ports: CataloguePorts & GateActPorts,
  { owner }: CommandContext,
  said: FaultChoice | undefined,
): Promise<{ readonly text: Prose; readonly isLive: boolean }> => {
  if (row.status === 'gone')
    return {
      text:
        row.isUnheard === true
          ? prose`${nameOf(row)} is already approved, and its node is not connected.`
          : prose`${nameOf(row)} is already approved, and no file proposes it any longer.`,
      isLive: true,
    }
  if (row.entry === undefined || row.problem !== undefined) {
    return {
      text: prose`✗ ${nameOf(row)} cannot be approved.\n${row.problem === undefined ? fixed('It is invalid.') : formatProblem(row.problem)}`,
      isLive: false,
    }
  }
  // A hook that blocks by its file when it fails needs no choice.
  const choice = said === 'closed' && row.entry.onError === 'block' ? undefined : said
  const idle = idleChoice(row, choice)
  if (choice !== undefined && idle !== undefined) {
    const text = prose`✗ ${nameOf(row)} was not approved: at ${eventWords(row.event)} ${idle}. Approve it without “${verbatim(choice)}”.`
    return { text, isLive: false }
  }
  const done = await ports.approve(row.entry, owner, row.proposed, choice)
  if (!done.ok)
    return { text: prose`✗ ${nameOf(row)} was not approved.\n${formatProblem(done.problem)}`, isLive: false }
  // An older approval of the same place, which no file proposes any longer, ends with the newer one.
  const isLeft =
    row.live !== undefined &&
    row.live !== done.fingerprint &&
    ports.rows().some(({ live, status }) => live === row.live && status === 'gone')
  const left = isLeft && row.live !== undefined ? await ports.revoke(row.live, owner) : undefined
  ports.answered(row, true)
  const { failsClosed: _closed, failsOpen: _open, ...plain } = row
  const text = receipt({ ...plain, status: 'approved', ...choiceFacts(choice) }, done.isNew)
  return {
    text:
      left?.isEnded === false
        ? prose`${text}\n⚠ The earlier version is still approved, too: ${left.why}`
        : text,
    isLive: true,
  }
}

/**
 * A key that is equal for rows that would run the same bytes in the same way, whatever their matchers are.
 */
const programOf = ({ entry, under, files, watched = [] }: ListedHook): string => {
  const { type, agents, args, env, cwd, headers, signWith, model } = entry ?? {}
  return JSON.stringify([
    type,
    agents,
    args,
    env,
    cwd,
    headers,
    signWith,
    model,
    under,
    [...files, ...watched].map(({ path, sha256 }) => [path, sha256]),
  ])
}

/**
 * One command text can name several programs, by folder, variables or arguments. An owner who saw only one of
 * them means that one.
 */
const ambiguous = (
  rows: readonly ListedHook[],
  shown: Shown,
  ports: HandlePorts,
  { owner, address }: CommandContext,
): Prose | undefined => {
  const sound = rows.filter(({ problem, status }) => problem === undefined && status !== 'gone')
  const programs = new Set(sound.map(programOf)).size
  const [first] = sound
  if (
    first === undefined ||
    programs < 2 ||
    sound.every((row) => row.live === row.proposed || shown.has(owner, row))
  )
    return undefined
  const cards = sound.map((row) => {
    const key = rowKey(row)
    return prose`from ${oneLine(row.entry?.origin ?? '')}\n  sealed: ${sealedWords(row)}\n  ${key === undefined ? [] : prose`→ /hooks show ${verbatim(ports.handle(owner, address.chat_id, key))}`}`
  })
  return joinProse(
    [
      prose`Nothing was approved.\n${nameOf(first)} names ${programs} different programs, and you have not seen all of them:`,
      ...cards,
    ],
    '\n',
  )
}

/**
 * Reads `<handle> closed`, which blocks when the hook fails, or `<handle> open`, which does not block even
 * when the agent causes the failure.
 */
const chosenHandle = (
  rest: string,
): { readonly handle: string; readonly choice: FaultChoice } | undefined => {
  const [first, more] = firstWord(foldTypography(rest))
  const choice = (['closed', 'open'] as const).find((word) => word === more.toLowerCase())
  const handle = choice === undefined ? undefined : asHandle(first)
  return choice === undefined || handle === undefined ? undefined : { choice, handle }
}

const maxWhole = 2

/** True when an approval would change anything. */
const isOpen = ({ entry, problem, status, live, proposed }: ListedHook): boolean =>
  entry !== undefined && problem === undefined && status !== 'gone' && live !== proposed

/** A row that has to be shown before it can be approved. `hiddenBy`: the hook that hid part of its card. */
interface Unseen {
  readonly row: ListedHook
  readonly hiddenBy: string | undefined
}

/**
 * Finds the rows that a typed line would seal and that are not what this owner saw last: another version, one
 * with other neighbours than then, or one of which a hook hid a part. An approved version counts as shown,
 * too. An owner who was never shown anything gets the whole receipt afterwards.
 */
const unseen = (
  found: Extract<FoundRows, { rows: unknown }>,
  rows: readonly ListedHook[],
  { shown }: CardButtons,
  { owner, address }: At,
  ports: HandlePorts,
): readonly Unseen[] =>
  found.rows.filter(isOpen).flatMap((row): readonly Unseen[] => {
    const key = rowKey(row)
    const hiddenBy =
      found.byHandle || key === undefined ? found.hiddenBy : ports.hiddenBy(owner, address.chat_id, key)
    const state = found.shows ?? shown.stateOf(owner, row, rows)
    const isUnseen = state === 'other' || (state === 'never' && row.status === 'changed')
    return hiddenBy !== undefined || isUnseen ? [{ row, hiddenBy }] : []
  })

const unseenTitle = (
  { row, hiddenBy }: Unseen,
  { shown }: CardButtons,
  owner: string,
  isCompared: boolean,
): Prose => {
  const name = nameOf(row)
  if (hiddenBy !== undefined) return prose`${name}: ${hiddenWords(hiddenBy)}`
  if (shown.has(owner, row)) return prose`${name}: the proposals under that name changed since you saw them.`
  if (isCompared) return prose`${name} is not what you saw.`
  if (!shown.isKnown(owner, row) && row.status !== 'changed')
    return prose`${name}: it may have changed since you saw it. This is its current state.`
  return prose`${name}: you have not seen all of it yet.`
}

/**
 * The difference since an owner looked, with the whole current card. For many rows, only the command for
 * each.
 */
const unseenText = (
  what: Unseen,
  rows: readonly ListedHook[],
  isWhole: boolean,
  ports: HandlePorts & SealPorts,
  place: CardPlace,
  cardButtons: CardButtons,
): Notice => {
  const { row } = what
  const difference = driftOf(row, rows, cardButtons, ports, place.owner)
  const title = unseenTitle(what, cardButtons, place.owner, difference.length > 0)
  if (isWhole) {
    const now = cardButtons.card(row, rows, place, true)
    return { ...now, text: joinProse([title, ...difference, [], now.text], '\n') }
  }
  const key = rowKey(row)
  const handle = key === undefined ? '' : ports.handle(place.owner, place.address.chat_id, key)
  return { text: prose`${title}\n  → /hooks show ${verbatim(handle)}` }
}

const showFirst = (
  unseenRows: readonly Unseen[],
  rows: readonly ListedHook[],
  ports: HandlePorts & SealPorts,
  context: CommandContext,
  cardButtons: CardButtons,
): Notice => {
  // Under several cards a button would not say which one it means, and neither would a file beside them.
  const several = { canTap: false, takesFiles: false }
  const place = { ...cardButtons.place(context), ...(unseenRows.length === 1 ? {} : several) }
  const cards = unseenRows.map((row, index) =>
    unseenText(row, rows, index < maxWhole, ports, place, cardButtons),
  )
  const text = joinProse([fixed('Nothing was approved.'), ...cards.map((card) => card.text)], '\n')
  return refusal({ ...cards[0], text })
}

export const approveCommand = (ports: ApprovePorts, cardButtons: CardButtons): Command => ({
  path: 'hooks approve',
  usage: '/hooks approve <event> <command>',
  summary: 'let a proposed hook fire',
  need: 'privileged',
  looks: true,
  run: async (rest, context) => {
    const chosen = chosenHandle(rest)
    const rows = ports.rows()
    const found: FoundRows =
      chosen === undefined
        ? findProposed(rest, rows, ports, context)
        : findByHandle(chosen.handle, rows, ports, context, 'approve')
    if ('wrong' in found) return found.wrong
    const unclear = found.byHandle ? undefined : ambiguous(found.rows, cardButtons.shown, ports, context)
    if (unclear !== undefined) return refusal(unclear)
    const hidden = unseen(found, rows, cardButtons, context, ports)
    if (hidden.length > 0) return showFirst(hidden, rows, ports, context, cardButtons)
    // A typed name has no place for the choice, so the earlier choice stays.
    const choiceFor = (row: ListedHook): FaultChoice | undefined =>
      chosen?.choice ?? (!found.byHandle && row.failsClosed === true ? 'closed' : undefined)
    const receipts: Awaited<ReturnType<typeof approveRow>>[] = []
    for (const row of found.rows) receipts.push(await approveRow(row, ports, context, choiceFor(row)))
    // A receipt shows the whole hook, so it counts as shown.
    const told = found.rows.filter((_, index) => receipts[index]?.isLive === true)
    cardButtons.shown.note(context.owner, told, rows, 'asked')
    const texts = [...understoodAs(found), ...receipts.map(({ text }) => text)]
    const { isOn, lockdown } = ports.gate()
    const live = receipts.filter(({ isLive }) => isLive).length
    const fires = isOn
      ? fixed(live === 1 ? 'It fires from the next event.' : 'They fire from the next event.')
      : prose`${switchLine(ports)} → /hooks on`
    const next = lockdown !== undefined ? [switchLine(ports)] : live === 0 ? [] : [fires]
    const canSwitchOn = live > 0 && !isOn && lockdown === undefined
    const above = joinProse(texts, '\n')
    const form = cardButtons.under(cardButtons.place(context), canSwitchOn ? [['on']] : [], { above })
    const answer: Notice = { text: joinProse([above, ...next], '\n'), ...form }
    return live < receipts.length ? refusal(answer) : answer
  },
})

/**
 * The approved rows of a revoke that were not approved when it began: earlier commands approved them since.
 */
const approvedSince = (
  rest: string,
  rows: readonly ListedHook[],
  ports: CataloguePorts & HandlePorts,
  context: CommandContext,
): readonly ListedHook[] => {
  const places = new Set(rows.map(placeKey))
  const named = findApproved(rest, ports, context)
  const lives = new Set('wrong' in named ? [] : named.rows.map(({ live }) => live))
  return ports
    .rows()
    .filter((row) => row.live !== undefined && (places.has(placeKey(row)) || lives.has(row.live)))
}

/**
 * Ends approvals at once. When earlier commands still approve something, it waits for them, and ends what
 * they approved of the same hooks.
 */
export const revokeCommand = (ports: RevokePorts): Command => ({
  path: 'hooks revoke',
  usage: '/hooks revoke <command>',
  summary: 'end an approval, on all its events',
  need: 'privileged',
  run: async (rest, context) => {
    const isEnded: boolean[] = []
    const end = async (row: ListedHook): Promise<readonly Prose[]> => {
      if (row.live === undefined) return []
      const done = await ports.revoke(row.live, context.owner)
      isEnded.push(done.isEnded)
      return done.isEnded
        ? [prose`Revoked: ${eventWords(row.event)}\n  ${nameOf(row)}`]
        : [
            prose`✗ ${nameOf(row)} could not be revoked on ${eventWords(row.event)}: it stays approved.\n${done.why}`,
          ]
    }
    const found = findApproved(rest, ports, context)
    const rows = 'wrong' in found ? [] : found.rows
    const lines = (await Promise.all(rows.map(end))).flat()
    if (context.earlier !== undefined) {
      await context.earlier
      lines.push(...(await Promise.all(approvedSince(rest, rows, ports, context).map(end))).flat())
    }
    if (lines.length === 0) {
      if ('wrong' in found) return found.wrong
      lines.push(...rows.map((row) => prose`${nameOf(row)} was not approved on ${eventWords(row.event)}.`))
    }
    const { lockdown } = ports.gate()
    const ended = isEnded.includes(true)
      ? [
          fixed(
            isEnded.filter((is) => is).length === 1
              ? 'It does not fire any longer. Programs that still ran were stopped.'
              : 'They do not fire any longer. Programs that still ran were stopped.',
          ),
        ]
      : []
    const closing = lockdown === undefined ? ended : [...ended, switchLine(ports)]
    const understood = 'wrong' in found ? [] : understoodAs(found)
    const answer = joinProse([...understood, ...lines, ...closing], '\n')
    return isEnded.includes(false) ? refusal(answer) : answer
  },
})
