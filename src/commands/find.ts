import { rowKey, type ListedHook } from '../shared/gate/catalogue.ts'
import { isEventName, EVENT_NAMES } from '../core/model/events/event.ts'
import { nearest } from '../shared/base/nearest.ts'
import { refusal, type NoticeText } from '../core/model/chat/notice.ts'
import { prose, type Prose, verbatim, proseLines } from '../core/model/chat/prose.ts'
import { handlerWords, isNamed } from './cards/handler.ts'
import { firstWord, foldTypography } from '../core/commands/parse.ts'
import type { CommandContext, CommandPorts } from './ports.ts'
import { digestOf, eventWords } from './cards/row.ts'
import { hookName, namesToCall, shippedIn } from './families/shipped/shipped.ts'
import { oneLine, shorten } from './words.ts'

export type FoundRows =
  | {
      readonly rows: readonly ListedHook[]
      readonly byHandle: boolean
      /** A name was typed. The author of a file chooses the names in it, so a name alone gives no consent. */
      readonly byName?: true
      /**
       * Set when the handle was shown with all that an approval would bind. `this`: nothing of it changed
       * since.
       */
      readonly shows?: 'this' | 'other'
      readonly understood?: string
      /**
       * A hook that hid part of the card when the handle was shown last. A yes to the card does not count
       * then.
       */
      readonly hiddenBy?: string
    }
  | { readonly wrong: NoticeText }

const wrong = (text: Prose): FoundRows => ({ wrong: refusal(text) })

/** A line that says how a typed command was understood, when it was not taken as typed. */
export const understoodAs = ({ understood }: { readonly understood?: string }): readonly Prose[] =>
  understood === undefined ? [] : [prose`Understood as ${understood}`]

/** Reads a handle as a person types it: also in capitals, in full-width letters or in quotes. */
export const asHandle = (typed: string): string | undefined =>
  /^["'<]?([a-z0-9]{5})[>'".]?$/.exec(foldTypography(typed).toLowerCase())?.[1]

const whyNot: Readonly<Record<string, Prose>> = {
  unknown: prose`it was answered or is mistyped, or hookgate restarted since`,
  expired: prose`it is more than a day old`,
  elsewhere: prose`it was shown to another owner or in another chat`,
}

/** The answer to a text that is neither a handle nor a name, with the name that is most like it. */
const noSuchName = (typed: string, rows: readonly ListedHook[], ports: CommandPorts): Prose => {
  const ours = shippedIn(ports)
  const names = rows.flatMap((row) => [...namesToCall(row, ours(row)), row.command])
  const meant = nearest(typed, names)
  const known = shorten(oneLine(typed), 60)
  return meant === undefined
    ? prose`No hook is called ${known}.\n→ /hooks`
    : prose`No hook is called ${known}. Did you mean ${shorten(oneLine(meant), 60)}?`
}

/**
 * Finds the row that a handle names for this owner in this chat, or the reason why it names none. For an
 * approval, the handle must name exactly the bytes that are proposed now. A handle of the approved version
 * does not name newer bytes.
 */
export const findByHandle = (
  handle: string,
  rows: readonly ListedHook[],
  ports: CommandPorts,
  { owner, address, seen }: CommandContext,
  use: 'approve' | 'other' = 'other',
): FoundRows => {
  const resolved = ports.resolveHandle(owner, address.chat_id, asHandle(handle) ?? handle)
  if ('why' in resolved) {
    if (asHandle(handle) === undefined) return wrong(noSuchName(handle, rows, ports))
    return wrong(
      prose`${handle} names nothing now: ${whyNot[resolved.why] ?? verbatim(resolved.why)}.\nWhat there is → /hooks`,
    )
  }
  const { fingerprint, hiddenBy } = resolved
  const shows = seen ?? resolved.shows
  const row =
    rows.find(({ proposed }) => proposed === fingerprint) ??
    rows.find(
      (candidate) =>
        candidate.live === fingerprint && (use !== 'approve' || rowKey(candidate) === fingerprint),
    )
  if (row === undefined)
    return wrong(prose`The hook of handle ${handle} has changed since you saw it.\n→ /hooks`)
  return {
    rows: [row],
    byHandle: true,
    hiddenBy,
    shows: shows === undefined ? undefined : shows === digestOf(row) ? 'this' : 'other',
  }
}

