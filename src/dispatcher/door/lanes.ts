import { chatKey, type Address } from '../../model/chat/push.ts'
import { createListeners } from '../outbox/listeners.ts'

/** One chat's way out: what waits there leaves one after the other. */
export interface ChatQueue<W> {
  readonly channel: string
  /** What waits, in order; notices go first. */
  readonly notices: W[]
  readonly pushes: W[]
  isSending: boolean
  /** The messenger could not be reached, or asked to be left alone for a while. */
  isPaused: boolean
  /** Its pushes wait for their turn under the messenger's limits. */
  isHeldBack: boolean
  /** How often in a row it was tried in vain, and why the last time. */
  tries: number
  why?: string
}

/** A lane is never forgotten: what is on its way to the disk is in none yet, and a second lane of its chat would overtake it. */
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
    /** Of one channel, or all. */
    all,
    /** Something changed for a lane: what waits there may leave now. */
    look: looks.tell,
    /** The same for all lanes of one channel, or for all. */
    lookAll: (channel?: string): void => {
      for (const lane of all(channel)) looks.tell(lane)
    },
    onLook: looks.on,
  }
}
