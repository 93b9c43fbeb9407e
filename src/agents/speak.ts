import { fromMarkdown } from './messages.ts'
import type { TurnState } from './turn-state.ts'

/** Says what the mind wrote, as it wrote it. Resolves with what the message can be named by, or undefined when it did not go out. */
export const speak = async (
  text: string,
  { mind, reporter, signal }: Pick<TurnState, 'mind' | 'reporter' | 'signal'>,
): Promise<string | undefined> =>
  reporter.tell(mind.isMarkdown ? { type: 'text', ...(await fromMarkdown(text)) } : text, signal)
