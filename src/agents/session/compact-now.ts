import type { Address } from '../../model/chat/push.ts'
import { compact } from './compact.ts'
import { createReporter } from '../reporter.ts'
import { type AgentParts, type Chat, explain } from '../loop/turn.ts'

/** The person wants the conversation compacted, between two of their messages. Never rejects. */
export const compactNow = async (
  chat: Chat,
  { channel, chat_id }: Address,
  { decider, client, workspace, sessions }: AgentParts,
  signal: AbortSignal,
): Promise<void> => {
  // After a restart the conversation is on disk until the next message.
  const session = chat.session ?? (await sessions?.load({ channel, chat_id }))
  const reporter = createReporter(client, {
    channel,
    chat_id,
    session_id: session?.id ?? 'none',
    cwd: workspace,
  })
  try {
    const { messages = [] } = session ?? {}
    const why = !decider.remembers ? 'this agent keeps no conversation' : 'the conversation is still short'
    // One message is the last summary, or as good as one.
    const done =
      session === undefined || messages.length < 2
        ? { why }
        : await compact(
            {
              decider,
              session,
              reporter,
              signal,
              messages: session.messages,
              steps: session.steps,
              isFollowup: false,
              hasCompacted: false,
            },
            'manual',
            'the person asked for it',
          )
    if (session !== undefined && !('why' in done)) await sessions?.save({ channel, chat_id }, session)
    await reporter.tell(
      'why' in done
        ? `I compacted nothing: ${done.why.replace(/\.$/, '')}.`
        : `I compacted our conversation: of about ${done.from} tokens about ${done.to} are kept.`,
      signal,
    )
  } catch (error) {
    await (signal.aborted ? reporter.tell('Stopped.') : explain(reporter, error))
  }
}
