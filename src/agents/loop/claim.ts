import { toolNames } from '../../shared/events/evidence.ts'
import type { Ruling } from '../client.ts'
import type { TurnState } from './turn-state.ts'

const maxBlocks = 3
/** How often `on_stop` can ask for more work in one turn. */
export const maxStopBlocks = 3

type Ending = Pick<TurnState, 'session' | 'reporter' | 'signal'>

/** Lets hooks judge the end of a turn. `blocks`: how often they have asked for more work in this turn. */
export const askStop = (
  { session, reporter, signal }: Ending,
  response: string,
  stop_reason: string,
  { blocks, steps }: { readonly blocks: number; readonly steps: number },
): Promise<Ruling> =>
  reporter.fire(
    'on_stop',
    {
      response,
      tool_names: toolNames(session.tools),
      stop_hook_active: blocks > 0,
      stop_reason,
      step_count: steps,
    },
    signal,
  )

/** Added to an answer that is sent although hooks asked for more work. */
export const cappedWords = ({ reason }: Ruling): string =>
  `\n(Hooks asked me ${maxStopBlocks} times to continue, and I stop here: ${reason})`

/** For the agent, which can write its answer once more. */
export const withheldWords = (why: string): string =>
  `The person did not get that answer, because a hook withheld it: ${why}\nAnswer once more, without what the hook objects to.`

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
  { session, reporter, signal }: Ending,
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
