import type { Message } from '../model/chat/channel.ts'
import type { NoticeText } from '../model/chat/notice.ts'
import { fixed } from '../model/chat/prose.ts'
import type { Context, Replies, ReplyPorts } from './replies.ts'

export interface CardReplyPorts extends Pick<ReplyPorts, 'admits'> {
  /**
   * What a person's words mean for the cards of the chat. Undefined: nothing, so they are for the agent.
   * `isAnswer`: they answer a card. `run` resolves with the text for the person, if there is one.
   */
  cardReply(
    text: string,
    context: Context,
  ): { readonly isAnswer: boolean; run(): Promise<NoticeText | undefined> } | undefined
}

/**
 * Handles words that answer a card. They count in the same form as a typed answer and never reach the agent.
 * Resolves with false when the words are not about a card.
 */
export const createCardReplies =
  ({ admits, cardReply }: CardReplyPorts, { say, refused, contextOf }: Replies) =>
  async (message: Message, text: string): Promise<boolean> => {
    // Cards are shown in private chats only.
    const found = message.isPrivate ? cardReply(text, contextOf(message)) : undefined
    if (found === undefined) return false
    const admitted = found.isAnswer ? admits(message, 'approver') : undefined
    if (admitted?.ok === false) {
      refused(message, 'reply', admitted.code)
      await say(message, fixed(`Your reply had no effect: ${admitted.words ?? admitted.code}`))
      return true
    }
    const said = await found.run()
    if (said !== undefined) await say(message, said)
    return true
  }
