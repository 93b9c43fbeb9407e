import { toolNames } from '../../model/events/evidence.ts'
import type { TurnState } from './turn-state.ts'

const maxBlocks = 3

/** `capped`: refused as often as it may be; `text` is for the person then, and else for the agent. */
export type Claimed =
  | { readonly kind: 'passed' }
  | { readonly kind: 'refused' | 'capped'; readonly text: string }

/** Claims that something is done, with the session's tools as evidence. */
export const claimDone = async (
  { summary, response }: { readonly summary: string; readonly response: string },
  { session, reporter, signal }: Pick<TurnState, 'session' | 'reporter' | 'signal'>,
): Promise<Claimed> => {
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
  const refusal = `My claim to be done was refused: ${ruling.reason}`
  if (session.refusedClaims < maxBlocks)
    return {
      kind: 'refused',
      text: [refusal, ruling.context, 'It is not done yet.'].filter((text) => text !== '').join('\n'),
    }
  session.refusedClaims = 0
  return {
    kind: 'capped',
    text: `${refusal}\nThat was refusal ${maxBlocks} of ${maxBlocks}. I stop here: it is not done.`,
  }
}
