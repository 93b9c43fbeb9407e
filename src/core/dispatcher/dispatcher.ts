import type { Channel } from '../model/chat/channel.ts'
import { createAnswers } from './pushes/answers.ts'
import { createDoor, type DoorPorts } from './door/door.ts'
import { createFire, type FirePorts } from './fire.ts'
import { createPushJudge, type PushJudgePorts } from './pushes/judge.ts'
import { createKnown } from './pushes/known.ts'
import { createListeners } from './outbox/listeners.ts'
import { createNotify, type NotifyPorts } from './notify/notify.ts'
import { createNoticeJudge, type NoticePorts } from './notify/judge.ts'
import { readNotice } from './outbox/outbox-body.ts'
import { createOutbox, type OutboxPorts } from './outbox/outbox.ts'
import { createOutcomes, type OutcomePorts } from './pushes/outcomes.ts'
import { createPush, type PushPorts } from './pushes/push.ts'
import { createRecent } from './pushes/recent.ts'
import { createRestore, type RestorePorts } from './outbox/restore.ts'
import { createRoom } from './pushes/room.ts'
import { createTargets, type TargetPorts } from './pushes/targets.ts'
import { createMessengerLinks, type MessengerAddresses } from './text/messenger-links.ts'

export interface DispatcherPorts
  extends
    Pick<FirePorts, 'judge' | 'inert' | 'shadows' | 'keep' | 'tellNotes' | 'tellWarnings' | 'tellBlock'>,
    Pick<PushJudgePorts, 'gate' | 'isHeard'>,
    Pick<NoticePorts, 'workspace' | 'zoneFor'>,
    Pick<NotifyPorts, 'translateFor' | 'newId'>,
    Pick<
      DoorPorts,
      'ownerOf' | 'limits' | 'pauses' | 'buttonsLeft' | 'shown' | 'after' | 'elapsedMs' | 'now' | 'log'
    >,
    Pick<PushPorts, 'previews' | 'tellFull'>,
    Pick<OutcomePorts, 'tellLost'> {
  channel(name: string): Channel | undefined
  /** The addresses that messengers open by themselves. */
  readonly addresses: MessengerAddresses
  readonly store: OutboxPorts['store'] &
    Pick<TargetPorts, 'hasSeen'> &
    Pick<OutcomePorts, 'addRecord'> &
    Pick<RestorePorts, 'ended'>
  readonly files: PushPorts['files'] &
    OutcomePorts['files'] &
    RestorePorts['files'] &
    Pick<PushJudgePorts, 'pathOf'> & { read: DoorPorts['readFile'] }
}

/** Connects fire, push and notify, the three ways in which an agent and the world interact, to one door. */
export const createDispatcher = (ports: DispatcherPorts) => {
  const { store, files } = ports
  const addRecord = store.addRecord
  const outbox = createOutbox(ports)
  const room = createRoom()
  const recent = createRecent()
  const known = createKnown(room.has)
  const links = createMessengerLinks(ports.addresses)
  const targets = createTargets({ known, hasSeen: store.hasSeen })

  const judged = createListeners<Parameters<FirePorts['judged']>>()
  const fire = createFire({ ...ports, record: addRecord, judged: judged.tell })
  const pushJudge = createPushJudge({ ...ports, fire, recent, links, pathOf: files.pathOf })
  const judgeNotice = createNoticeJudge({ ...ports, fire })

  const door = createDoor({
    ...ports,
    outbox,
    links,
    readFile: files.read,
    messageOf: targets.messageOf,
    judge: (item) =>
      item.kind === 'push'
        ? pushJudge(item)
        : judgeNotice({ channel: item.channel, chat_id: item.chat_id }, readNotice(item.body)),
  })
  const notices = createNotify({ ...ports, door, addRecord })

  const answers = createAnswers(ports)
  const outcomes = createOutcomes({ ...ports, outbox, answers, known, recent, room, addRecord })
  const push = createPush({
    ...ports,
    door,
    judge: pushJudge,
    known,
    recent,
    room,
    targets,
    links,
    answers,
    outcomes,
  })

  outbox.onSettled((item, settled, sent) =>
    item.kind === 'push' ? outcomes.settled(item, settled, sent) : notices.settled(item, settled),
  )
  outbox.onRemoved((item, settled) => {
    if (item.kind === 'push') outcomes.ended(item, settled)
  })

  const { isAdmitted, onHeld, waiting, held, release, withhold, wake } = door
  return {
    fire,
    /** The listener gets each event as it came, its verdict, and how long that took in milliseconds. */
    onJudged: judged.on,
    push,
    notify: notices.notify,
    isAdmitted,
    onHeld,
    waiting,
    held,
    release,
    withhold,
    wake,
    restore: createRestore({ door, outbox, known, recent, room, links, ended: store.ended, files }),
  }
}

export type Dispatcher = ReturnType<typeof createDispatcher>
