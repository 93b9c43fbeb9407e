import type { HeldPrompt } from '../model/events/record.ts'
import type { Message } from '../model/chat/channel.ts'
import { fixed, prose, type Prose } from '../model/chat/prose.ts'
import { inGroupOf } from '../model/chat/speaker.ts'
import { messageOf, ProblemError } from '../model/gate/problem.ts'
import { createLines, type CommandLine, type LinePorts } from './lines.ts'
import { createCardReplies, createPresses, type CardReplyPorts, type PressPorts } from './press.ts'
import { createReplies, type ReplyPorts } from './replies.ts'

/** Larger messages are refused, in UTF-16 units. No supported messenger sends one. */
export const maxMessageUnits = 1_000_000

export interface InboxPorts<Line extends CommandLine>
  extends ReplyPorts, LinePorts<Line>, PressPorts, CardReplyPorts {
  parse(
    text: string,
  ):
    | { readonly kind: 'prose'; readonly text: string }
    | { readonly kind: 'commands'; readonly lines: readonly Line[] }
  firstSeen(message: Message): Promise<boolean>
  /** The message is done with, and its consent counts no longer. */
  ended(message: Message): void
  /** Gives a person's message to the agent of the chat. */
  prompt(prompt: Omit<HeldPrompt, 'prompt_id' | 'agent_id' | 'state'>): Promise<void>
  /** Somebody wrote in a chat. `isKnown`: a person of the gate, or one whom an agent serves. */
  heard(message: Message, isKnown: boolean): void
  /**
   * Marks a message as being handled. `kept` resolves when the mark is on disk and never rejects. A crash
   * before `end` is reported.
   */
  begin(message: Message): { readonly kept: Promise<void>; end(): void }
}

const tooLarge = (units: number): Prose =>
  prose`Your message has ${units} characters, and at most ${maxMessageUnits} can be read. Send a shorter one.`

const unreadable = ({ origin }: Message): Prose =>
  origin === 'recalled'
    ? fixed('Deleting a message does not undo a command.\nThe current hooks → /hooks')
    : fixed('I can only read text and files for now.')

/**
 * Handles inbound messages one by one. Commands are recognized before an agent sees anything. Never throws
 * and never waits.
 */
export const createInbox = <Line extends CommandLine>(ports: InboxPorts<Line>) => {
  const replies = createReplies(ports)
  const { say, refused } = replies
  const takePress = createPresses(ports, replies)
  const answersCard = createCardReplies(ports, replies)
  const runLines = createLines(ports, replies)

  /** After `end`, the agent's own prompt stands for the message on disk. */
  const tellAgent = async (message: Message, text: string, isOwner: boolean, end: () => void) => {
    const { channel, chat_id, sender_id, sender_name, message_id, origin, files = [] } = message
    // Two bots that answer each other would never stop.
    if (origin === 'edited' || origin === 'from_bot') return refused(message, 'message', origin)
    if (text.trim() === '' && files.length === 0) {
      if (origin === 'plain') return undefined
      refused(message, 'message', origin)
      return isOwner ? say(message, unreadable(message)) : undefined
    }
    // Both writes happen in one turn of the event loop. So after a crash the message is either with the agent
    // or reported as interrupted, and never both.
    end()
    return ports.prompt({
      channel,
      chat_id,
      sender_id,
      sender_name,
      text,
      inGroup: inGroupOf(message, isOwner),
      message_id,
      atMs: ports.now(),
      files: files.length === 0 ? undefined : files,
    })
  }

  const take = async (message: Message, end: () => void): Promise<void> => {
    // The message comes from the bot's own account. It is an echo of what the agent sent, or somebody else
    // uses that account.
    if (message.origin === 'self')
      return message.text.length <= maxMessageUnits && ports.parse(message.text).kind === 'commands'
        ? refused(message, 'command', 'self')
        : undefined
    if (message.press !== undefined) return takePress(message, message.press.data)
    const heard = ports.admits(message, 'message')
    if (message.text.length > maxMessageUnits) {
      refused(message, 'message', 'too_large')
      return heard.ok ? say(message, tooLarge(message.text.length)) : undefined
    }
    const parsed = ports.parse(message.text)
    const person = ports.admits(message, 'person')
    if (parsed.kind === 'commands') return runLines(message, parsed.lines, person)
    // Cards are shown in private chats only. A group's messages reach the agent in their order, without a
    // wait.
    if (person.ok && message.isPrivate && (await answersCard(message, parsed.text))) return undefined
    if (heard.ok || ports.serves(message)) return tellAgent(message, parsed.text, heard.ok, end)
    return replies.refuseOutsider(message, 'message', heard, 'stranger')
  }

  const isFirst = (message: Message): Promise<boolean | 'left'> => {
    // An edited message has the id of the original. Without an id of its own it would count as a repetition.
    const identified =
      message.origin === 'edited' ? { ...message, message_id: `${message.message_id} edited` } : message
    return ports.firstSeen(identified).catch((error: unknown) => {
      if (error instanceof ProblemError && error.problem.code === 'store.lease') return 'left'
      // The store cannot be reached. An owner's command must still work, so the message is treated as new.
      ports.log('error', 'the check for a repeated message failed', { error: messageOf(error) })
      return true
    })
  }

  const guarded = async (
    message: Message,
    isNew: ReturnType<typeof isFirst>,
    end: () => void,
  ): Promise<void> => {
    try {
      const first = await isNew
      if (first === true) await take(message, end)
      else if (first !== 'left') refused(message, 'message', 'repeated')
    } catch (error) {
      await replies.broke(message, error)
    } finally {
      end()
      ports.ended(message)
    }
  }

  return {
    /**
     * Resolves when the message is on disk, and never rejects. The handling continues after that. `left`:
     * another gate has taken over and has to get the message. Nothing was done with it here.
     */
    receive: async (message: Message): Promise<'left' | undefined> => {
      const isHeard = replies.isHeard(message)
      ports.heard(message, isHeard)
      const { kept, end } = isHeard ? ports.begin(message) : { kept: undefined, end: () => undefined }
      const isNew = isFirst(message)
      void guarded(message, isNew, end)
      const [first] = await Promise.all([isNew, kept])
      return first === 'left' ? first : undefined
    },
  }
}
