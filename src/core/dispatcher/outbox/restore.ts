import { readable } from '../../model/chat/content.ts'
import { chatKey } from '../../model/chat/push.ts'
import type { Ended } from '../../model/events/record.ts'
import type { Known } from '../pushes/known.ts'
import { readNotice, readPushBody, type OutgoingItem } from './outbox-body.ts'
import type { Outbox } from './outbox.ts'
import type { Door } from '../door/door.ts'
import type { Recent } from '../pushes/recent.ts'
import { spaceOf, type Room } from '../pushes/room.ts'
import type { MessengerLinks } from '../text/messenger-links.ts'

export interface RestorePorts {
  readonly door: Pick<Door, 'enqueue'>
  readonly outbox: Pick<Outbox, 'waited' | 'settle'>
  readonly known: Known
  readonly recent: Recent
  readonly room: Room
  readonly links: MessengerLinks
  /** The pushes that ended before the gate last stopped, each with its outcome. */
  ended(): Promise<readonly (Ended & { readonly id: string })[]>
  readonly files: {
    hold(holder: string, hashes: readonly string[]): void
    sweep(): Promise<void>
  }
}

/**
 * Restores the items that waited when the gate last stopped. A repeated request for an earlier push still
 * finds that push.
 */
export const createRestore = ({ door, outbox, known, recent, room, links, ended, files }: RestorePorts) => {
  const recall = ({ id, message, ...reply }: Ended & { readonly id: string }): void => {
    known.set(id, Promise.resolve({ ...reply, event_id: '' }))
    if (message !== undefined) known.note(id, message)
  }

  const takeUp = (item: OutgoingItem): Promise<unknown> => {
    if (item.kind === 'notice') return door.enqueue(item, undefined, readNotice(item.body))
    const { push } = item
    const chat = chatKey(item)
    room.take(item.id, chat, spaceOf(push, Buffer.byteLength(item.body)))
    files.hold(item.id, push?.files.map((file) => file.sha256) ?? [])
    known.set(item.id, Promise.resolve({ outcome: 'queued', event_id: '' }))
    const text = push === undefined ? '' : readable(push)
    return door.enqueue({ ...item, recent: recent.waits(chat, item.id, text) })
  }

  return async (): Promise<void> => {
    const items = await outbox.waited()
    for (const one of await ended()) recall(one)
    for (const row of items) {
      const item = row.kind === 'push' ? { ...row, push: readPushBody(row, links) } : row
      await (item.state === 'sending'
        ? outbox.settle(item, {
            outcome: 'unknown',
            why: 'hookgate stopped while it was being sent; it may have arrived',
          })
        : takeUp(item))
    }
    await files.sweep()
  }
}
