import type { Message } from '../model/chat/channel.ts'
import type { NoticeText } from '../model/chat/notice.ts'
import { fixed } from '../model/chat/prose.ts'
import type { Context, Replies, ReplyPorts } from './replies.ts'

export interface PressPorts extends Pick<ReplyPorts, 'admits'> {
  /** Does what a tapped button stands for. `refused`: why it counted for nothing, for the record. */
  press(data: string, context: Context): Promise<{ readonly said: NoticeText; readonly refused?: string }>
}

/** A tap is an owner's own answer or nothing: it is never a command line and never reaches the agent. */
export const createPresses =
  ({ admits, press }: PressPorts, { say, refused, contextOf }: Replies) =>
  async (message: Message, data: string): Promise<void> => {
    const admitted = admits(message, 'privileged')
    if (!admitted.ok) {
      refused(message, 'press', admitted.code)
      return admitted.words === undefined
        ? undefined
        : say(message, fixed(`That tap did not count: ${admitted.words}`))
    }
    const done = await press(data, contextOf(message))
    if (done.refused !== undefined) refused(message, 'press', done.refused)
    await say(message, done.said)
  }
