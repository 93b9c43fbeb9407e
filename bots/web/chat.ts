import { randomUUID } from 'node:crypto'
import type { Delivery } from '../../src/core/model/chat/channel.ts'
import { FORMS } from '../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { bodyOf, hasStrangeAddress } from './bubble.ts'
import { shownButtons, withoutAnswered } from './card-buttons.ts'
import { createHistory } from './history.ts'
import { createFileStore, maxStoredBytes, type FileStore } from './file-store.ts'
import { shownPreferences, type CardFacts, type Preferences } from './preferences.ts'
import type { ChatMessage, StreamLine } from './stream.ts'

/** The id of the page's only conversation. */
export const chatId = 'main'
/**
 * How many unread bytes a tab may have before its stream is closed. The tab then reconnects and gets the
 * history.
 */
const maxPendingBytes = 16 * 1024 * 1024
const maxTabs = 16
/** The longest reaction, in UTF-16 units. A family emoji has 11. */
const maxReactionUnits = 32

interface Tab {
  readonly sessionId: string
  readonly controller: ReadableStreamDefaultController<Uint8Array>
}

export interface Chat {
  /** Shows a message of the person in all tabs. Returns the message's id. */
  say(text: string): string
  /** Shows in all tabs that the gate could not keep a message of the person. */
  unkept(id: string): void
  /** Shows a message in all tabs. It refuses a message that the dispatcher did not admit. Never rejects. */
  deliver(outgoing: OutgoingMessage): Promise<Delivery>
  /** Finds a file of a message that is still in the history. */
  file: FileStore['find']
  working(isWorking: boolean): void
  /** Reads the preferences again and shows them in all tabs. */
  refresh(): Promise<void>
  /** Opens a stream for one tab. Undefined when too many tabs are open. */
  open(sessionId: string): ReadableStream<Uint8Array> | undefined
  /** Sends a ping to every tab, and closes the tabs whose session has ended. */
  sweep(isLive: (sessionId: string) => boolean): void
}

export interface ChatPorts {
  now(): number
  isAdmitted(outgoing: OutgoingMessage): boolean
  /** False when the person of the page is no owner. Then no tab gets what owners see. */
  isOwner(): boolean
  /** The facts of a button under a card. Undefined when a tap on it would not count. */
  cardOf(press: string): CardFacts | undefined
  preferences(): Promise<Preferences>
  unreadable(error: unknown): void
  /** Reports that a message was refused because the dispatcher did not admit it. */
  refusedMessage(): void
}

const isOneCharacter = (text: string): boolean =>
  text.length <= maxReactionUnits &&
  [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].length === 1
const failed = (why: string): Delivery => ({ kind: 'failed', why })
const tooLargeFiles = failed(
  `Expected files of at most ${maxStoredBytes / 1e6} MB in one message, got more. Send them one by one.`,
)
const targetIsGone = failed('The message that this refers to is no longer on the page.')

/** The agent's message with the text of an edit. */
const edited = (old: ChatMessage | undefined, outgoing: OutgoingMessage): ChatMessage | Delivery => {
  if (old === undefined) return targetIsGone
  if (old.from !== 'agent' || old.form === undefined)
    return failed('Expected a message of the agent to edit, got a message of someone else.')
  if (FORMS[old.form].text === 'none')
    return failed(`Expected a message with a text to edit, got a ${old.form}.`)
  const { text, code, marks, links } = bodyOf(outgoing, [])
  return {
    ...old,
    text,
    code,
    marks,
    links,
    isEdited: true,
  }
}

/**
 * The message with a reaction. A notice gets no reaction, because nothing that an agent wrote may appear in a
 * notice.
 */
const reacted = (old: ChatMessage | undefined, { text }: OutgoingMessage): ChatMessage | Delivery => {
  if (old === undefined) return targetIsGone
  if (old.from === 'hookgate')
    return failed('Expected a message of a person or of the agent, got a notice of hookgate.')
  if (!isOneCharacter(text))
    return failed(`Expected one emoji, got ${text.length} characters. Send it as a message.`)
  return { ...old, reaction: text }
}

/** What a notice expects of the person. */
const expectedOf = ({
  isPinned,
  asksReply,
}: OutgoingMessage): Pick<ChatMessage, 'isPinned' | 'asksReply'> => ({
  ...(isPinned === true ? { isPinned } : {}),
  asksReply,
})

/** A reaction is not a separate message, so its delivery has no id. */
const withoutId = (delivery: Delivery): Delivery =>
  delivery.kind === 'delivered' ? { kind: 'delivered' } : delivery

