import type { Message } from '../model/chat/channel.ts'
import { fixed, type Prose } from '../model/chat/prose.ts'
import { inGroupOf } from '../model/chat/speaker.ts'
import type { HeldPrompt } from './prompts/given-prompts.ts'
import type { Replies } from './replies.ts'

export interface AgentTalkPorts {
  /** Gives a person's message to the agent of the chat. */
  prompt(prompt: Omit<HeldPrompt, 'prompt_id' | 'agent_id' | 'state'>): Promise<void>
  now(): number
}

const unreadable = ({ origin }: Message): Prose =>
  origin === 'recalled'
    ? fixed('Deleting a message does not undo a command.\nThe current hooks → /hooks')
    : fixed('I can only read text and files for now.')

/**
 * Passes a message that is not a command to the chat's agent. After `end`, the agent's own prompt stands for
 * the message on disk.
 */
export const createAgentTalk =
  ({ prompt, now }: AgentTalkPorts, { say, refused }: Pick<Replies, 'say' | 'refused'>) =>
  async (message: Message, text: string, isOwner: boolean, end: () => void): Promise<void> => {
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
    const inGroup = inGroupOf(message, isOwner)
    await prompt({
      channel,
      chat_id,
      sender_id,
      sender_name,
      text,
      inGroup,
      message_id,
      atMs: now(),
      ...(files.length === 0 ? {} : { files }),
    })
  }
