import type { Channel, Delivery } from '../model/channel.ts'
import type { Content } from '../model/content.ts'
import { messageOf } from '../model/problem.ts'
import type { Parcel } from '../model/push.ts'
import type { OutboxItem } from '../model/record.ts'
import type { JudgedPush, Settled } from './judged.ts'
import { createHold } from './hold.ts'
import { createLanes } from './lanes.ts'
import { createLimits, type SendSlot } from './limits.ts'
import { endedAs } from './outbox-body.ts'
import { parcelOf, readFiles } from './parcel.ts'
import { createPauses } from './pauses.ts'
import { Unkept, type Door, type DoorPorts } from './ports.ts'
import { isWhole, piecesOf } from './pieces.ts'
import { takenUp, withLeft, type Lane, type WaitingItem } from './waiting.ts'

/** How long something may wait to leave before it is given up, in milliseconds. */
export const timeToLiveMs = 24 * 60 * 60 * 1000

const noTarget = ({ type }: Content): string =>
  type === 'reaction'
    ? 'the message that it is about is neither this agent’s nor one that somebody wrote here'
    : 'the message that it is about did not arrive, or not as one'

const unmarked = { kind: 'retry', afterMs: 1000, why: 'the store could not be written' } as const

/**
 * The one way out. Everything that leaves waits here in its chat's lane, in order, notices first, and is compared with
 * the gate's revision in the very step that sends it.
 */
