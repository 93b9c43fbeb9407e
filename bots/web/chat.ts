import { randomUUID } from 'node:crypto'
import type { Parcel } from '../../src/model/push.ts'
import type { ChatMessage, OwnerLine, StreamLine } from './stream.ts'

const maxHistory = 200
/** In UTF-16 units, over the whole history. */
const maxHistoryUnits = 2_000_000
/** What a tab may leave unread before it is cut off; it reconnects and gets the history. */
const maxPendingBytes = 16 * 1024 * 1024
const maxTabs = 16

interface Tab {
  readonly sessionId: string
  readonly controller: ReadableStreamDefaultController<Uint8Array>
}

export interface Chat {
  /** The person's own words, echoed to all of their tabs. Returns the message's id. */
  say(text: string): string
  deliver(parcel: Parcel): void
  show(line: OwnerLine): void
  /** A stream for one tab, or undefined when too many are open. */
  open(sessionId: string): ReadableStream<Uint8Array> | undefined
  /** Pings every tab, and closes those whose session has ended. */
  sweep(isLive: (sessionId: string) => boolean): void
}

export interface ChatPorts {
  now(): number
  /** A message that neither `say` nor `deliver` made was about to be written, and was not. */
  strayed(): void
}

/** The one conversation of the page: its history and the tabs that show it. */
export const createChat = (ports: ChatPorts): Chat => {
  const tabs = new Set<Tab>()
  const entitled = new WeakSet<ChatMessage>()
  const encoder = new TextEncoder()
  let history: readonly ChatMessage[] = []
  let isWorking = false

  const drop = (tab: Tab): void => {
    if (tabs.delete(tab)) tab.controller.close()
  }

  /** The only place that writes to a tab. A message goes out only if `say` or `deliver` made it. */
  const write = (to: Iterable<Tab>, line: StreamLine): void => {
    const messages = line.type === 'message' ? [line.message] : line.type === 'history' ? line.messages : []
    if (!messages.every((message) => entitled.has(message))) {
      ports.strayed()
      return
    }
    const bytes = encoder.encode(`${JSON.stringify(line)}\n`)
    for (const tab of to) {
      tab.controller.enqueue(bytes)
      if ((tab.controller.desiredSize ?? 0) <= 0) drop(tab)
    }
  }

  const append = (message: ChatMessage): void => {
    entitled.add(message)
    const at = history.findIndex(({ id }) => id === message.id)
    history = at < 0 ? [...history, message].slice(-maxHistory) : history.with(at, message)
    let units = history.reduce((sum, kept) => sum + kept.text.length, 0)
    while (units > maxHistoryUnits && history.length > 1) {
      units -= history[0]?.text.length ?? 0
      history = history.slice(1)
    }
    write(tabs, { type: 'message', message })
  }

  return {
    say: (text) => {
      const id = randomUUID()
      append(Object.freeze({ id, from: 'you', text, code: [], atMs: ports.now() }))
      return id
    },
    deliver: (parcel) => {
      const from = parcel.kind === 'notice' ? 'hookgate' : 'agent'
      // Only a notice of ours can be replaced, and only by one: whatever an agent's parcel names stays as it is.
      const replaced = parcel.kind === 'notice' ? history.find((kept) => kept.id === parcel.replaces && kept.from === 'hookgate') : undefined
      const buttons = parcel.kind === 'notice' ? parcel.buttons : undefined
      append(Object.freeze({ id: replaced?.id ?? randomUUID(), from, text: parcel.text, code: parcel.code, atMs: ports.now(), ...(buttons === undefined ? {} : { buttons }) }))
    },
    show: (line) => {
      if (line.type === 'working') isWorking = line.isWorking
      write(tabs, line)
    },
    open: (sessionId) => {
      if (tabs.size >= maxTabs) return undefined
      let opened: Tab | undefined
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            opened = { sessionId, controller }
            tabs.add(opened)
            write([opened], { type: 'history', messages: history })
            write([opened], { type: 'working', isWorking })
          },
          cancel: () => {
            if (opened !== undefined) tabs.delete(opened)
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: maxPendingBytes }),
      )
    },
    sweep: (isLive) => {
      for (const tab of tabs) if (!isLive(tab.sessionId)) drop(tab)
      write(tabs, { type: 'ping' })
    },
  }
}
