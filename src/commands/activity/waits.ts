import { chatKey, type Address } from '../../core/model/chat/push.ts'

export interface WaitPorts {
  /** An agent begins to wait for a person about this chat, or goes on. */
  waits(address: Address, isWaiting: boolean): void
  /** A clock for intervals that nobody can set, in milliseconds. */
  elapsedMs(): number
}

/** Counts what waits for a person: by the key of a turn, and in each chat. */
export const createWaits = ({ waits, elapsedMs }: WaitPorts) => {
  const ofTurns = new Map<string, { count: number; readonly fromMs: number }>()
  const ofChats = new Map<string, number>()
  const countIn = (address: Address, more: 1 | -1): void => {
    const chat = chatKey(address)
    const count = (ofChats.get(chat) ?? 0) + more
    if (count === 0) ofChats.delete(chat)
    else ofChats.set(chat, count)
    if (count === (more === 1 ? 1 : 0)) waits(address, more === 1)
  }
  return {
    has: (turn: string): boolean => ofTurns.has(turn),
    /** How long the turn has been waiting, in milliseconds. */
    forMs: (turn: string): number => elapsedMs() - (ofTurns.get(turn)?.fromMs ?? elapsedMs()),
    /** The returned function ends it. It gives how long the turn waited, once nothing of it waits. */
    begin: (turn: string, address: Address): (() => number) => {
      const known = ofTurns.get(turn) ?? { count: 0, fromMs: elapsedMs() }
      ofTurns.set(turn, known)
      known.count += 1
      countIn(address, 1)
      return () => {
        countIn(address, -1)
        known.count -= 1
        if (known.count > 0) return 0
        ofTurns.delete(turn)
        return elapsedMs() - known.fromMs
      }
    },
  }
}

export type Waits = ReturnType<typeof createWaits>
