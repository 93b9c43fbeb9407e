import type { ServerResponse } from 'node:http'
import { budgets } from '../shared/base/budgets.ts'
import type { InboxLine } from '../shared/events/inbox-line.ts'

/**
 * The limit of unread bytes after which a subscriber is disconnected. The gate still has the lines that were
 * not delivered.
 */
const maxWaitingBytes = budgets.bytes.inboxUnread

/** An agent takes a stream that says nothing for three times as long for dead. */
export const pingEveryMs = 15_000

export interface SlotOptions {
  readonly subscribe: (send: (line: InboxLine) => void) => () => void
  readonly pingEveryMs: number
}

/** Takes the lines of an agent until it is ended. */
export interface Subscriber {
  send(line: InboxLine): void
  /** Called once, when another one has taken its place, or it has ended itself. */
  ended(): void
}

export interface SubscriberSlot {
  /** Makes this response the only subscriber, and ends the previous one. */
  open(response: ServerResponse): void
  /** Makes this one the only subscriber, and ends the previous one. Returns its end. */
  follow(subscriber: Subscriber): () => void
  close(): void
}

/**
 * The stream of inbox lines to the agent. Only one subscriber is allowed, because each of two would miss the
 * lines of the other.
 */
export const createSubscriberSlot = ({ subscribe, pingEveryMs: everyMs }: SlotOptions): SubscriberSlot => {
  let endCurrent = (): void => undefined

  const follow = ({ send, ended }: Subscriber): (() => void) => {
    endCurrent()
    let isOpen = true
    let unsubscribe = (): void => undefined
    const end = (): void => {
      if (!isOpen) return
      isOpen = false
      unsubscribe()
      ended()
    }
    endCurrent = end
    unsubscribe = subscribe((line) => {
      if (isOpen) send(line)
    })
    // When a subscriber was disconnected during its first lines, it could not unsubscribe then.
    if (!isOpen) unsubscribe()
    return end
  }

  const open = (response: ServerResponse): void => {
    const send = (line: InboxLine): void => {
      response.write(`${JSON.stringify(line)}\n`)
      if (response.writableLength > maxWaitingBytes) response.destroy()
    }
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    // The first line tells the subscriber that it is connected.
    send({ type: 'ping' })
    const pings = setInterval(() => send({ type: 'ping' }), everyMs)
    const ended = (): void => {
      clearInterval(pings)
      response.end()
    }
    const end = follow({ send, ended })
    response.on('close', end)
    response.on('error', end)
  }

  return { open, follow, close: () => endCurrent() }
}
