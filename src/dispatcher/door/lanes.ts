import { chatKey, type Address } from '../../model/chat/push.ts'
import { createListeners } from '../outbox/listeners.ts'

/** The outgoing queues of one chat. Items leave one after the other. */
export interface ChatQueue<W> {
  readonly channel: string
  /** The waiting items, in order. Notices go first. */
  readonly notices: W[]
  readonly pushes: W[]
  isSending: boolean
  /** The messenger could not be reached, or it asked for a pause. */
  isPaused: boolean
  /** Its pushes wait for a free slot under the messenger's rate limits. */
  isHeldBack: boolean
  /** The number of failed tries in a row, and the reason of the last one. */
  tries: number
  why?: string
}

/**
 * A lane is never removed. An item that is still being written to disk is in no lane yet, and a second lane
 * of its chat would overtake it.
 */
export const createLanes = <W>() => {
  const lanes = new Map<string, ChatQueue<W>>()
  const looks = createListeners<[lane: ChatQueue<W>]>()
  const all = (channel?: string): readonly ChatQueue<W>[] =>
    [...lanes.values()].filter((lane) => channel === undefined || lane.channel === channel)
  return {
    of: (address: Address): ChatQueue<W> => {
      const key = chatKey(address)
      const known = lanes.get(key)
      if (known !== undefined) return known
      const lane: ChatQueue<W> = {
        channel: address.channel,
        notices: [],
        pushes: [],
        isSending: false,
        isPaused: false,
        isHeldBack: false,
        tries: 0,
      }
      lanes.set(key, lane)
      return lane
    },
    /** The lanes of one channel, or all lanes. */
    all,
    /** Tells the listeners that a lane changed and that its next item may leave now. */
    look: looks.tell,
    /** Does the same for all lanes of one channel, or for all lanes. */
    lookAll: (channel?: string): void => {
      for (const lane of all(channel)) looks.tell(lane)
    },
    onLook: looks.on,
  }
}