export const createDoor = (ports: DoorPorts): Door => {
  const lanes = createLanes<WaitingItem>()
  const admitted = new WeakSet<Parcel>()
  const limits = createLimits(ports)
  const pumpAll = (channel?: string): void => {
    for (const lane of lanes.all(channel)) pump(lane)
  }
  const pauses = createPauses({ ...ports, over: pumpAll })
  const hold = createHold(ports)
  let sequence = 0
  let epoch = 0

  const quietly = (write: Promise<void>): Promise<void> =>
    write.catch((error: unknown) =>
      ports.log('error', 'the outbox could not be written', { error: messageOf(error) }),
    )

  /** The lane goes on meanwhile: the store keeps the order, and what is done at once shares a commit. */
  const finish = (lane: Lane, { item, judged, held }: WaitingItem, settled: Settled): void => {
    const queue = queueOf(lane, item)
    const at = queue.findIndex((other) => other.item === item)
    if (at >= 0) queue.splice(at, 1)
    if (held !== undefined) ports.heldChanged()
    // Recorded and told before it is gone: killed in between, it is told twice rather than never.
    const onDisk = ports.settled(item, settled, judged?.kind === 'leaves' ? judged.content : undefined)
    void quietly(ports.store.removeOutbox(item.id, endedAs(item, settled))).then(onDisk)
  }

  const unkept = (error: unknown): never => {
    ports.log('error', 'the outbox could not be written', { error: messageOf(error) })
    throw new Unkept(messageOf(error))
  }

  const queueOf = (lane: Lane, { kind }: OutboxItem): WaitingItem[] =>
    kind === 'notice' ? lane.notices : lane.pushes

  const take = (lane: Lane, waiting: WaitingItem, judged: JudgedPush, begun: number): void => {
    waiting.judged = takenUp(waiting, judged)
    waiting.epoch = begun
    if (waiting.judged.kind !== 'asks') return
    hold.begin(waiting, waiting.judged, () => pump(lane))
    void quietly(ports.store.setOutbox(waiting.item.id, { state: 'held' }))
  }

  const judge = async (lane: Lane, waiting: WaitingItem): Promise<void> => {
    if (waiting.isJudging) return
    waiting.isJudging = true
    const begun = epoch
    const judged = await ports.judge(waiting.item, waiting.consent)
    waiting.isJudging = false
    take(lane, waiting, judged, begun)
    pump(lane)
  }

  /** True when the item has to be judged before it may leave under the gate as it stands this instant. */
  const isStale = ({ item, judged, epoch: judgedIn }: WaitingItem): boolean =>
    judged?.kind !== 'withheld' &&
    (judged?.revision !== ports.gate().revision || (item.kind === 'push' && judgedIn !== epoch))

  /** True when the item may leave; else it is judged, and comes back. */
  const isCurrent = (lane: Lane, waiting: WaitingItem): boolean => {
    if (!isStale(waiting)) return true
    void judge(lane, waiting)
    return false
  }

  const isTooOld = ({ bornMs }: WaitingItem): boolean => ports.elapsedMs() - bornMs > timeToLiveMs

  const next = (lane: Lane): WaitingItem | undefined => {
    const [notice] = lane.notices
    if (notice !== undefined && isCurrent(lane, notice)) return notice
    if (ports.gate().lockdown !== undefined) return undefined
    for (const push of lane.pushes) {
      // A notice is judged within seconds, and it often explains the push that comes after it.
      if (notice !== undefined && notice.item.seq < push.item.seq) return undefined
      // Judged while it waits, so that its turn finds it ready.
      if (!isCurrent(lane, push)) return undefined
      if (push.judged?.kind !== 'asks')
        return !lane.isHeldBack || push.judged?.kind === 'withheld' ? push : undefined
      if (isTooOld(push)) return push
      if (hold.isInFront(push)) return undefined
    }
    return undefined
  }

  /** Nothing of it is under way. Once a part has left it stays 'sending': after a crash it is told, not repeated. */
  const pause = async ({ item, sent }: WaitingItem): Promise<void> => {
    if (sent === 0) await quietly(ports.store.setOutbox(item.id, { state: 'queued' }))
  }

  /** A notice waits for no limit: an owner's answer must not stand behind what an agent says. It counts all the same. */
  const placeFor = (lane: Lane, item: OutboxItem): SendSlot | undefined => {
    if (item.kind === 'notice') return limits.force(item)
    const place = limits.take(item, () => {
      lane.isHeldBack = false
      pump(lane)
    })
    lane.isHeldBack = place === undefined
    return place
  }

  const letOut = async (channel: Channel, parcel: Parcel, place: SendSlot): Promise<Delivery> => {
    const presses = (parcel.buttons ?? []).flat().map(({ press }) => press)
    admitted.add(parcel)
    place.start()
    // A messenger that answers late may have shown it at once.
    ports.buttonsLeft(presses)
    try {
      return await channel.deliver(parcel)
    } finally {
      ports.buttonsLeft(presses)
      admitted.delete(parcel)
      place.end()
    }
  }

  const rest = (lane: Lane, item: OutboxItem, delivery: Extract<Delivery, { kind: 'retry' }>): void => {
    lane.tries += 1
    lane.why = delivery.why
    lane.isPaused = true
    // A flag and not a time: a timer may ring before the clock says so, and then nobody would ring again.
    ports.after(pauses.restMs(item, delivery, lane.tries), () => {
      lane.isPaused = false
      pump(lane)
    })
  }

  /** Without the mark a push would leave twice after a crash, so it waits. */
  const mark = async ({ id, kind }: OutboxItem): Promise<boolean> => {
    const marked = ports.store.setOutbox(id, { state: 'sending' })
    if (kind === 'notice') await quietly(marked)
    else
      return marked.then(
        () => true,
        () => false,
      )
    return true
  }

  const send = async (lane: Lane, waiting: WaitingItem): Promise<void> => {
    const { item, judged } = waiting
    const channel = ports.channel(item.channel)
    if (judged?.kind === 'withheld') return finish(lane, waiting, { ...judged, outcome: 'withheld' })
    if (judged?.kind === 'asks')
      return finish(lane, waiting, {
        outcome: 'withheld',
        why: 'no owner released it within a day',
        by: 'hookgate',
      })
    if (judged === undefined) return
    if (channel === undefined)
      return finish(lane, waiting, { outcome: 'failed', why: `no channel "${item.channel}" is connected` })
    if (isTooOld(waiting))
      return finish(lane, waiting, {
        outcome: 'failed',
        why: withLeft(waiting, 'it waited longer than a day'),
      })
    const { content, shows } = judged
    // Before it leaves: an answer may come at once.
    if (shows?.hiddenBy !== undefined) ports.shown(shows.handles, shows.hiddenBy)
    if (waiting.sent === 0) waiting.pieces = piecesOf(content, channel)
    if (waiting.pieces.length > 1 && isWhole(content.type))
      return finish(lane, waiting, {
        outcome: 'failed',
        why: `Expected one message of at most ${channel.maxUnits} characters, got ${content.text.length}.`,
      })
    const target = content.target === undefined ? undefined : await ports.messageOf(item, content)
    if (content.target !== undefined && target === undefined)
      return finish(lane, waiting, { outcome: 'failed', why: noTarget(content) })
    let left: Extract<Delivery, { kind: 'delivered' }> = { kind: 'delivered' }
    while (waiting.sent < waiting.pieces.length) {
      const piece = waiting.pieces[waiting.sent] ?? content
      const place = placeFor(lane, item)
      if (place === undefined) return
      const files = piece.files.length === 0 ? [] : await readFiles(piece, ports.readFile)
      if (files === undefined) {
        place.end()
        return finish(lane, waiting, {
          outcome: 'failed',
          why: withLeft(waiting, 'a file of it is gone or was changed'),
        })
      }
      if (waiting.sent === 0 && !(await mark(item))) {
        place.end()
        return rest(lane, item, unmarked)
      }
      const parcel = parcelOf(
        item,
        piece,
        { at: waiting.sent, of: waiting.pieces.length },
        { files, target, form: waiting.form },
      )
      if (isStale(waiting) || (item.kind === 'push' && ports.gate().lockdown !== undefined)) {
        place.end()
        return pause(waiting)
      }
      const delivery = await letOut(channel, parcel, place)
      if (delivery.kind === 'retry') {
        rest(lane, item, delivery)
        return pause(waiting)
      }
      lane.tries = 0
      if (delivery.kind !== 'delivered')
        return finish(lane, waiting, { outcome: delivery.kind, why: withLeft(waiting, delivery.why) })
      left = delivery
      waiting.sent += 1
    }
    if (shows !== undefined && shows.hiddenBy === undefined) ports.shown(shows.handles)
    const { message_id, chat_id } = left
    const message =
      message_id === undefined || waiting.pieces.length > 1
        ? undefined
        : { channel: item.channel, chat_id: item.chat_id, message_id }
    return finish(lane, waiting, {
      outcome: 'delivered',
      ...(message === undefined ? {} : { message }),
      ...(chat_id === undefined ? {} : { chat_id }),
    })
  }

  const pump = (lane: Lane): void => {
    if (lane.isSending || lane.isPaused || pauses.isClosed(lane.channel)) return
    const waiting = next(lane)
    if (waiting === undefined) return
    lane.isSending = true
    void send(lane, waiting)
      .catch((error: unknown) => {
        ports.log('error', 'a send failed in hookgate itself', { error: messageOf(error) })
        return finish(lane, waiting, { outcome: 'unknown', why: 'hookgate failed while sending it' })
      })
      .then(() => {
        lane.isSending = false
        pump(lane)
      })
  }

  return {
    sequence: () => (sequence = Math.max(sequence + 1, ports.now() * 1000)),
    enqueue: async (item, judging, form = {}) => {
      const begun = epoch
      const lane = lanes.of(item)
      // What waited when the gate last stopped is as old as it was then.
      const bornMs = ports.elapsedMs() - Math.max(0, ports.now() - item.createdAtMs)
      const waiting: WaitingItem = {
        item,
        form,
        bornMs,
        judged: undefined,
        epoch,
        isJudging: false,
        pieces: [],
        sent: 0,
      }
      if (judging === undefined && item.kind === 'notice') void judge(lane, waiting)
      const put = ports.store.putOutbox(item)
      // What an agent says now is kept or refused. A notice leaves all the same: it may say that the disk is full.
      const isFresh = item.kind === 'push' && judging !== undefined
      const onDisk = isFresh ? put.catch(unkept) : quietly(put)
      const [judged] = await Promise.all([judging, onDisk])
      if (judged?.kind === 'withheld') return
      queueOf(lane, item).push(waiting)
      if (judged !== undefined) take(lane, waiting, judged, begun)
      pump(lane)
    },
    isAdmitted: (parcel) => admitted.has(parcel),
    wake: () => {
      if (ports.gate().lockdown !== undefined) epoch += 1
      pumpAll()
    },
    held: () =>
      lanes
        .all()
        .flatMap(({ pushes }) => pushes.map((one) => hold.read(one)).filter((held) => held !== undefined)),
    release: (key) => {
      const found = hold.find(lanes.all(), key)
      if (found === undefined) return false
      const { lane, waiting } = found
      waiting.consent = key
      waiting.judged = undefined
      ports.heldChanged()
      pump(lane)
      return true
    },
    withhold: (key, by) => {
      const found = hold.find(lanes.all(), key)
      if (found !== undefined)
        finish(found.lane, found.waiting, {
          outcome: 'withheld',
          why: 'an owner withheld it',
          by,
          byOwner: true,
        })
      return found !== undefined
    },
    waiting: () =>
      lanes.all().flatMap(({ channel, pushes, tries, why }) => {
        const [first] = pushes
        return first === undefined
          ? []
          : [
              {
                channel,
                chat_id: first.item.chat_id,
                count: pushes.length,
                sinceMs: first.item.createdAtMs,
                ...(tries === 0 || why === undefined ? {} : { why }),
              },
            ]
      }),
  }
}
