import type { EventName } from '../core/model/events/event.ts'
import { noticeOf, type NoticeText } from '../core/model/chat/notice.ts'
import { fixed, joinProse, prose, proseText, type Prose, verbatim } from '../core/model/chat/prose.ts'
import { chatKey, type Address } from '../core/model/chat/push.ts'
import type { EventRecord } from '../core/model/events/record.ts'
import { reasonProse } from '../shared/hooks/guard-words.ts'
import { createBlocks, untoldBlock, type BlockNotices } from './blocks.ts'
import { createBurst, createCoalescer } from './coalesce.ts'
import { createLost } from './lost.ts'
import { ourWords } from '../shared/said/our-words.ts'

const sameWarningQuietMs = 10 * 60 * 1000
const sameNoteQuietMs = 60 * 1000
/** The number of unrequested notices of one kind that a chat gets within a minute. */
export const maxUnasked = 20

/** The subjects of alarms about the gate itself. */
export const ALARMS = ['login', 'lockdown', 'ledger', 'seal', 'switch', 'store', 'tripwire'] as const
export type AlarmAbout = (typeof ALARMS)[number]

/** The kinds of other unrequested notices. */
export const ABOUTS = ['steps', 'blocks', 'news', 'notes', 'proposals', 'files'] as const
export type About = (typeof ABOUTS)[number]

/** The longest text of an alarm in the history, in UTF-16 units. */
const maxAlarmUnits = 500

export interface NoticesPorts {
  gate(): { readonly lockdown?: string }
  /** The private chat of each owner. */
  ownerChats(): readonly Address[]
  /** The notices about blocked steps. Absent: nobody is told of them. */
  readonly blockNotices?: BlockNotices
  addRecord(record: EventRecord): void
  newId(): string
  after(delayMs: number, run: () => void): void
  /** A clock for intervals that nobody can set, in milliseconds. */
  elapsedMs(): number
  /** The time for what is shown or stored, in epoch milliseconds. */
  now(): number
}

const lines = (texts: readonly string[]): Prose =>
  joinProse(
    texts.map((text) => reasonProse(text)),
    '\n',
  )

const repeated = (again: number): Prose =>
  again === 0 ? [] : prose` (and ${again} more times since the last notice)`

const moreText = (left: number): Prose =>
  left === 1
    ? fixed('There was 1 more notice within a minute.\n→ /hooks log')
    : prose`There were ${left} more notices within a minute.\n→ /hooks log`

/**
 * Makes the notices that nobody requested, and says to whom they go and how often. The listeners of
 * `onNotice` send them.
 */
export const createNotices = (ports: NoticesPorts) => {
  const isNewWarning = createCoalescer(sameWarningQuietMs, ports.elapsedMs)
  const isNewNote = createCoalescer(sameNoteQuietMs, ports.elapsedMs)
  const burst = createBurst(maxUnasked, ports.after)
  const listeners = new Set<(address: Address, content: NoticeText) => void>()
  const send = (address: Address, content: NoticeText): void => {
    for (const listener of listeners) listener(address, content)
  }

  /** Sends an unrequested notice. In lockdown there is no rate limit. False: it is counted, and not sent. */
  const unasked = (
    address: Address,
    content: () => NoticeText,
    about: About | AlarmAbout = 'steps',
  ): boolean => {
    let isSent = false
    const sendNow = (): void => {
      isSent = true
      send(address, content())
    }
    if (ports.gate().lockdown !== undefined) sendNow()
    else burst(`${about} ${chatKey(address)}`, sendNow, (left) => send(address, moreText(left)))
    return isSent
  }

  /**
   * Sends a notice to every owner. A function makes one for each owner's chat, as for buttons. With a key,
   * the same notice is sent once in ten minutes. `about`: the kind that its rate limit counts. Absent: the
   * outcome of a step. Returns the chats in which the notice is on its way. The others have reached their
   * rate limit.
   */
  const tellOwners = (
    content: NoticeText | ((chat: Address) => NoticeText),
    key?: string,
    about?: About | AlarmAbout,
  ): readonly Address[] => {
    const isNew = key === undefined ? { again: 0 } : isNewWarning(key)
    if (isNew === undefined) return []
    return ports.ownerChats().filter((address) =>
      // It is made only when it is sent, so that a card that nobody gets does not count as shown.
      unasked(
        address,
        () => {
          const { text, ...form } = noticeOf(typeof content === 'function' ? content(address) : content)
          return { ...form, text: [...text, ...repeated(isNew.again)] }
        },
        about,
      ),
    )
  }

  const lost = createLost({ tellOwners, after: ports.after })
  const { blockNotices } = ports
  const tellBlock =
    blockNotices === undefined
      ? () => untoldBlock
      : createBlocks({ ...ports, ...blockNotices, tellOwners }).tell

  return {
    /** The listener gets each notice with the chat where it belongs. */
    onNotice: (listener: (address: Address, content: NoticeText) => void): void =>
      void listeners.add(listener),
    // Nothing else counts as an alarm.
    tellOwners: (content: Parameters<typeof tellOwners>[0], key?: string, about?: About) =>
      tellOwners(content, key, about),
    /** Sends an unrequested notice to one owner's chat, within the rate limit of its kind. */
    tellOwner: (chat: Address, content: NoticeText, about: About): void =>
      void unasked(chat, () => content, about),
    /**
     * Warns every owner about the gate itself. Every alarm is recorded. Each subject has a rate limit of its
     * own, so no other flood hides it. With a key, the same alarm is sent once in ten minutes.
     */
    alarm: (about: AlarmAbout, text: Prose, key?: string): void => {
      const reason = proseText(text).slice(0, maxAlarmUnits).toWellFormed()
      const what = { kind: 'alarm', subject: about, outcome: 'told', reason } as const
      ports.addRecord({ event_id: ports.newId(), atMs: ports.now(), ...what })
      tellOwners(text, key, about)
    },
    /** What the dispatcher has to tell of events and pushes. */
    tellers: {
      tellBlock,
      tellLost: lost.tell,
      tellFull: lost.tellFull,
      /** Shows the hooks' notes about an event to the people of a chat, or to the owners. */
      tellNotes: (address: Address | undefined, event: EventName, notes: readonly string[]): void => {
        const fresh = notes.filter((note) => isNewNote(`${JSON.stringify(address)} ${note}`) !== undefined)
        if (fresh.length === 0) return
        const text = prose`Note on ${verbatim(event)}: ${lines(fresh)}`
        if (address === undefined) tellOwners(text, undefined, 'notes')
        else unasked(address, () => text, 'notes')
      },
      /** `told`: the warnings that another notice already told. They are not repeated for a while, too. */
      tellWarnings: (warnings: readonly string[], told: readonly string[]): void => {
        for (const warning of told) isNewWarning(warning)
        for (const warning of warnings) tellOwners(prose`⚠ ${ourWords(warning)}`, warning)
      },
    },
  }
}

export type Notices = ReturnType<typeof createNotices>
