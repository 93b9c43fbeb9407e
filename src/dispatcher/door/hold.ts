import { createHash } from 'node:crypto'
import type { Content } from '../../model/chat/content.ts'
import type { HeldPush } from '../../model/chat/push.ts'
import type { OutboxItem } from '../../model/events/record.ts'
import type { JudgedPush } from '../judged.ts'
import { createListeners } from '../outbox/listeners.ts'
import { readPushBody } from '../outbox/outbox-body.ts'
import type { Lane, Lanes, WaitingItem } from './waiting.ts'

/** So long what was said later in the same chat waits behind a push that is held, in milliseconds. */
export const patienceMs = 60_000

/** What an owner's word binds to: everything that would leave. */
const digestOf = ({ type, text, marks, parts, files, target }: Content): string =>
  createHash('sha256')
    .update(JSON.stringify([type, text, marks, parts, files, target]))
    .digest('hex')

/** Names an item with exactly this content. */
export const heldKey = ({ id }: OutboxItem, content: Content): string => `${id} ${digestOf(content)}`

type Asks = Extract<JudgedPush, { kind: 'asks' }>

export interface HoldPorts {
  readonly lanes: Lanes
  after(delayMs: number, run: () => void): void
  /** For intervals, by a clock that nobody can set. */
  elapsedMs(): number
  now(): number
}

const heldOf = (item: OutboxItem, { content, by, why, eventId }: Asks, sinceMs: number): HeldPush => ({
  key: heldKey(item, content),
  agent_id: readPushBody(item)?.agent_id ?? '',
  channel: item.channel,
  chat_id: item.chat_id,
  content,
  by,
  why,
  event_id: eventId,
  sinceMs,
})

/** Pushes that wait for an owner's word. */
export const createHold = ({ lanes, after, elapsedMs, now }: HoldPorts) => {
  const changes = createListeners<[held?: HeldPush]>()
  const read = ({ judged, held }: WaitingItem): HeldPush | undefined =>
    judged?.kind === 'asks' ? held : undefined
  const find = (key: string): { readonly lane: Lane; readonly waiting: WaitingItem } | undefined => {
    for (const lane of lanes.all()) {
      const waiting = lane.pushes.find((one) => read(one)?.key === key)
      if (waiting !== undefined) return { lane, waiting }
    }
    return undefined
  }
  return {
    /** It was judged, and a hook asks. Each content is asked about once. The chat's other pushes wait behind it for a while. */
    begin: (lane: Lane, waiting: WaitingItem, asks: Asks): void => {
      const before = waiting.held
      const held = heldOf(waiting.item, asks, before?.sinceMs ?? now())
      waiting.held = held
      waiting.heldFromMs ??= elapsedMs()
      if (before === undefined) after(patienceMs, () => lanes.look(lane))
      if (before?.key !== held.key) changes.tell(held)
    },
    /** True while later pushes of its chat still wait behind it. */
    isInFront: (waiting: WaitingItem): boolean =>
      read(waiting) !== undefined && elapsedMs() - (waiting.heldFromMs ?? -Infinity) < patienceMs,
    find,
    all: (): readonly HeldPush[] =>
      lanes
        .all()
        .flatMap(({ pushes }) => pushes.map((one) => read(one)).filter((held) => held !== undefined)),
    /** An owner said yes to exactly what the key names. It is judged again. False: nothing waits under that key. */
    release: (key: string): boolean => {
      const found = find(key)
      if (found === undefined) return false
      found.waiting.consent = key
      found.waiting.judged = undefined
      changes.tell()
      lanes.look(found.lane)
      return true
    },
    /** It left or never will: an owner who was asked about it is asked no more. */
    end: ({ held }: WaitingItem): void => {
      if (held !== undefined) changes.tell()
    },
    /** The listener is called when a push waits for an owner's word and, without one named, when one does not any more. */
    onChange: changes.on,
  }
}

export type Hold = ReturnType<typeof createHold>
