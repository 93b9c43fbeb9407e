import { rowKey, type ListedHook } from '../model/gate/catalogue.ts'
import { isEventName, EVENT_NAMES } from '../model/events/event.ts'
import { nearest } from '../model/base/nearest.ts'
import { refusal, type NoticeText } from '../model/chat/notice.ts'
import { fixed, prose, type Prose } from '../model/chat/prose.ts'
import { isNamed } from './cards/handler.ts'
import { firstWord, foldTypography } from './parse.ts'
import type { CataloguePorts, CommandContext, HandlePorts } from './ports.ts'
import { digestOf } from './cards/row.ts'

export type FoundRows =
  | {
      readonly rows: readonly ListedHook[]
      readonly byHandle: boolean
      /** The handle stands only where all that an approval would bind is shown: as it is now, or as it was. */
      readonly shows?: 'this' | 'other'
      readonly understood?: string
      /** A hook hid some of it where the handle was shown last: no yes to it counts. */
      readonly hiddenBy?: string
    }
  | { readonly wrong: NoticeText }

const wrong = (text: Prose): FoundRows => ({ wrong: refusal(text) })

/** What was taken for what, when it was not as typed. */
export const understoodAs = ({ understood }: { readonly understood?: string }): readonly Prose[] =>
  understood === undefined ? [] : [prose`Understood as ${understood}`]

/** A handle as a person types it: in capitals, in full-width letters, in quotes. */
export const asHandle = (typed: string): string | undefined =>
  /^["'<]?([a-z0-9]{5})[>'".]?$/.exec(foldTypography(typed).toLowerCase())?.[1]

const whyNot: Readonly<Record<string, string>> = {
  unknown: 'it was used or changed, or hookgate has started anew since',
  expired: 'it is more than a day old',
  elsewhere: 'it was shown to another owner or in another chat',
}

/**
 * The row that a handle names for this owner in this chat, or why it names none. To approve, the handle must name the
 * very bytes that are proposed now: one that was shown for what is approved says nothing about what came since.
 */
export const findByHandle = (
  handle: string,
  rows: readonly ListedHook[],
  ports: HandlePorts,
  { owner, address }: CommandContext,
  use: 'approve' | 'other' = 'other',
): FoundRows => {
  const resolved = ports.resolveHandle(owner, address.chat_id, asHandle(handle) ?? handle)
  if ('why' in resolved) {
    const why = fixed(whyNot[resolved.why] ?? resolved.why)
    return wrong(prose`${handle} names nothing here: ${why}.\n→ /hooks`)
  }
  const { fingerprint, hiddenBy } = resolved
  const row =
    rows.find(({ proposed }) => proposed === fingerprint) ??
    rows.find(
      (candidate) =>
        candidate.live === fingerprint && (use !== 'approve' || rowKey(candidate) === fingerprint),
    )
  if (row === undefined) return wrong(prose`What ${handle} named has changed since it was shown.\n→ /hooks`)
  const hidden = hiddenBy === undefined ? {} : { hiddenBy }
  return {
    rows: [row],
    byHandle: true,
    ...hidden,
    ...(resolved.shows === undefined ? {} : { shows: resolved.shows === digestOf(row) ? 'this' : 'other' }),
  }
}

/**
 * What a handle names that was shown to this owner here. It comes before any name: whoever writes a file chooses the
 * names in it, and hookgate alone the handles.
 */
const findShownHandle = (
  typed: string,
  rows: readonly ListedHook[],
  ports: HandlePorts,
  context: CommandContext,
  use: 'approve' | 'other' = 'other',
): FoundRows | undefined => {
  const handle = asHandle(typed)
  if (handle === undefined) return undefined
  const resolved = ports.resolveHandle(context.owner, context.address.chat_id, handle)
  return 'why' in resolved ? undefined : findByHandle(typed, rows, ports, context, use)
}

/** What is looked at or tried: a handle, or the exact command, URL or name. */
export const findShown = (
  rest: string,
  rows: readonly ListedHook[],
  ports: HandlePorts,
  context: CommandContext,
): FoundRows => {
  const shown = findShownHandle(rest, rows, ports, context)
  if (shown !== undefined) return shown
  const named = rows.filter((row) => isNamed(row, rest))
  return named.length > 0 ? { rows: named, byHandle: false } : findByHandle(rest, rows, ports, context)
}

/** As typed first; only if nothing fits, with a phone's quotes and dashes folded back. */
const asTypedOrFolded = (rows: readonly ListedHook[], command: string): FoundRows => {
  const typed = rows.filter((row) => isNamed(row, command))
  const folded = foldTypography(command)
  if (typed.length > 0 || folded === command) return { rows: typed, byHandle: false }
  return { rows: rows.filter((row) => isNamed(row, folded)), byHandle: false, understood: folded }
}

const missing = (command: string, rows: readonly ListedHook[]): Prose => {
  const meant = nearest(
    command,
    rows.map((row) => row.command),
  )
  return meant === undefined || meant === command
    ? prose`See what is proposed → /hooks`
    : prose`Did you mean ${meant}?`
}

interface OnEvent {
  /** As the table or the file spells it. */
  readonly event: string
  readonly rows: readonly ListedHook[]
}

/** The rows of an event by our name for it, or by its own system's where a file of that system proposes them. */
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

/** What `/hooks approve` names: a handle, or an event and the exact command or URL. */
export const findProposed = (
  rest: string,
  rows: readonly ListedHook[],
  ports: HandlePorts,
  context: CommandContext,
): FoundRows => {
  const [typed, command] = firstWord(rest)
  if (typed === '') {
    return wrong(fixed('Say which: /hooks approve <event> <command>, or the handle that /hooks shows.'))
  }
  const shown = command === '' ? findShownHandle(typed, rows, ports, context, 'approve') : undefined
  if (shown !== undefined) return shown
  const on = onEvent(typed, rows)
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
    const way = meant === undefined ? fixed('→ /hooks help') : prose`Did you mean ${meant}?`
    return wrong(prose`${typed} is no event. ${way}`)
  }
  const name: Prose = isEventName(on.event) ? fixed(on.event) : prose`${on.event}`
  if (command === '') {
    const way = prose`/hooks approve ${name} <command>, or a handle that /hooks shows.`
    return wrong(prose`Say which command of ${name}: ${way}`)
  }
  const found = asTypedOrFolded(on.rows, command)
  if ('wrong' in found || found.rows.length > 0) return found
  return wrong(prose`No file proposes ${command} on ${name}.\n${missing(command, rows)}`)
}

/** What `/hooks revoke` names: a handle, or a command or URL on all its events. */
export const findApproved = (
  rest: string,
  ports: CataloguePorts & HandlePorts,
  context: CommandContext,
): FoundRows => {
  const rows = ports.rows()
  if (rest === '') return wrong(fixed('Say which: /hooks revoke <command>, or the handle that /hooks shows.'))
  const shown = findShownHandle(rest, rows, ports, context)
  if (shown !== undefined) return shown
  const found = asTypedOrFolded(rows, rest)
  if ('wrong' in found) return found
  const live = found.rows.filter((row) => row.live !== undefined)
  if (live.length > 0) return { ...found, rows: live }
  if (asHandle(rest) !== undefined) return findByHandle(rest, rows, ports, context)
  return wrong(prose`No approved hook runs ${rest}.\n${missing(rest, rows)}`)
}
