import type { Content } from '../../model/chat/content.ts'
import { createNewcomers } from '../../model/base/newcomers.ts'
import { messageOf } from '../../model/gate/problem.ts'
import type { Ended, OutboxItem } from '../../model/events/record.ts'
import type { Settled } from '../judged.ts'
import { createListeners } from './listeners.ts'
import { endedAs } from './outbox-body.ts'

export interface OutboxPorts {
  readonly store: {
    putOutbox(item: OutboxItem): Promise<void>
    setOutbox(id: string, change: Partial<Pick<OutboxItem, 'state' | 'revision' | 'body'>>): Promise<void>
    removeOutbox(id: string, ended?: Ended): Promise<void>
    outbox(): Promise<readonly OutboxItem[]>
  }
  log(level: 'error', what: string, fields: Readonly<Record<string, string>>): void
}

/** What an agent said could not be written down, so nothing of it leaves. */
export class Unkept extends Error {}

/** What waits to leave, as the disk keeps it, and what became of it in the end. */
export const createOutbox = ({ store, log }: OutboxPorts) => {
  const settlings = createListeners<[item: OutboxItem, settled: Settled, sent: Content | undefined]>()
  const removals = createListeners<[item: OutboxItem, settled: Settled]>()
  const newcomers = createNewcomers()

  const tellFailed = (error: unknown): void =>
    log('error', 'the outbox could not be written', { error: messageOf(error) })
  const quietly = (write: Promise<void>): Promise<void> => write.catch(tellFailed)
  const unkept = (error: unknown): never => {
    tellFailed(error)
    throw new Unkept(messageOf(error))
  }

  return {
    /**
     * Writes it down before it is sent. What an agent says now (`isFresh`) is kept, or this rejects with `Unkept`. A
     * notice leaves all the same: it may say that the disk is full.
     */
    put: (item: OutboxItem, isFresh: boolean): Promise<void> => {
      newcomers.add(item.id)
      const put = store.putOutbox(item)
      return isFresh ? put.catch(unkept) : quietly(put)
    },
    /** Keeps that it waits for its turn, or for an owner's word. Never rejects. */
    setState: ({ id }: OutboxItem, state: 'queued' | 'held'): Promise<void> =>
      quietly(store.setOutbox(id, { state })),
    /** Keeps that a send begins. False: a push has to wait, since without the mark it would leave twice after a crash. */
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
    /** Takes one off the disk that stands in no lane, and keeps what became of it. Never rejects. */
    remove: (id: string, ended?: Ended): Promise<void> => quietly(store.removeOutbox(id, ended)),
    /**
     * It left, or it never will. `sent`: what left of it, or may have. That is recorded and told before its row is gone:
     * killed in between, it is told twice rather than never.
     */
    settle: (item: OutboxItem, settled: Settled, sent?: Content): Promise<void> => {
      settlings.tell(item, settled, sent)
      return quietly(store.removeOutbox(item.id, endedAs(item, settled))).then(() =>
        removals.tell(item, settled),
      )
    },
    /**
     * What waited when the gate last stopped. The messengers are up before this is asked: what they brought about since
     * is in its lane already, or has left, and is not among it.
     */
    waited: async (): Promise<readonly OutboxItem[]> =>
      newcomers.without(await store.outbox(), ({ id }) => id),
    onSettled: settlings.on,
    /** The listener is called once the end is on disk. No earlier may anybody rely on it. */
    onRemoved: removals.on,
  }
}

export type Outbox = ReturnType<typeof createOutbox>
