import { readable, type Content } from '../model/content.ts'
import type { Channel } from '../model/channel.ts'
import type { EventName } from '../model/event.ts'
import { noticeOf, type NoticeText } from '../model/notice.ts'
import type { Payload } from '../model/payload.ts'
import { messageOf } from '../model/problem.ts'
import { fixed, joinProse, named, prose, proseText, type Prose } from '../model/prose.ts'
import { chatKey, type Address, type AgentPush, type Parcel, type Waits } from '../model/push.ts'
import type { Ended, EventRecord, OutboxItem } from '../model/record.ts'
import type { Fired } from '../model/step.ts'
import type { RecordedHook, Verdict } from '../model/verdict.ts'
import { createBurst, createCoalescer } from './coalesce.ts'
import { createDoor } from './door.ts'
import { createFire, type FireRequest } from './fire.ts'
import type { Settled } from './judged.ts'
import { endedAs, noticeBody, readNotice } from './outbox-body.ts'
import { createNoticeJudge } from './notify.ts'
import type { Door, DoorPorts } from './ports.ts'
import { createPush, sha256, type PushPorts } from './push.ts'
import type { PushResult } from './refusal.ts'

const sameWarningQuietMs = 10 * 60 * 1000
const sameNoteQuietMs = 60 * 1000
/** What a chat did not ask for, a minute, of each kind. */
export const maxUnasked = 20
/** Pushes of one agent that did not arrive for the same reason, a minute. */
const maxLost = 3

/** What of the gate itself an alarm is about. */
export const ALARMS = ['login', 'lockdown', 'ledger', 'seal', 'switch', 'store', 'tripwire'] as const
export type AlarmAbout = (typeof ALARMS)[number]

/** What else a notice that nobody asked for is about. */
export const ABOUTS = ['steps', 'notes', 'proposals', 'files'] as const
export type About = (typeof ABOUTS)[number]

/** Of an alarm, for the record, in UTF-16 units. */
const maxAlarmUnits = 500

export interface DispatcherPorts {
  judge(payload: Payload, options: { deadlineMs?: number; chain?: readonly string[] }): Promise<Verdict>
  gate(): { readonly revision: number; readonly lockdown?: string }
  inert(event: EventName): readonly RecordedHook[]
  /** Where each owner is told things: their private chats. */
  ownerChats(): readonly Address[]
  channel(name: string): Channel | undefined
  readonly store: DoorPorts['store'] & {
    hasSeen: PushPorts['hasSeen']
    addRecord(record: EventRecord): void
    outbox(): Promise<readonly OutboxItem[]>
    ended(): Promise<readonly (Ended & { readonly id: string })[]>
  }
  readonly files: PushPorts['files'] & { read: DoorPorts['readFile']; sweep(): Promise<void> }
  buttonsLeft: DoorPorts['buttonsLeft']
  shown: DoorPorts['shown']
  previews: PushPorts['previews']
  readonly workspace: string
  newId(): string
  after(delayMs: number, run: () => void): void
  /** For intervals, by a clock that nobody can set. */
  elapsedMs(): number
  /** For what is shown or kept. */
  now(): number
  log: DoorPorts['log']
}

export interface Dispatcher {
  /** Puts an event to the hooks. Never rejects. */
  fire(request: FireRequest): Promise<Fired>
  /** Sends what an agent says, if the hooks let it. */
  push(push: AgentPush, chain?: readonly string[]): Promise<PushResult>
  /** Tells one chat something of hookgate's own. Resolves when it is on its way. `delivered`: it stands there, under the messenger's name for it where it has one. */
  notify(
    address: Address,
    said: NoticeText,
    delivered?: (messageId: string | undefined) => void,
  ): Promise<void>
  /** Tells every owner; what differs from owner to owner, as buttons do, is made for each one's chat. With a key, the same thing is told once in ten minutes. `about`: a flood of one kind stands before no other; absent, it is what became of a step. */
  tellOwners(said: NoticeText | ((chat: Address) => NoticeText), key?: string, about?: About): void
  /**
   * Warns every owner about the gate itself. It is recorded each time, and no flood of something else hides it: each
   * alarm counts by itself. With a key, the same one is told once in ten minutes.
   */
  alarm(about: AlarmAbout, text: Prose, key?: string): void
  isAdmitted(parcel: Parcel): boolean
  /** The listener is called when a push waits for an owner's word and, without one named, when one does not any more. The returned function ends that. */
  onHeld(listener: DoorPorts['heldChanged']): () => void
  waiting(): readonly Waits[]
  held: Door['held']
  release: Door['release']
  withhold: Door['withhold']
  /** The gate changed: what waits to leave is looked at again. */
  wake(): void
  /** Takes up what waited when the gate last stopped. A send that had begun then is told as unknown, not repeated. */
  restore(): Promise<void>
}

