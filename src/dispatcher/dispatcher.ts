import type { Channel } from '../model/chat/channel.ts'
import type { EventName } from '../model/events/event.ts'
import type { Payload } from '../model/events/payload.ts'
import type { Translate } from '../model/chat/prose.ts'
import type { Zone } from '../model/chat/zone.ts'
import type { Address, AgentPush, PushResult } from '../model/chat/push.ts'
import type { EventRecord } from '../model/events/record.ts'
import type { Fired } from '../model/events/step.ts'
import type { RecordedHook, Verdict } from '../model/hooks/verdict.ts'
import { createBlocks, untoldBlock, type BlockNotices } from './notices/blocks.ts'
import { createAnswers } from './pushes/answers.ts'
import { createDoor } from './door/door.ts'
import { createFire, type FirePorts, type FireRequest } from './fire.ts'
import { createPushJudge, type PushJudgePorts } from './pushes/judge.ts'
import { createKnown } from './pushes/known.ts'
import { createListeners } from './outbox/listeners.ts'
import { createLost } from './pushes/lost.ts'
import { createNotices, type Notices } from './notices/notices.ts'
import { createNoticeJudge } from './notices/notify.ts'
import { readNotice } from './outbox/outbox-body.ts'
import { createOutbox, type OutboxPorts } from './outbox/outbox.ts'
import { createOutcomes, type OutcomePorts } from './pushes/outcomes.ts'
import type { Door, DoorPorts } from './door/ports.ts'
import { createPush, type PushPorts } from './pushes/push.ts'
import { createRecent } from './pushes/recent.ts'
import { createRestore, type RestorePorts } from './outbox/restore.ts'
import { createRoom } from './pushes/room.ts'
import { createTargets, type TargetPorts } from './pushes/targets.ts'

export interface DispatcherPorts {
  judge(payload: Payload, options: { deadlineMs?: number; chain?: readonly string[] }): Promise<Verdict>
  gate(): { readonly revision: number; readonly lockdown?: string }
  inert(event: EventName): readonly RecordedHook[]
  shadows: FirePorts['shadows']
  isHeard: PushJudgePorts['isHeard']
  keep?: FirePorts['keep']
  /** The translation of our words into the language of the people in a chat. */
  translateFor(address: Address): Translate
  /** The time zone of the people in a chat. */
  zoneFor(address: Address): Zone
  /** The private chat of each owner. */
  ownerChats(): readonly Address[]
  channel(name: string): Channel | undefined
  readonly store: OutboxPorts['store'] & {
    hasSeen: TargetPorts['hasSeen']
    addRecord(record: EventRecord): void
    ended: RestorePorts['ended']
  }
  readonly files: PushPorts['files'] &
    OutcomePorts['files'] &
    RestorePorts['files'] & { pathOf: PushJudgePorts['pathOf']; read: DoorPorts['readFile'] }
  buttonsLeft: DoorPorts['buttonsLeft']
  shown: DoorPorts['shown']
  previews: PushPorts['previews']
  /** The notices about blocked steps. Absent: nobody is told of them. */
  readonly blockNotices?: BlockNotices
  readonly workspace: string
  newId(): string
  after(delayMs: number, run: () => void): void
  /** A clock for intervals that nobody can set, in milliseconds. */
  elapsedMs(): number
  /** The time for what is shown or stored, in epoch milliseconds. */
  now(): number
  log: DoorPorts['log']
}

export interface Dispatcher
  extends
    Pick<Notices, 'notify' | 'tellOwners' | 'tellOwner' | 'alarm'>,
    Pick<Door, 'isAdmitted' | 'onHeld' | 'waiting' | 'held' | 'release' | 'withhold'> {
  /** Asks the hooks about an event. Never rejects. */
  fire(request: FireRequest): Promise<Fired>
  /** The listener gets each event as it came, its verdict, and how long that took in milliseconds. */
  onJudged(listener: FirePorts['judged']): () => void
  /** Sends an agent's message if the hooks allow it. */
  push(push: AgentPush, chain?: readonly string[]): Promise<PushResult>
  /** The gate changed: every waiting item is checked again. */
  wake(): void
  /**
   * Restores the items that waited when the gate last stopped. A send that had begun then is reported as
   * unknown and is not repeated.
   */
  restore(): Promise<void>
}

/** Connects fire, push and notify, the three ways in which an agent and the world interact, to one door. */
export const createDispatcher = (ports: DispatcherPorts): Dispatcher => {
  const { store, files } = ports
  const addRecord = store.addRecord
  const outbox = createOutbox(ports)
  const room = createRoom()
  const recent = createRecent()
  const known = createKnown(room.has)
  const targets = createTargets({ known, hasSeen: store.hasSeen })

  const judged = createListeners<Parameters<FirePorts['judged']>>()
  // What tells people of an event is made later, because its notices are events themselves.
  const people: Partial<Pick<FirePorts, 'tellNotes' | 'tellWarnings' | 'tellBlock'>> = {}
  const fire = createFire({
    ...ports,
    record: addRecord,
    judged: judged.tell,
    tellNotes: (...told) => people.tellNotes?.(...told),
    tellWarnings: (...told) => people.tellWarnings?.(...told),
    tellBlock: (request, verdict) => people.tellBlock?.(request, verdict) ?? untoldBlock,
  })
  const pushJudge = createPushJudge({ ...ports, fire, recent, pathOf: files.pathOf })
  const judgeNotice = createNoticeJudge({ ...ports, fire })

  const door = createDoor({
    ...ports,
    outbox,
    readFile: files.read,
    messageOf: targets.messageOf,
    judge: (item) =>
      item.kind === 'push'
        ? pushJudge(item)
        : judgeNotice({ channel: item.channel, chat_id: item.chat_id }, readNotice(item.body)),
  })
  const notices = createNotices({ ...ports, door, addRecord })

  const lost = createLost({ tellOwners: notices.tellOwners, after: ports.after })
  const answers = createAnswers(ports)
  const outcomes = createOutcomes({ ...ports, outbox, answers, known, recent, room, lost, addRecord })
  const push = createPush({
    ...ports,
    door,
    judge: pushJudge,
    known,
    recent,
    room,
    targets,
    answers,
    outcomes,
    lost,
  })

  people.tellNotes = notices.tellNotes
  people.tellWarnings = notices.tellWarnings
  const { blockNotices } = ports
  if (blockNotices !== undefined)
    people.tellBlock = createBlocks({ ...ports, ...blockNotices, tellOwners: notices.tellOwners }).tell
  outbox.onSettled((item, settled, sent) =>
    item.kind === 'push' ? outcomes.settled(item, settled, sent) : notices.settled(item, settled),
  )
  outbox.onRemoved((item, settled) => {
    if (item.kind === 'push') outcomes.ended(item, settled)
  })

  return {
    fire,
    onJudged: judged.on,
    push,
    notify: notices.notify,
    tellOwners: notices.tellOwners,
    tellOwner: notices.tellOwner,
    alarm: notices.alarm,
    isAdmitted: door.isAdmitted,
    onHeld: door.onHeld,
    waiting: door.waiting,
    held: door.held,
    release: door.release,
    withhold: door.withhold,
    wake: door.wake,
    restore: createRestore({ door, outbox, known, recent, room, ended: store.ended, files }),
  }
}
