import type { HeldPrompt } from '../model/events/record.ts'
import { createBoundedMap } from '../model/base/bounded-map.ts'
import type { Message, Unkept } from '../model/chat/channel.ts'
import { fixed, prose, type Prose } from '../model/chat/prose.ts'
import { inGroupOf } from '../model/chat/speaker.ts'
import { messageOf, ProblemError } from '../model/gate/problem.ts'
import { createLines, type CommandLine, type LinePorts } from './lines.ts'
import { createCardReplies, createPresses, type CardReplyPorts, type PressPorts } from './press.ts'
import { createReplies, type ReplyPorts } from './replies.ts'

/** Larger messages are refused, in UTF-16 units. No supported messenger sends one. */
export const maxMessageUnits = 1_000_000
/** At most so many messages are remembered that came while the store was away. */
const maxRemembered = 10_000

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
  /** Gives a person's message to the agent of the chat. Rejects when it could not be kept. */
  prompt(prompt: Omit<HeldPrompt, 'prompt_id' | 'agent_id' | 'state'>): Promise<void>
  /** Somebody wrote in a chat. `isKnown`: a person of the gate, or one whom an agent serves. */
  heard(message: Message, isKnown: boolean): void
  /**
   * Marks a message as being handled. `kept` resolves when the mark is on disk and never rejects. A crash
   * before `end` is reported.
   */
  begin(message: Message): { readonly kept: Promise<void>; end(): void }
}

/** A message for the agent, or what is done with any other message. */
type MessagePlan = Parameters<InboxPorts<CommandLine>['prompt']>[0] | (() => unknown)

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
  const answerOf = createCardReplies(ports, replies)
  const runLines = createLines(ports, replies)
  /** What became of messages that came while the store was away, by chat and id. */
  const remembered = createBoundedMap<string, 'done' | 'unkept'>(maxRemembered)

  const planForAgent = (message: Message, text: string, isOwner: boolean): MessagePlan => {
    const { channel, chat_id, sender_id, sender_name, message_id, origin, files = [] } = message
    // Two bots that answer each other would never stop.
    if (origin === 'edited' || origin === 'from_bot') return () => refused(message, 'message', origin)
    if (text.trim() === '' && files.length === 0)
      return () => {
        if (origin === 'plain') return undefined
        refused(message, 'message', origin)
        return isOwner ? say(message, unreadable(message)) : undefined
      }
    return {
      channel,
      chat_id,
      sender_id,
      sender_name,
      text,
      inGroup: inGroupOf(message, isOwner),
      message_id,
      atMs: ports.now(),
      files: files.length === 0 ? undefined : files,
    }
  }

  const planOf = (message: Message): MessagePlan => {
    const { origin, press, text } = message
    // The message comes from the bot's own account. It is an echo of what the agent sent, or somebody else
    // uses that account.
    if (origin === 'self')
      return () =>
        text.length <= maxMessageUnits && ports.parse(text).kind === 'commands'
          ? refused(message, 'command', 'self')
          : undefined
    if (press !== undefined) return () => takePress(message, press.data)
    const heard = ports.admits(message, 'message')
    if (text.length > maxMessageUnits)
      return () => {
        refused(message, 'message', 'too_large')
        return heard.ok ? say(message, tooLarge(text.length)) : undefined
      }
    const parsed = ports.parse(text)
    const person = ports.admits(message, 'person')
    if (parsed.kind === 'commands') return () => runLines(message, parsed.lines, person)
    const answer = person.ok ? answerOf(message, parsed.text) : undefined
    if (answer !== undefined) return answer
    if (heard.ok || ports.serves(message)) return planForAgent(message, parsed.text, heard.ok)
    return () => replies.refuseOutsider(message, 'message', heard, 'stranger')
  }

  /** `settle` says whether the messenger may forget the message. Its first call counts. */
  const guarded = async (message: Message, end: () => void, settle: (why?: Unkept) => void) => {
    // An edited message has the id of the original. Without an id of its own it would count as a repetition.
    const message_id = message.origin === 'edited' ? `${message.message_id} edited` : message.message_id
    const key = JSON.stringify([message.channel, message.chat_id, message_id])
    try {
      const isNew = await ports.firstSeen({ ...message, message_id }).catch((error: unknown) => ({ error }))
      const isAway = typeof isNew === 'object'
      const before = remembered.get(key)
      if (before === 'done' || (isNew === false && before === undefined))
        return refused(message, 'message', 'repeated')
      if (isAway && isNew.error instanceof ProblemError && isNew.error.problem.code === 'store.lease')
        return settle('left')
      const plan = planOf(message)
      if (isNew !== true || before !== undefined) remembered.set(key, 'done')
      if (typeof plan === 'function') {
        // Without the store nobody can tell whether it is new. An owner's command must still work.
        settle()
        return void (await plan())
      }
      const leave = (error: unknown): void => {
        if (before === undefined)
          ports.log('error', 'a message was not kept and has to come again', { error: messageOf(error) })
        remembered.set(key, 'unkept')
        settle('unkept')
      }
      if (isAway) return leave(isNew.error)
      // Both writes happen in one turn of the event loop. So after a crash the message is either with the
      // agent or reported as interrupted, and never both.
      end()
      await ports.prompt(plan).catch((error: unknown) => {
        ports.begin(message)
        leave(error)
      })
    } catch (error) {
      await replies.broke(message, error)
    } finally {
      settle()
      // The store may have noted the message. Its mark stays, so that a crash before it comes again is told.
      if (remembered.get(key) !== 'unkept') end()
      ports.ended(message)
    }
  }

  return {
    /**
     * Resolves when the message is on disk or done with, and never rejects. The handling continues after
     * that. Otherwise it resolves with why the messenger has to keep the message, and nothing was done with
     * it here.
     */
    receive: async (message: Message): Promise<Unkept | undefined> => {
      const isHeard = replies.isHeard(message)
      ports.heard(message, isHeard)
      const { kept, end } = isHeard ? ports.begin(message) : { kept: undefined, end: () => undefined }
      const { promise, resolve } = Promise.withResolvers<Unkept | undefined>()
      void guarded(message, end, resolve)
      const [why] = await Promise.all([promise, kept])
      return why
    },
  }
}
