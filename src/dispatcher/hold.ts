import { createHash } from 'node:crypto'
import type { Content } from '../model/content.ts'
import type { HeldPush } from '../model/push.ts'
import type { OutboxItem } from '../model/record.ts'
import type { JudgedPush } from './judged.ts'
import { readPushBody } from './outbox-body.ts'
import type { Lane, WaitingItem } from './waiting.ts'

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
  /** A push waits for an owner's word, or, without one named, does not any more. */
  heldChanged(held?: HeldPush): void
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
export const createHold = (ports: HoldPorts) => {
  const read = ({ judged, held }: WaitingItem): HeldPush | undefined =>
    judged?.kind === 'asks' ? held : undefined
  return {
    read,
    /** It was judged, and a hook asks. Each content is asked about once. `look`: the chat's other pushes may pass it now. */
    begin: (waiting: WaitingItem, asks: Asks, look: () => void): void => {
      const before = waiting.held
      const held = heldOf(waiting.item, asks, before?.sinceMs ?? ports.now())
      waiting.held = held
      waiting.heldFromMs ??= ports.elapsedMs()
      if (before === undefined) ports.after(patienceMs, look)
      if (before?.key !== held.key) ports.heldChanged(held)
    },
    /** True while later pushes of its chat still wait behind it. */
    isInFront: (waiting: WaitingItem): boolean =>
      read(waiting) !== undefined && ports.elapsedMs() - (waiting.heldFromMs ?? -Infinity) < patienceMs,
    find: (
      lanes: readonly Lane[],
      key: string,
    ): { readonly lane: Lane; readonly waiting: WaitingItem } | undefined => {
      for (const lane of lanes) {
        const waiting = lane.pushes.find((one) => read(one)?.key === key)
        if (waiting !== undefined) return { lane, waiting }
      }
      return undefined
    },
  }
}
