import type { ThoughtOrBlock, Conversation } from './decider.ts'
import type { TurnState } from './turn-state.ts'

type AskState = Pick<
  TurnState,
  'decider' | 'session' | 'reporter' | 'signal' | 'steps' | 'isFollowup' | 'shortResult'
>
type ModelInput = Pick<Conversation, 'system' | 'messages' | 'contexts' | 'tools'>

/** Makes one model call of a turn. */
export const askDecider = async (state: AskState, shown: ModelInput): Promise<ThoughtOrBlock> => {
  const { decider, session, reporter, signal, isFollowup, steps: iteration } = state
  const contexts = shown.contexts.filter((context) => context !== '')
  const view = {
    ...shown,
    contexts,
    isFollowup,
    lastMessage: session.lastMessage,
    shortResult: state.shortResult,
  }
  const warn = async (message: string): Promise<void> => {
    await reporter.fire('on_notification', { level: 'warning', message }, signal)
  }
  const result = await decider.think(view, { signal, iteration, reporter, warn })
  if ('blocked' in result) return result
  const { input_tokens, output_tokens } = result.thought.usage
  session.usedTokens = input_tokens + output_tokens
  session.answerTokens = output_tokens
  return result
}
