import { believing } from '../../consent.ts'
import { connectDispatcher } from '../../../src/compose/outbound.ts'
import type { Dispatcher, DispatcherPorts } from '../../../src/core/dispatcher/dispatcher.ts'
import type { Channel, ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'

/** A bot over a transport that only records: what it would have sent can be looked at. */
export interface Rehearsal {
  readonly channel: Channel
  /** Conversations to which it can send, one of each kind. */
  readonly chats: readonly string[]
  /**
   * All that its transport was given since this was last asked: bytes, each as the character of that code.
   */
  taken(): Promise<string>
  /** Gives it a message as somebody else than the dispatcher would. */
  hand(outgoing: OutgoingMessage): Promise<unknown>
  /**
   * Ways around the door, by name. Each tries to bring `canary` out; `say` has a text leave through the door
   * meanwhile.
   */
  readonly ways: Readonly<
    Record<string, (canary: string, say: (text: string) => Promise<unknown>) => Promise<unknown>>
  >
}

/**
 * A bot that can be had once more, wired the same way, with a transport that only records. Nothing of that
 * one leaves.
 */
export interface Rehearsable extends Channel {
  rehearse?(ports: ChannelPorts): Promise<Rehearsal>
}

export interface RehearsalPorts extends Pick<DispatcherPorts, 'files' | 'workspace' | 'newId' | 'now'> {}

/**
 * The whole way out once more, from a push to the door, for a channel that only records: nothing of it is
 * kept, told or logged, and `judge` stands in for the hooks.
 */
export const createRehearsal =
  (ports: RehearsalPorts) =>
  (
    channel: () => Channel | undefined,
    judge: DispatcherPorts['judge'],
  ): Pick<Dispatcher, 'push' | 'isAdmitted'> =>
    connectDispatcher({
      ...ports,
      elapsedMs: () => performance.now(),
      judge,
      previews: () => true,
      gate: () => ({ revision: 0 }),
      inert: () => [],
      shadows: () => 0,
      isHeard: () => true,
      translateFor: () => () => undefined,
      zoneFor: () => ({ name: 'UTC', isOwn: false }),
      ownerChats: () => [],
      channel,
      ownerOf: believing,
      buttonsLeft: () => undefined,
      shown: () => undefined,
      store: {
        addRecord: () => undefined,
        putOutbox: () => Promise.resolve(),
        setOutbox: () => Promise.resolve(),
        removeOutbox: () => Promise.resolve(),
        outbox: () => Promise.resolve([]),
        ended: () => Promise.resolve([]),
        hasSeen: () => Promise.resolve(false),
      },
      after: (delayMs, run) => void setTimeout(run, delayMs).unref(),
      log: () => undefined,
    }).dispatcher
