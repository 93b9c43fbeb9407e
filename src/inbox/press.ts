import type { Message } from '../model/chat/channel.ts'
import type { NoticeText } from '../model/chat/notice.ts'
import { prose } from '../model/chat/prose.ts'
import type { Context, Replies, ReplyPorts } from './replies.ts'

export interface PressPorts extends Pick<ReplyPorts, 'admits'> {
  /**
   * Carries out the action of a tapped button. `refused` is the recorded reason why the tap had no effect.
   */
  press(data: string, context: Context): Promise<{ readonly said: NoticeText; readonly refused?: string }>
}

/**
 * Handles a tap. Only an owner's tap has an effect. A tap is never a command line and never reaches the
 * agent.
 */
export const createPresses =
  ({ admits, press }: PressPorts, { say, refused, contextOf }: Replies) =>
  async (message: Message, data: string): Promise<void> => {
    const admitted = admits(message, 'privileged')
    if (!admitted.ok) {
      refused(message, 'press', admitted.code)
      return admitted.words === undefined
        ? undefined
        : say(message, prose`Your tap had no effect: ${admitted.words}`)
    }
    const done = await press(data, contextOf(message))
    if (done.refused !== undefined) refused(message, 'press', done.refused)
    await say(message, done.said)
  }
