import type { Address } from '../../core/model/chat/push.ts'
import { compact } from './compact.ts'
import { createReporter, endFailed } from '../reporter.ts'
import type { AgentParts, Chat } from '../loop/turn.ts'

/** Compacts the conversation between two messages, because the person asked for it. Never rejects. */
export const compactNow = async (
  chat: Chat,
  address: Address,
  { decider, client, workspace, sessions }: AgentParts,
  signal: AbortSignal,
): Promise<void> => {
  // After a restart the conversation stays on disk until the next message.
  const session = chat.session ?? (await sessions?.load(address))
  const reporter = createReporter(client, { ...address, session_id: session?.id ?? 'none', cwd: workspace })
  try {
    const { messages = [] } = session ?? {}
    const why = !decider.remembers
      ? 'this agent does not keep the conversation'
      : 'the conversation is too short'
    // A single message is the last summary, or as short as one.
    const result =
      session === undefined || messages.length < 2
        ? { why }
        : await compact(
            {
              decider,
              session,
              reporter,
              signal,
              messages: session.messages,
              contexts: [],
              steps: session.steps,
              isFollowup: false,
              hasCompacted: false,
            },
            'manual',
            'the person asked for it',
          )
    if (session !== undefined && !('why' in result)) await sessions?.save(address, session)
    await reporter.tell(
      'why' in result
        ? `I compacted nothing: ${result.why.replace(/\.$/, '')}.`
        : `I compacted our conversation from about ${result.from} tokens to about ${result.to}.`,
      signal,
    )
  } catch (error) {
    await endFailed(reporter, error, signal)
  }
}
