import type { Reporter } from './reporter.ts'
import { type Session, toolNames } from './session.ts'

const maxBlocks = 3

/** Claims that something is done, with the session's tools as evidence. Returns what to tell the person. */
export const claimDone = async (summary: string, session: Session, reporter: Reporter, signal: AbortSignal): Promise<string> => {
  const response = `Done: ${summary}`
  const ruling = await reporter.fire(
    'on_completion_claim',
    {
      goal: session.goal,
      summary,
      response,
      tool_names: toolNames(session),
      tools: session.tools.map((tool) => ({ ...tool })),
      blocked_count: session.refusedClaims,
      max_blocks: maxBlocks,
    },
    signal,
  )
  if (ruling.verdict === 'allow') {
    session.refusedClaims = 0
    return response
  }
  session.refusedClaims++
  const refusal = [`My claim to be done was refused: ${ruling.reason}`, ruling.context].filter((text) => text !== '').join('\n')
  if (session.refusedClaims < maxBlocks) return `${refusal}\nIt is not done yet.`
  session.refusedClaims = 0
  return `${refusal}\nThat was refusal ${maxBlocks} of ${maxBlocks}. I stop here: it is not done.`
}
