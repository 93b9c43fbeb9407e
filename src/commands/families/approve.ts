import { rowKey, type ListedHook } from '../../shared/gate/catalogue.ts'
import type { PromotionChoice } from '../../core/model/hooks/fault.ts'
import { refusal, type Notice } from '../../core/model/chat/notice.ts'
import { joinProse, prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import type { At } from '../cards/card.ts'
import type { CardButtons, CardPlace } from '../cards/card-buttons.ts'
import { consentToRow, nameOf, type Consent } from './consent.ts'
import { driftOf } from './diff.ts'
import { asHandle, findByHandle, findProposed, findShown, understoodAs, type FoundRows } from '../find.ts'
import { fileWords } from '../cards/handler.ts'
import { hiddenWords } from '../cards/hidden.ts'
import { switchLine } from './list.ts'
import { firstWord, foldTypography } from '../../core/commands/parse.ts'
import type { Command, CommandContext, CommandPorts } from '../ports.ts'
import type { Shown } from '../cards/shown.ts'
import { oneLine } from '../words.ts'

const sealedWords = ({ files, watched = [] }: ListedHook): Prose =>
  joinProse(
    [
      ...(files.length === 0 ? [prose`no file`] : files.map((file) => fileWords(file, 8))),
      ...watched.map((file) => prose`watched: ${fileWords(file, 8)}`),
    ],
    '\n  ',
  )

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
  ports: CommandPorts,
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
  return proseLines(
    prose`Nothing was approved.\n${nameOf(first, ports)} names ${programs} different programs, and you have not seen all of them:`,
    ...cards,
  )
}

/**
 * Reads `<handle> closed`, which blocks when the hook fails, or `<handle> open`, which does not block even
 * when the agent causes the failure.
 */
const chosenHandle = (
  rest: string,
): { readonly handle: string; readonly choice: PromotionChoice } | undefined => {
  const [first, more] = firstWord(foldTypography(rest))
  const choice = (['closed', 'open'] as const).find((word) => word === more.toLowerCase())
  const handle = choice === undefined ? undefined : asHandle(first)
  return choice === undefined || handle === undefined ? undefined : { choice, handle }
}

const maxWhole = 2

/** True when the consent would change anything. */
const isOpen = (
  { entry, problem, status, live, proposed, isShadow }: ListedHook,
  consent: Consent,
): boolean => {
  const isFit =
    entry !== undefined &&
    problem === undefined &&
    (status !== 'gone' || (consent === 'promote' && isShadow === true))
  const decidesLater = isShadow === true && consent !== 'shadow'
  return isFit && (live !== proposed || decidesLater)
}

/** A row that has to be shown before it can be approved. `hiddenBy`: the hook that hid part of its card. */
interface Unseen {
  readonly row: ListedHook
  readonly hiddenBy: string | undefined
  readonly by?: 'name' | 'handle'
}

/**
 * Finds the rows that a typed line would seal and that are not what this owner saw last: another version, one
 * with other neighbours than then, or one of which a hook hid a part. An approved version counts as shown,
 * too. An owner who was never shown anything gets the whole receipt afterwards.
 */
const unseen = (
  found: Extract<FoundRows, { rows: unknown }>,
  consent: Consent,
  rows: readonly ListedHook[],
  { shown }: CardButtons,
  { owner, address }: At,
  ports: CommandPorts,
): readonly Unseen[] =>
  found.rows
    .filter((row) => isOpen(row, consent))
    .flatMap((row): readonly Unseen[] => {
      if (found.byName === true) return [{ row, hiddenBy: undefined, by: 'name' }]
      const key = rowKey(row)
      const hiddenBy =
        found.byHandle || key === undefined ? found.hiddenBy : ports.hiddenBy(owner, address.chat_id, key)
      // A handle counts where its card showed all of it. What a shadow has sealed was shown before.
      if (found.byHandle && found.shows === undefined && hiddenBy === undefined && consent !== 'promote')
        return [{ row, hiddenBy, by: 'handle' }]
      const state = found.shows ?? shown.stateOf(owner, row, rows)
      const isUnseen = state === 'other' || (state === 'never' && row.status === 'changed')
      return hiddenBy !== undefined || isUnseen ? [{ row, hiddenBy }] : []
    })

const unseenTitle = (
  { row, hiddenBy, by }: Unseen,
  { shown }: CardButtons,
  owner: string,
  isCompared: boolean,
  name: Prose,
): Prose => {
  if (by === 'name')
    return prose`A file chooses the names of its hooks, so a name alone gives no consent. It is this one:`
  if (hiddenBy !== undefined) return prose`${name}: ${hiddenWords(hiddenBy)}`
  if (by === 'handle') return prose`${name}: you have not seen all of it yet.`
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
  ports: CommandPorts,
  place: CardPlace,
  cardButtons: CardButtons,
): Notice => {
  const { row } = what
  const difference = driftOf(row, rows, cardButtons, ports, place.owner)
  const title = unseenTitle(what, cardButtons, place.owner, difference.length > 0, nameOf(row, ports))
  if (isWhole) {
    const now = cardButtons.card(row, rows, place, true)
    return { ...now, text: proseLines(title, ...difference, [], now.text) }
  }
  const key = rowKey(row)
  const handle = key === undefined ? '' : ports.handle(place.owner, place.address.chat_id, key)
  return { text: prose`${title}\n  → /hooks show ${verbatim(handle)}` }
}