/** The lines that a tab may get whose person is no owner: what they said, and what hookgate answers. */
const isForOutsiders = (line: StreamLine): boolean =>
  line.type === 'ping' ||
  line.type === 'outsider' ||
  (line.type === 'message' && line.message.from !== 'agent' && line.message.hook === undefined)

/** Holds the history of the page and its open tabs. Every line that reaches a tab passes through `write`. */
export const createChat = (ports: ChatPorts): Chat => {
  const tabs = new Set<Tab>()
  const encoder = new TextEncoder()
  const files = createFileStore()
  const history = createHistory((message) => files.drop(message.files ?? []))
  let isWorking = false
  let wasOwner = true

  const drop = (tab: Tab): void => {
    if (tabs.delete(tab)) tab.controller.close()
  }

  /**
   * Only this function writes to a tab. It is not exported, so the functions below decide what a tab shows.
   */
  const write = (to: Iterable<Tab>, line: StreamLine): void => {
    if (!ports.isOwner() && !isForOutsiders(line)) return
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

  const deliverNotice = async (outgoing: OutgoingMessage): Promise<Delivery> => {
    const { text, code, buttons, replaces = '' } = outgoing
    const storedFiles = await files.store(outgoing.files)
    if (storedFiles === undefined) return tooLargeFiles
    // Only a notice can replace a notice. A message of an agent or of the person is never replaced.
    const old = history.find(replaces)
    return put({
      id: old?.from === 'hookgate' ? old.id : randomUUID(),
      from: 'hookgate',
      text,
      code,
      atMs: ports.now(),
      ...(buttons === undefined ? {} : shownButtons(buttons, ports.cardOf)),
      ...expectedOf(outgoing),
      ...(storedFiles.length === 0 ? {} : { form: 'document', files: storedFiles }),
    })
  }

  /** What a tab gets when it opens, and again when its person became an owner. */
  const begin = (to: Iterable<Tab>): void => {
    if (!ports.isOwner()) return write(to, { type: 'outsider' })
    write(to, { type: 'history', messages: history.all() })
    write(to, { type: 'working', isWorking })
  }

  const change = (changed: ChatMessage | Delivery): Delivery => ('kind' in changed ? changed : put(changed))

  const deliverPush = async (outgoing: OutgoingMessage): Promise<Delivery> => {
    if (hasStrangeAddress(outgoing))
      return failed('Expected addresses that begin with https:// or http://, got another address.')
    switch (outgoing.type) {
      case 'edit':
        return change(edited(history.find(outgoing.target ?? ''), outgoing))
      case 'reaction':
        return withoutId(change(reacted(history.find(outgoing.target ?? ''), outgoing)))
      case 'notice':
      case 'topic':
      case 'draft':
        return failed(`Expected a form that the page can show, got ${outgoing.type}. Send it as text.`)
      case 'text':
      case 'error':
      case 'photo':
      case 'document':
      case 'voice':
      case 'album':
      case 'poll':
      case 'location':
      case 'contact': {
        const storedFiles = await files.store(outgoing.files)
        if (storedFiles === undefined) return tooLargeFiles
        return put({ id: randomUUID(), from: 'agent', atMs: ports.now(), ...bodyOf(outgoing, storedFiles) })
      }
    }
  }

  return {
    say: (text) => {
      const id = randomUUID()
      put({ id, from: 'you', text, code: [], atMs: ports.now() })
      return id
    },
    unkept: (id) => {
      const message = history.find(id)
      if (message !== undefined) put({ ...message, isUnkept: true })
    },
    deliver: async (outgoing) => {
      if (!ports.isAdmitted(outgoing)) {
        ports.refusedMessage()
        return failed('The message did not come through the dispatcher, so it was refused.')
      }
      if (outgoing.channel !== 'web' || outgoing.chat_id !== chatId)
        return failed(`Expected the chat web:${chatId}, got another chat.`)
      return outgoing.kind === 'notice' ? deliverNotice(outgoing) : deliverPush(outgoing)
    },
    file: (id) => (ports.isOwner() ? files.find(id) : undefined),
    working: (is: unknown) => {
      // Only true or false is sent, whatever value the caller gives.
      isWorking = is === true
      write(tabs, { type: 'working', isWorking })
    },
    refresh: async () => {
      const isOwner = ports.isOwner()
      if (isOwner !== wasOwner) begin(tabs)
      wasOwner = isOwner
      if (!isOwner) return
      for (const message of history.all()) {
        const left = withoutAnswered(message, ports.cardOf)
        if (left !== undefined) put(left)
      }
      if (tabs.size === 0) return
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
            begin([opened])
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