/**
 * Finds the row of a handle that this owner was shown in this chat. A handle takes precedence over a name,
 * because the author of a file chooses the names in it, and only hookgate chooses handles.
 */
const findShownHandle = (
  typed: string,
  rows: readonly ListedHook[],
  ports: CommandPorts,
  context: CommandContext,
  use: 'approve' | 'other' = 'other',
): FoundRows | undefined => {
  const handle = asHandle(typed)
  if (handle === undefined) return undefined
  const resolved = ports.resolveHandle(context.owner, context.address.chat_id, handle)
  return 'why' in resolved ? undefined : findByHandle(typed, rows, ports, context, use)
}

/** The least part of a name that calls a hook, in UTF-16 units. */
const minPart = 3
const maxNamed = 10

const nameKey = (text: string): string =>
  foldTypography(text)
    .replaceAll(/\s+/g, ' ')
    .replace(/^"(.*)"$/, '$1')
    .trim()
    .toLowerCase()

/**
 * Finds the hook that a name calls, whole or in part. A whole name comes before a part of another. Undefined:
 * no hook has such a name.
 */
const findNamed = (
  typed: string,
  rows: readonly ListedHook[],
  ports: CommandPorts,
  { owner, address }: CommandContext,
): FoundRows | undefined => {
  const key = nameKey(typed)
  const ours = shippedIn(ports)
  const called = (isMeant: (name: string) => boolean): readonly ListedHook[] =>
    rows.filter((row) => namesToCall(row, ours(row)).some((name) => isMeant(nameKey(name))))
  const whole = called((name) => name === key)
  const found = whole.length > 0 || key.length < minPart ? whole : called((name) => name.includes(key))
  if (found.length === 0) return undefined
  if (found.length === 1) return { rows: found, byHandle: false, byName: true }
  const lines = found.slice(0, maxNamed).map((row) => {
    const of = rowKey(row)
    const handle = of === undefined ? '–' : ports.handle(owner, address.chat_id, of)
    return prose`${verbatim(handle)} ${hookName(row, ours(row))}: ${eventWords(row.event)} ${handlerWords(row, 60)}`
  })
  const more = found.length - lines.length
  return wrong(
    proseLines(
      prose`${found.length} hooks are called like that. Type the handle of one:`,
      ...lines,
      more > 0 && prose`… and ${more} more`,
    ),
  )
}

/** Finds the rows for `show` and the like by a handle, a command or URL, an event with one, or a name. */
export const findShown = (
  rest: string,
  rows: readonly ListedHook[],
  ports: CommandPorts,
  context: CommandContext,
  use: 'approve' | 'other' = 'other',
): FoundRows => {
  const shown = findShownHandle(rest, rows, ports, context, use)
  if (shown !== undefined) return shown
  const [event, command] = firstWord(rest)
  const exact = rows.filter((row) => isNamed(row, rest) || (row.event === event && isNamed(row, command)))
  if (exact.length > 0) return { rows: exact, byHandle: false }
  return findNamed(rest, rows, ports, context) ?? findByHandle(rest, rows, ports, context, use)
}

/**
 * Searches for the command as typed. If nothing matches, it searches without a phone's typographic
 * characters.
 */
const asTypedOrFolded = (rows: readonly ListedHook[], command: string): FoundRows => {
  const typed = rows.filter((row) => isNamed(row, command))
  const folded = foldTypography(command)
  if (typed.length > 0 || folded === command) return { rows: typed, byHandle: false }
  return { rows: rows.filter((row) => isNamed(row, folded)), byHandle: false, understood: folded }
}

/** The last part of a path, with what follows it. */
const tailOf = (command: string): string | undefined => /\/([^/]+)$/.exec(command)?.[1]

