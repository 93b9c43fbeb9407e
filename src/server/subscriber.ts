import type { ServerResponse } from 'node:http'
import { budgets } from '../shared/base/budgets.ts'
import type { InboxLine } from '../shared/events/inbox-line.ts'

/**
 * The limit of unread bytes after which a subscriber is disconnected. The gate still has the lines that were
 * not delivered.
 */
const maxWaitingBytes = budgets.bytes.inboxUnread

export interface SlotOptions {
  readonly subscribe: (send: (line: InboxLine) => void) => () => void
  readonly pingEveryMs: number
}

export interface SubscriberSlot {
  /** Makes this response the only subscriber, and ends the previous one. */
  open(response: ServerResponse): void
  close(): void
}

/**
 * The stream of inbox lines to the agent. Only one subscriber is allowed, because each of two would miss the
 * lines of the other.
 */
export const createSubscriberSlot = ({ subscribe, pingEveryMs }: SlotOptions): SubscriberSlot => {
  let endCurrent = (): void => undefined

  const open = (response: ServerResponse): void => {
    endCurrent()
    let isOpen = true
    let unsubscribe = (): void => undefined
    const send = (line: InboxLine): void => {
      if (!isOpen) return
      response.write(`${JSON.stringify(line)}\n`)
      if (response.writableLength > maxWaitingBytes) response.destroy()
    }
    const pings = setInterval(() => send({ type: 'ping' }), pingEveryMs)
    const end = (): void => {
      if (!isOpen) return
      isOpen = false
      clearInterval(pings)
      unsubscribe()
      response.end()
    }
    response.on('close', end)
    response.on('error', end)
    endCurrent = end
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    // The first line tells the subscriber that it is connected.
    send({ type: 'ping' })
    unsubscribe = subscribe(send)
    // When a subscriber was disconnected during its first lines, it could not unsubscribe then.
    if (!isOpen) unsubscribe()
  }

  return { open, close: () => endCurrent() }
}
