import type { Channel } from '../model/channel.ts'
import { createDispatcher, type Dispatcher, type DispatcherPorts } from './dispatcher.ts'

export interface RehearsalPorts extends Pick<DispatcherPorts, 'files' | 'workspace' | 'newId' | 'now'> {}

/**
 * The whole way out once more, from a push to the door, for a channel that only records: nothing of it is kept, told or
 * logged, and `judge` stands in for the hooks.
 */
export const createRehearsal =
  (ports: RehearsalPorts) =>
  (
    channel: () => Channel | undefined,
    judge: DispatcherPorts['judge'],
  ): Pick<Dispatcher, 'push' | 'isAdmitted'> =>
    createDispatcher({
      ...ports,
      elapsedMs: () => performance.now(),
      judge,
      previews: () => true,
      gate: () => ({ revision: 0 }),
      inert: () => [],
      ownerChats: () => [],
      channel,
      heldChanged: () => undefined,
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
    })