/** fire, push and notify: the three things that can happen between an agent and the world, over one door. */
export const createDispatcher = (ports: DispatcherPorts): Dispatcher => {
  const isNewWarning = createCoalescer(sameWarningQuietMs, ports.elapsedMs)
  const isNewNote = createCoalescer(sameNoteQuietMs, ports.elapsedMs)
  const lines = (texts: readonly string[]): Prose =>
    joinProse(
      texts.map((text) => prose`${text}`),
      '\n',
    )
  const repeated = (again: number): Prose =>
    again === 0 ? [] : fixed(` (and ${again} times more since it was last told)`)

  /** What came in since the start, until `restore` has told it from what waited before. */
  const begun = new Set<string>()
  let isRestored = false
  const enqueue: Door['enqueue'] = (item, judging, form) => {
    if (!isRestored) begun.add(item.id)
    return door.enqueue(item, judging, form)
  }

  /** Who wants to hear that a notice stands in its chat, by its item's id. */
  const awaited = new Map<string, (messageId: string | undefined) => void>()
  const notify: Dispatcher['notify'] = (address, said, delivered) => {
    const id = `notice:${ports.newId()}`
    if (delivered !== undefined) awaited.set(id, delivered)
    return enqueue(
      {
        id,
        seq: door.sequence(),
        ...address,
        kind: 'notice',
        state: 'queued',
        revision: 0,
        createdAtMs: ports.now(),
        body: noticeBody(said),
      },
      undefined,
      noticeOf(said),
    )
  }

  const burst = createBurst(maxUnasked, ports.after)
  const lostBurst = createBurst(maxLost, ports.after)
  /** That the gate doubts itself is told whatever else was told before. */
  const unasked = (address: Address, said: () => NoticeText, about: About | AlarmAbout = 'steps'): void => {
    if (ports.gate().lockdown !== undefined) return void notify(address, said())
    burst(
      `${about} ${chatKey(address)}`,
      () => void notify(address, said()),
      (left) =>
        void notify(
          address,
          fixed(
            `There ${left === 1 ? 'was 1 more notice' : `were ${left} more notices`} within a minute.\n→ /hooks log`,
          ),
        ),
    )
  }

  const tellOwners = (
    said: NoticeText | ((chat: Address) => NoticeText),
    key?: string,
    about?: About | AlarmAbout,
  ): void => {
    const isNew = key === undefined ? { again: 0 } : isNewWarning(key)
    if (isNew === undefined) return
    for (const address of ports.ownerChats()) {
      // Made only when it goes out: a card that nobody gets was shown to nobody.
      unasked(
        address,
        () => {
          const { text, ...form } = noticeOf(typeof said === 'function' ? said(address) : said)
          return { ...form, text: [...text, ...repeated(isNew.again)] }
        },
        about,
      )
    }
  }

  const alarm: Dispatcher['alarm'] = (about, text, key) => {
    const reason = proseText(text).slice(0, maxAlarmUnits).toWellFormed()
    const what = { kind: 'alarm', subject: about, outcome: 'told', reason } as const
    ports.store.addRecord({ event_id: ports.newId(), atMs: ports.now(), ...what })
    tellOwners(text, key, about)
  }

  const fire = createFire({
    ...ports,
    record: (record) => ports.store.addRecord(record),
    tellNotes: (address, event, notes) => {
      const fresh = notes.filter((note) => isNewNote(`${JSON.stringify(address)} ${note}`) !== undefined)
      if (fresh.length === 0) return
      const text = prose`Note on ${fixed(event)}: ${lines(fresh)}`
      if (address === undefined) tellOwners(text, undefined, 'notes')
      else unasked(address, () => text, 'notes')
    },
    tellWarnings: (warnings) => {
      for (const warning of warnings) tellOwners(prose`⚠ ${warning}`, warning)
    },
  })

  const record: PushPorts['record'] = (push, eventId, outcome, why, sent = push) => {
    const said = readable(sent)
    ports.store.addRecord({
      event_id: eventId === '' ? ports.newId() : eventId,
      atMs: ports.now(),
      kind: 'push',
      subject: 'push',
      outcome,
      agent_id: push.agent_id,
      session_id: push.session_id,
      channel: push.channel,
      chat_id: push.chat_id,
      length: said.length,
      sha256: sha256(said),
      ...(why === undefined ? {} : { reason: why }),
    })
  }

  const pushes = createPush({
    fire,
    sequence: () => door.sequence(),
    enqueue,
    gate: ports.gate,
    channel: ports.channel,
    previews: ports.previews,
    ended: (id, ended) =>
      ports.store
        .removeOutbox(id, ended)
        .catch((error: unknown) =>
          ports.log('error', 'the outbox could not be written', { error: messageOf(error) }),
        ),
    files: ports.files,
    hasSeen: (message) => ports.store.hasSeen(message),
    record,
    tellLost: (push, outcome, by, why, eventId) => {
      const more = eventId === '' ? [] : prose`\n→ /hooks why ${fixed(eventId)}`
      const whose = prose`${named(push.agent_id)} to ${named(push.channel)}`
      const end = fixed(outcome === 'unknown' ? 'may not have arrived' : 'did not arrive')
      lostBurst(
        JSON.stringify([push.agent_id, push.channel, outcome, by]),
        () => tellOwners(prose`A message of ${whose} ${end}.\n${named(by)}: ${why}${more}`),
        (left) => {
          const count = fixed(`${left} more message${left === 1 ? '' : 's'}`)
          tellOwners(
            prose`${count} of ${whose} ${end} within a minute.\n${named(by)}: ${why}\n→ /hooks log lost`,
          )
        },
      )
    },
    tellFull: (push, where) => {
      const there = where === 'chat' ? prose` to one chat on ${push.channel}` : []
      tellOwners(
        prose`⚠ Too much of ${named(push.agent_id)} waits to leave${there}. More is refused until some of it has left.`,
        `full ${push.agent_id} ${push.channel} ${where}`,
      )
    },
    after: ports.after,
    elapsedMs: ports.elapsedMs,
    now: ports.now,
  })

  const judgeNotice = createNoticeJudge({
    fire,
    gate: ports.gate,
    workspace: ports.workspace,
    after: ports.after,
  })

  const settled = (item: OutboxItem, became: Settled, sent: Content | undefined): (() => void) => {
    const { outcome, why } = became
    if (item.kind === 'push') return pushes.settled(item, became, sent)
    const delivered = awaited.get(item.id)
    awaited.delete(item.id)
    if (outcome === 'delivered') delivered?.(became.message?.message_id)
    if (outcome !== 'delivered')
      ports.store.addRecord({
        event_id: ports.newId(),
        atMs: ports.now(),
        kind: 'notice',
        subject: 'notice',
        outcome,
        channel: item.channel,
        chat_id: item.chat_id,
        ...(why === undefined ? {} : { reason: why }),
      })
    return () => undefined
  }

  const heldListeners = new Set<DoorPorts['heldChanged']>()
  const door: Door = createDoor({
    ...ports,
    heldChanged: (held) => {
      for (const listener of heldListeners) listener(held)
    },
    settled,
    readFile: ports.files.read,
    messageOf: (item, content) => pushes.messageOf(item, content),
    judge: (item, consent) =>
      item.kind === 'push'
        ? pushes.judgeAgain(item, consent)
        : judgeNotice({ channel: item.channel, chat_id: item.chat_id }, readNotice(item.body).text),
  })

  return {
    fire,
    push: (push, chain) => pushes.push(push, chain),
    notify,
    tellOwners,
    alarm,
    isAdmitted: (parcel) => door.isAdmitted(parcel),
    onHeld: (listener) => {
      heldListeners.add(listener)
      return () => void heldListeners.delete(listener)
    },
    waiting: () => door.waiting(),
    held: () => door.held(),
    release: (key) => door.release(key),
    withhold: (key, by) => door.withhold(key, by),
    wake: () => door.wake(),
    restore: async () => {
      const items = await ports.store.outbox()
      for (const ended of await ports.store.ended()) pushes.recall(ended)
      for (const item of items) {
        // The messengers are up before this: what they brought about since is in its lane already, or has left.
        if (begun.has(item.id)) continue
        if (item.state === 'sending') {
          const became: Settled = {
            outcome: 'unknown',
            why: 'hookgate stopped while it was being sent; it may have arrived',
          }
          const onDisk = settled(item, became, undefined)
          await ports.store
            .removeOutbox(item.id, endedAs(item, became))
            .catch(() => ports.log('error', 'the outbox could not be written', { id: item.id }))
          onDisk()
        } else {
          if (item.kind === 'push') pushes.takeUp(item)
          await enqueue(item, undefined, item.kind === 'notice' ? readNotice(item.body) : {})
        }
      }
      isRestored = true
      begun.clear()
      await ports.files.sweep()
    },
  }
}
