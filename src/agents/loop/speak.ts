import { fromMarkdown } from '../tools/messages.ts'
import type { TurnState } from './turn-state.ts'

/** Says what the decider wrote, as it wrote it. Resolves with what the message can be named by, or undefined when it did not go out. */
export const speak = async (
  text: string,
  { decider, reporter, signal }: Pick<TurnState, 'decider' | 'reporter' | 'signal'>,
): Promise<string | undefined> =>
  reporter.tell(decider.isMarkdown ? { type: 'text', ...(await fromMarkdown(text)) } : text, signal)
