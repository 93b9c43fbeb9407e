import type { PushFields } from '../client.ts'
import type { Offered } from '../reporter.ts'
import { fromMarkdown } from '../tools/messages.ts'
import type { TurnState } from './turn-state.ts'

type Speaker = Pick<TurnState, 'decider' | 'reporter' | 'signal'>

const formed = async (text: string, { decider }: Speaker): Promise<string | PushFields> =>
  decider.isMarkdown ? { type: 'text', ...(await fromMarkdown(text)) } : text

/**
 * Sends the decider's text, as Markdown or plain. Resolves with the id of the message, or with undefined when
 * it was not sent.
 */
export const speak = async (text: string, speaker: Speaker): Promise<string | undefined> =>
  speaker.reporter.tell(await formed(text, speaker), speaker.signal)

/** The same for an answer that the agent can write again when a hook withholds it. */
export const offer = async (text: string, speaker: Speaker): Promise<Offered> =>
  speaker.reporter.offer(await formed(text, speaker), speaker.signal)
