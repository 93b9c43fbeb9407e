import { toolNames } from '../../shared/events/evidence.ts'
import type { TurnState } from './turn-state.ts'

const maxBlocks = 3

/**
 * The result of a claim. `capped` means that it was refused as often as hooks may, and then `text` is for the
 * person. With `refused` it is for the agent.
 */
export type ClaimResult =
  | { readonly kind: 'passed' }
  | { readonly kind: 'refused' | 'capped'; readonly text: string }

/** Lets hooks judge the claim that something is done, with the session's tool calls as evidence. */
export const claimDone = async (
  { summary, response }: { readonly summary: string; readonly response: string },
  { session, reporter, signal }: Pick<TurnState, 'session' | 'reporter' | 'signal'>,
): Promise<ClaimResult> => {
  const ruling = await reporter.fire(
    'on_completion_claim',
    {
      goal: session.goal,
      summary,
      response,
      tool_names: toolNames(session.tools),
      tools: session.tools.map((tool) => ({ ...tool })),
      blocked_count: session.refusedClaims,
      max_blocks: maxBlocks,
    },
    signal,
  )
  if (ruling.verdict === 'allow') {
    session.refusedClaims = 0
    session.isGoalSet = false
    return { kind: 'passed' }
  }
  session.refusedClaims++
  const refusal = `My claim that the task is done was refused: ${ruling.reason}`
  if (session.refusedClaims < maxBlocks)
    return {
      kind: 'refused',
      text: [refusal, ruling.context, 'The task is not done yet.'].filter((text) => text !== '').join('\n'),
    }
  session.refusedClaims = 0
  return {
    kind: 'capped',
    text: `${refusal}\nThat was refusal ${maxBlocks} of ${maxBlocks}. I stop here, and the task is not done.`,
  }
}
