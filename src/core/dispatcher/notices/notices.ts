import type { EventName } from '../../model/events/event.ts'
import { noticeOf, type Notice, type NoticeText } from '../../model/chat/notice.ts'
import {
  fixed,
  inLanguage,
  joinProse,
  prose,
  proseText,
  type Prose,
  type Translate,
  verbatim,
} from '../../model/chat/prose.ts'
import type { Zone } from '../../model/chat/zone.ts'
import { chatKey, type Address } from '../../model/chat/push.ts'
import type { EventRecord, OutboxItem } from '../../model/events/record.ts'
import { createBurst, createCoalescer } from './coalesce.ts'
import type { ItemOutcome } from '../judged.ts'
import { noticeBody } from '../outbox/outbox-body.ts'
import type { Door } from '../door/door.ts'

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
  readonly door: Pick<Door, 'sequence' | 'enqueue'>
  gate(): { readonly lockdown?: string }
  /** The translation of our words into the language of the people in a chat. */
  translateFor(address: Address): Translate
  /** The time zone of the people in a chat. */
  zoneFor(address: Address): Zone
  /** The private chat of each owner. */
  ownerChats(): readonly Address[]
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
    texts.map((text) => prose`${text}`),
    '\n',
  )

const repeated = (again: number): Prose =>
  again === 0 ? [] : prose` (and ${again} more times since the last notice)`

const moreText = (left: number): Prose =>
  left === 1
    ? fixed('There was 1 more notice within a minute.\n→ /hooks log')
    : prose`There were ${left} more notices within a minute.\n→ /hooks log`

/** Sends hookgate's own notices: to one chat, or to the owners. */
export const createNotices = (ports: NoticesPorts) => {
  const { door } = ports
  const isNewWarning = createCoalescer(sameWarningQuietMs, ports.elapsedMs)
  const isNewNote = createCoalescer(sameNoteQuietMs, ports.elapsedMs)
  const burst = createBurst(maxUnasked, ports.after)
  /** The callbacks for delivered notices, by the item's id. */
  const awaited = new Map<string, (messageId: string | undefined) => void>()

  const translated = (address: Address, content: NoticeText): Notice => {
    const translate = ports.translateFor(address)
    const { text, buttons, ...form } = noticeOf(content)
    return {
      ...form,
      text: inLanguage(text, translate, ports.zoneFor(address)),
      buttons: buttons?.map((row) =>
        row.map(({ label, handle, press }) => ({
          label: [translate(label) ?? label, ...(handle === undefined ? [] : [handle])].join(' '),
          press,
        })),
      ),
    }
  }

  /**
   * Sends a notice to one chat. Resolves when it is on its way. `delivered` is called when it was delivered,
   * with the messenger's id of the message where there is one.
   */
  const notify = async (
    address: Address,
    content: NoticeText,
    delivered?: (messageId: string | undefined) => void,
  ): Promise<void> => {
    const notice = translated(address, content)
    const id = `notice:${ports.newId()}`
    if (delivered !== undefined) awaited.set(id, delivered)
    const { isStored } = await door.enqueue(
      {
        id,
        seq: door.sequence(),
        ...address,
        kind: 'notice',
        state: 'queued',
        revision: 0,
        createdAtMs: ports.now(),
        body: noticeBody(notice),
      },
      undefined,
      notice,
    )
    await isStored
  }

  /** Sends an unrequested notice. In lockdown there is no rate limit. False: it is counted, and not sent. */
  const unasked = (
    address: Address,
    content: () => NoticeText,
    about: About | AlarmAbout = 'steps',
  ): boolean => {
    let isSent = false
    const send = (): void => {
      isSent = true
      void notify(address, content())
    }
    if (ports.gate().lockdown !== undefined) send()
    else burst(`${about} ${chatKey(address)}`, send, (left) => void notify(address, moreText(left)))
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

  return {
    notify,
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
      for (const warning of warnings) tellOwners(prose`⚠ ${warning}`, warning)
    },
    /** The outbox has settled a notice. */
    settled: ({ id, channel, chat_id }: OutboxItem, { outcome, why, message }: ItemOutcome): void => {
      const delivered = awaited.get(id)
      awaited.delete(id)
      if (outcome === 'delivered') {
        delivered?.(message?.message_id)
        return
      }
      ports.addRecord({
        event_id: ports.newId(),
        atMs: ports.now(),
        kind: 'notice',
        subject: 'notice',
        outcome,
        channel,
        chat_id,
        reason: why,
      })
    },
  }
}

export type Notices = ReturnType<typeof createNotices>
