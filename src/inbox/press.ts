import type { Message } from '../model/chat/channel.ts'
import type { NoticeText } from '../model/chat/notice.ts'
import { fixed } from '../model/chat/prose.ts'
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
        : say(message, fixed(`Your tap had no effect: ${admitted.words}`))
    }
    const done = await press(data, contextOf(message), (need) => admits(message, need))
    if (done.refused !== undefined) refused(message, 'press', done.refused)
    await say(message, done.said)
  }
