import type { Message } from '../model/chat/channel.ts'
import type { NoticeText } from '../model/chat/notice.ts'
import { prose } from '../model/chat/prose.ts'
import type { Need } from '../model/gate/person.ts'
import type { Admitted, Context, Replies, ReplyPorts } from './replies.ts'

export interface PressPorts extends Pick<ReplyPorts, 'admits'> {
  /**
   * Carries out the action of a tapped button, if the sender has the right that it needs. `refused` is the
   * recorded reason why the tap had no effect.
   */
  press(
    data: string,
    context: Context,
    admits: (need: Need) => Admitted,
  ): Promise<{ readonly said: NoticeText; readonly refused?: string }>
}

/**
 * Handles a tap. Only the tap of a person with a role has an effect. A tap is never a command line and never
 * reaches the agent.
 */
export const createPresses =
  ({ admits, press }: PressPorts, { say, refused, contextOf }: Replies) =>
  async (message: Message, data: string): Promise<void> => {
    const admitted = admits(message, 'tap')
    if (!admitted.ok) {
      refused(message, 'press', admitted.code)
      return admitted.words === undefined
        ? undefined
        : say(message, prose`Your tap had no effect: ${admitted.words}`)
    }
    const done = await press(data, contextOf(message), (need) => admits(message, need))
    if (done.refused !== undefined) refused(message, 'press', done.refused)
    await say(message, done.said)
  }

export interface CardReplyPorts extends Pick<ReplyPorts, 'admits'> {
  /**
   * What a person's words mean for the cards of the chat. Undefined: nothing, so they are for the agent.
   * `isAnswer`: they answer a card. `run` resolves with the text for the person, which may be empty.
   */
  cardReply(
    text: string,
    context: Context,
  ): { readonly isAnswer: boolean; run(): Promise<NoticeText> } | undefined
}

/**
 * What is done with words that answer a card. They count in the same form as a typed answer and never reach
 * the agent. Undefined: the words are not about a card.
 */
export const createCardReplies =
  ({ admits, cardReply }: CardReplyPorts, { say, refused, contextOf }: Replies) =>
  (message: Message, text: string): (() => Promise<void>) | undefined => {
    // Cards are shown in private chats only.
    const found = message.isPrivate ? cardReply(text, contextOf(message)) : undefined
    if (found === undefined) return undefined
    return async () => {
      const admitted = found.isAnswer ? admits(message, 'approver') : undefined
      if (admitted?.ok !== false) return say(message, await found.run())
      refused(message, 'reply', admitted.code)
      await say(message, prose`Your reply had no effect: ${admitted.words ?? admitted.code}`)
    }
  }
