import { toolNames } from '../model/evidence.ts'
import type { Reporter } from './reporter.ts'
import type { Session } from './session.ts'

const maxBlocks = 3

/** Claims that something is done, with the session's tools as evidence. `isCapped`: refused as often as it may be. */
export const claimDone = async (summary: string, session: Session, reporter: Reporter, signal: AbortSignal): Promise<{ readonly text: string; readonly isCapped: boolean }> => {
  const response = `Done: ${summary}`
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
    return { text: response, isCapped: false }
  }
  session.refusedClaims++
  const refusal = [`My claim to be done was refused: ${ruling.reason}`, ruling.context].filter((text) => text !== '').join('\n')
  if (session.refusedClaims < maxBlocks) return { text: `${refusal}\nIt is not done yet.`, isCapped: false }
  session.refusedClaims = 0
  return { text: `${refusal}\nThat was refusal ${maxBlocks} of ${maxBlocks}. I stop here: it is not done.`, isCapped: true }
}