/** Offers the proposed command of the same file elsewhere, or else the one that is spelled most like it. */
const missing = (command: string, rows: readonly ListedHook[]): Prose => {
  const known = rows.map((row) => row.command)
  const tail = tailOf(command)
  const meant =
    (tail === undefined ? undefined : known.find((one) => tailOf(one) === tail)) ?? nearest(command, known)
  return meant === undefined || meant === command
    ? prose`See what is proposed → /hooks`
    : prose`Did you mean ${meant}?`
}

interface OnEvent {
  /** The event's name, as the event table or the file spells it. */
  readonly event: string
  readonly rows: readonly ListedHook[]
}

/** Finds the rows of an event by its name here, or by the name in the system whose file proposes them. */
const onEvent = (typed: string, rows: readonly ListedHook[]): OnEvent | undefined => {
  const name = typed.toLowerCase()
  if (isEventName(name)) return { event: name, rows: rows.filter(({ event }) => event === name) }
  const nativeOf = ({ entry, event }: ListedHook): string =>
    entry === undefined ? event : (entry.dialect?.event ?? '')
  for (const isMeant of [
    (native: string) => native === typed,
    (native: string) => native.toLowerCase() === name,
  ]) {
    const found = rows.filter((row) => isMeant(nativeOf(row)))
    if (found[0] !== undefined) return { event: nativeOf(found[0]), rows: found }
  }
  return undefined
}

/** Finds the rows for `/hooks approve` by a handle, an event with the exact command or URL, or a name. */
export const findProposed = (
  rest: string,
  rows: readonly ListedHook[],
  ports: CommandPorts,
  context: CommandContext,
): FoundRows => {
  const [typed, command] = firstWord(rest)
  if (typed === '') {
    return wrong(
      prose`Name the hook: /hooks approve <name>, as /hooks shows it, or /hooks approve <event> <command>.`,
    )
  }
  const shown = command === '' ? findShownHandle(typed, rows, ports, context, 'approve') : undefined
  if (shown !== undefined) return shown
  const on = onEvent(typed, rows)
  const named = on === undefined ? findNamed(rest, rows, ports, context) : undefined
  if (named !== undefined) return named
  if (command === '' && on === undefined) {
    if (asHandle(typed) !== undefined) return findByHandle(typed, rows, ports, context, 'approve')
    return wrong(prose`${typed} is neither a handle nor an event with a command.\n→ /hooks`)
  }
  if (on === undefined) {
    const known = [
      ...EVENT_NAMES,
      ...rows.flatMap(({ entry }) => (entry?.dialect === undefined ? [] : [entry.dialect.event])),
    ]
    const meant = nearest(typed, known)
    const way = meant === undefined ? prose`→ /hooks help` : prose`Did you mean ${meant}?`
    return wrong(prose`${typed} is not an event. ${way}`)
  }
  const name: Prose = isEventName(on.event) ? verbatim(on.event) : prose`${on.event}`
  if (command === '') {
    const way = prose`/hooks approve ${name} <command>, or a handle that /hooks shows.`
    return wrong(prose`Name a command of ${name}: ${way}`)
  }
  const found = asTypedOrFolded(on.rows, command)
  if ('wrong' in found || found.rows.length > 0) return found
  return wrong(prose`No file proposes ${command} on ${name}.\n${missing(command, rows)}`)
}

/** Finds the rows for `/hooks revoke` by a handle, by a command or URL on all its events, or by a name. */
export const findApproved = (rest: string, ports: CommandPorts, context: CommandContext): FoundRows => {
  const rows = ports.rows()
  if (rest === '')
    return wrong(prose`Name the hook: /hooks revoke <name>, as /hooks shows it, or /hooks revoke <command>.`)
  const shown = findShownHandle(rest, rows, ports, context)
  if (shown !== undefined) return shown
  const found = asTypedOrFolded(rows, rest)
  if ('wrong' in found) return found
  const live = found.rows.filter((row) => row.live !== undefined)
  if (live.length > 0) return { ...found, rows: live }
  const approved = rows.filter((row) => row.live !== undefined)
  const named = findNamed(rest, approved, ports, context)
  if (named !== undefined) return named
  if (asHandle(rest) !== undefined) return findByHandle(rest, rows, ports, context)
  return wrong(prose`No approved hook runs ${rest}.\n${missing(rest, rows)}`)
}