const showFirst = (
  unseenRows: readonly Unseen[],
  rows: readonly ListedHook[],
  ports: CommandPorts,
  context: CommandContext,
  cardButtons: CardButtons,
): Notice => {
  // Under several cards a button would not say which one it means, and neither would a file beside them.
  const several = { canTap: false, takesFiles: false }
  const place = { ...cardButtons.place(context), ...(unseenRows.length === 1 ? {} : several) }
  const cards = unseenRows.map((row, index) =>
    unseenText(row, rows, index < maxWhole, ports, place, cardButtons),
  )
  const text = proseLines(prose`Nothing was approved.`, ...cards.map((card) => card.text))
  return refusal({ ...cards[0], text })
}

/** The rows of a typed line. Only an approval is typed by an event and a command as well. */
const findFor = (
  consent: Consent,
  rest: string,
  rows: readonly ListedHook[],
  ports: CommandPorts,
  context: CommandContext,
): FoundRows => {
  const use = consent === 'promote' ? 'other' : 'approve'
  const chosen = consent === 'shadow' ? undefined : chosenHandle(rest)
  if (chosen !== undefined) return findByHandle(chosen.handle, rows, ports, context, use)
  if (consent === 'approve') return findProposed(rest, rows, ports, context)
  if (rest !== '') return findShown(rest, rows, ports, context, use)
  return {
    wrong: refusal(
      consent === 'shadow'
        ? prose`Name the hook: /hooks shadow <name>, as /hooks lists it.`
        : prose`Name the hook: /hooks promote <name>, as /hooks lists it.`,
    ),
  }
}

/** What happens from now on with the hooks of a consent. */
const nextWords = (consent: Consent, live: number): Prose => {
  switch (consent) {
    case 'approve':
      return live === 1 ? prose`It fires from the next event.` : prose`They fire from the next event.`
    case 'shadow':
      return prose`From the next event, a shadow is asked after the verdict and recorded. It never decides.\nWhat it would have done → /hooks`
    case 'promote':
      return live === 1 ? prose`It decides from the next event.` : prose`They decide from the next event.`
  }
}

const consentCommand = (
  consent: Consent,
  ports: CommandPorts,
  cardButtons: CardButtons,
): Pick<Command, 'need' | 'needsRefresh' | 'run'> => ({
  need: 'privileged',
  needsRefresh: true,
  run: async (rest, context) => {
    const chosen = chosenHandle(rest)
    const rows = ports.rows()
    const found = findFor(consent, rest, rows, ports, context)
    if ('wrong' in found) return found.wrong
    const unclear = found.byHandle ? undefined : ambiguous(found.rows, cardButtons.shown, ports, context)
    if (unclear !== undefined) return refusal(unclear)
    const hidden = unseen(found, consent, rows, cardButtons, context, ports)
    if (hidden.length > 0) return showFirst(hidden, rows, ports, context, cardButtons)
    // A typed name has no place for the choice, so the earlier choice stays.
    const choiceFor = (row: ListedHook): PromotionChoice | undefined =>
      chosen?.choice ?? (!found.byHandle && row.failsClosed === true ? 'closed' : undefined)
    const receipts: Awaited<ReturnType<typeof consentToRow>>[] = []
    for (const row of found.rows)
      receipts.push(await consentToRow(row, consent, ports, context, choiceFor(row), found.byHandle))
    // A receipt shows the whole hook, so it counts as shown.
    const told = found.rows.filter((_, index) => receipts[index]?.isLive === true)
    cardButtons.shown.note(context.owner, told, rows, 'asked')
    const texts = [...understoodAs(found), ...receipts.map(({ text }) => text)]
    const { isOn, lockdown } = ports.gate()
    const live = receipts.filter(({ isLive }) => isLive).length
    const fires = isOn ? nextWords(consent, live) : prose`${switchLine(ports)} → /hooks on`
    const next = lockdown !== undefined ? [switchLine(ports)] : live === 0 ? [] : [fires]
    const canSwitchOn = live > 0 && !isOn && lockdown === undefined
    const above = proseLines(...texts)
    const form = cardButtons.under(cardButtons.place(context), canSwitchOn ? [['on']] : [], { above })
    const answer: Notice = { text: proseLines(above, ...next), ...form }
    return live < receipts.length ? refusal(answer) : answer
  },
})

export const approveCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks approve',
  usage: '/hooks approve <event> <command>',
  summary: 'let a proposed hook fire',
  ...consentCommand('approve', ports, cardButtons),
})

export const shadowCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks shadow',
  usage: '/hooks shadow <name>',
  summary: 'ask and record a proposed hook, which does not decide',
  ...consentCommand('shadow', ports, cardButtons),
})

export const promoteCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks promote',
  usage: '/hooks promote <name>',
  summary: 'let a shadow decide',
  ...consentCommand('promote', ports, cardButtons),
})
