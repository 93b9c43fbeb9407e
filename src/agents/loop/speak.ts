import { fromMarkdown } from '../tools/messages.ts'
import type { TurnState } from './turn-state.ts'

/**
 * Sends the decider's text, as Markdown or plain. Resolves with the id of the message, or with undefined when
 * it was not sent.
 */
export const speak = async (
  text: string,
  { decider, reporter, signal }: Pick<TurnState, 'decider' | 'reporter' | 'signal'>,
): Promise<string | undefined> =>
  reporter.tell(decider.isMarkdown ? { type: 'text', ...(await fromMarkdown(text)) } : text, signal)
