import type { Content } from '../../model/chat/content.ts'
import { createLastingWrites } from '../../model/base/lasting-writes.ts'
import { createNewcomers } from '../../model/base/newcomers.ts'
import { messageOf } from '../../model/gate/problem.ts'
import type { Ended, OutboxItem } from '../../model/events/record.ts'
import type { ItemOutcome } from '../judged.ts'
import { createListeners } from './listeners.ts'
import { storedEnd, type OutgoingItem } from './outbox-body.ts'

export interface OutboxPorts {
  readonly store: {
    putOutbox(item: OutboxItem): Promise<void>
    setOutbox(id: string, change: Partial<Pick<OutboxItem, 'state' | 'revision' | 'body'>>): Promise<void>
    removeOutbox(id: string, ended?: Ended): Promise<void>
    outbox(): Promise<readonly OutboxItem[]>
  }
  after(delayMs: number, run: () => void): void
  log(level: 'error', what: string, fields: Readonly<Record<string, string>>): void
}

/** A push could not be written to disk, so it does not leave. */
export class NotStoredError extends Error {}

/** The waiting items on disk, and the outcome of each. */
export const createOutbox = ({ store, after, log }: OutboxPorts) => {
  const settlings = createListeners<[item: OutgoingItem, settled: ItemOutcome, sent: Content | undefined]>()
  const ends = createListeners<[item: OutboxItem, settled: ItemOutcome]>()
  const newcomers = createNewcomers()

  const tellFailed = (error: unknown): void =>
    log('error', 'the outbox could not be written', { error: messageOf(error) })
  const removals = createLastingWrites({ after, onFailed: tellFailed })
  const removeRow = (id: string, ended?: Ended): Promise<boolean> =>
    removals.write(id, () => store.removeOutbox(id, ended))
  const quietly = (write: Promise<void>): Promise<void> => write.catch(tellFailed)

  return {
    /**
     * Writes an item to disk before it is sent. False: a new push (`isFresh`) could not be written, so it may
     * not leave. A notice leaves anyway, since it may say that the disk is full. Never rejects.
     */
    put: async (item: OutboxItem, isFresh: boolean): Promise<boolean> => {
      newcomers.add(item.id)
      removals.cancel(item.id)
      try {
        await store.putOutbox(item)
        return true
      } catch (error) {
        tellFailed(error)
        return !isFresh
      }
    },
    /** Stores that an item waits for its turn, or for an owner's decision. Never rejects. */
    setState: ({ id }: OutboxItem, state: 'queued' | 'held'): Promise<void> =>
      quietly(store.setOutbox(id, { state })),
    /**
     * Stores that a send starts. False: the push has to wait, since without this mark it would leave twice
     * after a crash.
     */
    mark: async ({ id, kind }: OutboxItem): Promise<boolean> => {
      const marked = store.setOutbox(id, { state: 'sending' })
      if (kind === 'notice') {
        await quietly(marked)
        return true
      }
      return marked.then(
        () => true,
        () => false,
      )
    },
    /**
     * Removes an item that is in no queue from the disk and stores its outcome. Resolves with false when the
     * first try has failed. Never rejects.
     */
    remove: removeRow,
    /**
     * Ends an item that left or never will. `sent`: the content that left, or may have left. The outcome is
     * recorded and reported before the row is removed: after a crash in between it is reported twice rather
     * than never. Resolves after the first try to remove it. Never rejects.
     */
    settle: async (item: OutgoingItem, settled: ItemOutcome, sent?: Content): Promise<void> => {
      settlings.tell(item, settled, sent)
      // What may have left is marked as such on disk, so no later start sends it. Anything else could leave
      // after all as long as its row is there.
      const end = storedEnd(item, settled)
      if (settled.outcome === 'delivered' || settled.outcome === 'unknown') {
        await removeRow(item.id, end)
        ends.tell(item, settled)
      } else
        await removals.write(item.id, async () => {
          await store.removeOutbox(item.id, end)
          ends.tell(item, settled)
        })
    },
    /**
     * The items that waited when the gate last stopped. The messengers start before this is called. Items
     * that they caused since then are in their queues or have left, and are not included.
     */
    waited: async (): Promise<readonly OutboxItem[]> =>
      newcomers.without(await store.outbox(), ({ id }) => id),
    onSettled: settlings.on,
    /** The listener is called once nothing can change the outcome. Before that nobody may rely on it. */
    onRemoved: ends.on,
  }
}

export type Outbox = ReturnType<typeof createOutbox>
