import { randomUUID } from 'node:crypto'
import type { Delivery } from '../../src/model/channel.ts'
import { FORMS } from '../../src/model/content.ts'
import type { Parcel } from '../../src/model/push.ts'
import { bodyOf, hasStrangeAddress } from './bubble.ts'
import { createHistory } from './history.ts'
import { createKeptFiles, maxKeptBytes, type KeptFiles } from './kept-files.ts'
import { shownPreferences, type Preferences } from './preferences.ts'
import type { ChatMessage, StreamLine } from './stream.ts'

/** The one conversation of the page. */
export const chatId = 'main'
/** What a tab may leave unread before it is cut off; it reconnects and gets the history. */
const maxPendingBytes = 16 * 1024 * 1024
const maxTabs = 16
/** In UTF-16 units: a family of emoji has 11. */
const maxReactionUnits = 32

interface Tab {
  readonly sessionId: string
  readonly controller: ReadableStreamDefaultController<Uint8Array>
}

export interface Chat {
  /** The person's own words, echoed to all of their tabs. Returns the message's id. */
  say(text: string): string
  /** Shows what came through the door, and nothing else. Never rejects. */
  deliver(parcel: Parcel): Promise<Delivery>
  /** A file of a message that is still there. */
  file: KeptFiles['find']
  working(isWorking: boolean): void
  /** Reads the preferences anew and shows them. */
  refresh(): Promise<void>
  /** A stream for one tab, or undefined when too many are open. */
  open(sessionId: string): ReadableStream<Uint8Array> | undefined
  /** Pings every tab, and closes those whose session has ended. */
  sweep(isLive: (sessionId: string) => boolean): void
}

export interface ChatPorts {
  now(): number
  isAdmitted(parcel: Parcel): boolean
  preferences(): Promise<Preferences>
  unreadable(error: unknown): void
  /** A parcel that did not come through the door was to be shown, and was not. */
  strayed(): void
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const isOneCharacter = (text: string): boolean =>
  text.length <= maxReactionUnits && [...segmenter.segment(text)].length === 1
const failed = (why: string): Delivery => ({ kind: 'failed', why })
const isGone = failed('The message that it is about is no longer on the page.')

/** The agent's message with the text of an edit. */
const edited = (old: ChatMessage | undefined, parcel: Parcel): ChatMessage | Delivery => {
  if (old === undefined) return isGone
  if (old.from !== 'agent' || old.form === undefined)
    return failed('Expected a message of the agent to edit, got another’s.')
  if (FORMS[old.form].text === 'none')
    return failed(`Expected a message with a text to edit, got a ${old.form}.`)
  const { text, code, marks, links } = bodyOf(parcel, [])
  return {
    ...old,
    text,
    code,
    ...(marks === undefined ? {} : { marks }),
    ...(links === undefined ? {} : { links }),
    isEdited: true,
  }
}

/** The message with a reaction under it. Nothing of an agent's stands in a notice. */
const reacted = (old: ChatMessage | undefined, { text }: Parcel): ChatMessage | Delivery => {
  if (old === undefined) return isGone
  if (old.from === 'hookgate')
    return failed('Expected a message of a person or of the agent, got a notice of hookgate.')
  if (!isOneCharacter(text))
    return failed(`Expected one emoji, got ${text.length} characters. Send it as a message.`)
  return { ...old, reaction: text }
}

/** A reaction is no message of its own. */
const withoutId = (delivery: Delivery): Delivery =>
  delivery.kind === 'delivered' ? { kind: 'delivered' } : delivery

/** The history of the page and the tabs that show it. Whatever reaches a tab passes through `write` here. */
export const createChat = (ports: ChatPorts): Chat => {
  const tabs = new Set<Tab>()
  const encoder = new TextEncoder()
  const files = createKeptFiles()
  const history = createHistory((message) => files.drop(message.files ?? []))
  let isWorking = false

  const drop = (tab: Tab): void => {
    if (tabs.delete(tab)) tab.controller.close()
  }

  /** The only place that writes to a tab. It is handed to nobody: what can be shown are the functions below. */
  const write = (to: Iterable<Tab>, line: StreamLine): void => {
    const bytes = encoder.encode(`${JSON.stringify(line)}\n`)
    for (const tab of to) {
      tab.controller.enqueue(bytes)
      if ((tab.controller.desiredSize ?? 0) <= 0) drop(tab)
    }
  }

  const put = (message: ChatMessage): Delivery => {
    history.put(Object.freeze(message))
    write(tabs, { type: 'message', message })
    return { kind: 'delivered', message_id: message.id }
  }

  const deliverNotice = ({ text, code, buttons, replaces = '' }: Parcel): Delivery => {
    // Only a notice of ours can be replaced, and only by one: whatever an agent's parcel names stays as it is.
    const old = history.find(replaces)
    return put({
      id: old?.from === 'hookgate' ? old.id : randomUUID(),
      from: 'hookgate',
      text,
      code,
      atMs: ports.now(),
      ...(buttons === undefined ? {} : { buttons }),
    })
  }

  const change = (changed: ChatMessage | Delivery): Delivery => ('kind' in changed ? changed : put(changed))

  const deliverPush = async (parcel: Parcel): Promise<Delivery> => {
    if (hasStrangeAddress(parcel))
      return failed('Expected addresses that begin with https:// or http://, got another.')
    switch (parcel.type) {
      case 'edit':
        return change(edited(history.find(parcel.target ?? ''), parcel))
      case 'reaction':
        return withoutId(change(reacted(history.find(parcel.target ?? ''), parcel)))
      case 'notice':
      case 'topic':
      case 'draft':
        return failed(`Expected a form that the page has, got ${parcel.type}. Send it as text.`)
      case 'text':
      case 'error':
      case 'photo':
      case 'document':
      case 'voice':
      case 'album':
      case 'poll':
      case 'location':
      case 'contact': {
        const kept = await files.keep(parcel.files)
        if (kept === undefined)
          return failed(
            `Expected files of at most ${maxKeptBytes / 1e6} MB in one message, got more. Send them one by one.`,
          )
        return put({ id: randomUUID(), from: 'agent', atMs: ports.now(), ...bodyOf(parcel, kept) })
      }
    }
  }

  return {
    say: (text) => {
      const id = randomUUID()
      put({ id, from: 'you', text, code: [], atMs: ports.now() })
      return id
    },
    deliver: async (parcel) => {
      if (!ports.isAdmitted(parcel)) {
        ports.strayed()
        return failed('This did not come through the door.')
      }
      if (parcel.channel !== 'web' || parcel.chat_id !== chatId)
        return failed(`Expected the chat web:${chatId}, got another.`)
      return parcel.kind === 'notice' ? deliverNotice(parcel) : deliverPush(parcel)
    },
    file: (id) => files.find(id),
    working: (is: unknown) => {
      // Nothing but yes or no gets out, whatever it is called with.
      isWorking = is === true
      write(tabs, { type: 'working', isWorking })
    },
    refresh: async () => {
      try {
        write(tabs, { type: 'preferences', preferences: shownPreferences(await ports.preferences()) })
      } catch (error) {
        ports.unreadable(error)
        write(tabs, { type: 'preferences_unreadable' })
      }
    },
    open: (sessionId) => {
      if (tabs.size >= maxTabs) return undefined
      let opened: Tab | undefined
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            opened = { sessionId, controller }
            tabs.add(opened)
            write([opened], { type: 'history', messages: history.all() })
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
