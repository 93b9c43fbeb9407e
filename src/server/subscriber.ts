import type { ServerResponse } from 'node:http'
import { budgets } from '../model/base/budgets.ts'
import type { InboxLine } from '../model/events/record.ts'

/** A subscriber that does not read is let go once this much waits for it; the gate still has what it did not get. */
const maxWaitingBytes = budgets.bytes.inboxUnread

export interface SlotOptions {
  readonly subscribe: (send: (line: InboxLine) => void) => () => void
  readonly pingEveryMs: number
}

export interface SubscriberSlot {
  /** Makes this response the one subscriber; an older one ends. */
  open(response: ServerResponse): void
  close(): void
}

/** The stream of lines to the agent. One subscriber at a time: two would each miss what the other got. */
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
    // A subscriber that was let go while its first lines were written had nothing to unsubscribe then.
    if (!isOpen) unsubscribe()
  }

  return { open, close: () => endCurrent() }
}
