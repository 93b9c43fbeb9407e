import type { Message } from '../model/chat/channel.ts'
import { prose, type Prose } from '../model/chat/prose.ts'
import { messageOf, ProblemError } from '../model/gate/problem.ts'
import { createAgentTalk, type AgentTalkPorts } from './agent-talk.ts'
import { createLines, type CommandLine, type LinePorts } from './lines.ts'
import { createCardReplies, createPresses, type CardReplyPorts, type PressPorts } from './press.ts'
import { createReplies, type ReplyPorts } from './replies.ts'

/** Larger messages are refused, in UTF-16 units. No supported messenger sends one. */
export const maxMessageUnits = 1_000_000

export interface InboxPorts<Line extends CommandLine>
  extends ReplyPorts, LinePorts<Line>, PressPorts, CardReplyPorts, AgentTalkPorts {
  parse(
    text: string,
  ):
    | { readonly kind: 'prose'; readonly text: string }
    | { readonly kind: 'commands'; readonly lines: readonly Line[] }
  firstSeen(message: Message): Promise<boolean>
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
  const tellAgent = createAgentTalk(ports, replies)

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
