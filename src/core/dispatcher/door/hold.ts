import { createHash } from 'node:crypto'
import type { Content } from '../../model/chat/content.ts'
import type { HeldPush } from '../../model/chat/push.ts'
import type { JudgedPush } from '../judged.ts'
import { createListeners } from '../outbox/listeners.ts'
import type { OutgoingItem } from '../outbox/outbox-body.ts'
import type { ChatQueue, ChatQueues, WaitingItem } from './waiting.ts'

/** How long a held push blocks later pushes of its chat, in milliseconds. */
export const patienceMs = 60_000

/** The digest that an owner's decision applies to: everything that would leave. SHA-256 in hex. */
const digestOf = ({ type, text, marks, parts, files, target }: Content): string =>
  createHash('sha256')
    .update(JSON.stringify([type, text, marks, parts, files, target]))
    .digest('hex')

/** The key of an item with exactly this content. */
export const heldKey = ({ id }: OutgoingItem, content: Content): string => `${id} ${digestOf(content)}`

type AskVerdict = Extract<JudgedPush, { kind: 'asks' }>

export interface HoldPorts {
  readonly queues: ChatQueues
  after(delayMs: number, run: () => void): void
  /** A clock for intervals that nobody can set, in milliseconds. */
  elapsedMs(): number
  now(): number
}

/** Why a push waits whose question was put to owners before the gate last stopped. */
const askedBefore: Pick<HeldPush, 'by' | 'why' | 'hook'> = {
  by: 'hookgate',
  why: 'you were asked about it before hookgate stopped',
}

const heldOf = (
  item: OutgoingItem,
  { content, by, hook, why, eventId }: AskVerdict,
  sinceMs: number,
): HeldPush => ({
  key: heldKey(item, content),
  agent_id: item.push?.agent_id ?? '',
  channel: item.channel,
  chat_id: item.chat_id,
  content,
  by,
  hook,
  why,
  event_id: eventId,
  sinceMs,
})

/** Manages the pushes that wait for an owner's decision. */
export const createHold = ({ queues, after, elapsedMs, now }: HoldPorts) => {
  const changes = createListeners<[held?: HeldPush]>()
  const read = ({ judged, held }: WaitingItem): HeldPush | undefined =>
    judged?.kind === 'asks' ? held : undefined
  const find = (key: string): { readonly queue: ChatQueue; readonly waiting: WaitingItem } | undefined => {
    for (const queue of queues.all()) {
      const waiting = queue.pushes.find((one) => read(one)?.key === key)
      if (waiting !== undefined) return { queue, waiting }
    }
    return undefined
  }
  return {
    /**
     * The verdict with the owners' word. What a hook asks about leaves when an owner released exactly this
     * content. What owners were asked about leaves by their word alone, though hooks are off now, or its hook
     * is revoked or has changed its mind.
     */
    withWord: ({ item, held, consent }: WaitingItem, judged: JudgedPush): JudgedPush => {
      if (judged.kind === 'withheld') return judged
      const { content, revision, eventId = '' } = judged
      if (consent !== undefined && heldKey(item, content) === consent)
        return { kind: 'leaves', content, revision, eventId }
      const wasAsked = held !== undefined || item.state === 'held'
      if (!wasAsked || judged.kind === 'asks') return judged
      const { by, why, hook } = held ?? askedBefore
      return { kind: 'asks', content, revision, by, why, eventId, hook }
    },
    /**
     * A hook asks about the push. Owners are asked once about each content. Later pushes of the chat wait for
     * a limited time.
     */
    begin: (queue: ChatQueue, waiting: WaitingItem, asks: AskVerdict): void => {
      const before = waiting.held
      const held = heldOf(waiting.item, asks, before?.sinceMs ?? now())
      waiting.held = held
      waiting.heldFromMs ??= elapsedMs()
      if (before === undefined) after(patienceMs, () => queues.look(queue))
      if (before?.key !== held.key) changes.tell(held)
    },
    /** True while later pushes of its chat still wait for it. */
    isInFront: (waiting: WaitingItem): boolean =>
      read(waiting) !== undefined && elapsedMs() - (waiting.heldFromMs ?? -Infinity) < patienceMs,
    find,
    all: (): readonly HeldPush[] =>
      queues
        .all()
        .flatMap(({ pushes }) => pushes.map((one) => read(one)).filter((held) => held !== undefined)),
    /**
     * An owner released exactly the content that the key names. It is judged again. False: no push waits
     * under that key.
     */
    release: (key: string): boolean => {
      const found = find(key)
      if (found === undefined) return false
      found.waiting.consent = key
      found.waiting.judged = undefined
      changes.tell()
      queues.look(found.queue)
      return true
    },
    /** The push has ended. Owners who were asked about it are asked no longer. */
    end: ({ held }: WaitingItem): void => {
      if (held !== undefined) changes.tell()
    },
    /**
     * The listener is called with a push that starts to wait for an owner, and without an argument when one
     * stops waiting.
     */
    onChange: changes.on,
  }
}

export type Hold = ReturnType<typeof createHold>
