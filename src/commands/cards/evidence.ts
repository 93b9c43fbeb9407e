import type { ListedHook } from '../../shared/gate/catalogue.ts'
import { joinProse, prose, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import type { Evidence } from '../../shared/hooks/evidence.ts'
import type { CommandPorts } from '../ports.ts'
import { briefOurs } from '../reasons.ts'
import { canTry } from './row.ts'

/** What a hook would have done, in numbers, without what did not happen. */
export const countWords = ({ counts }: Evidence): Prose => {
  const { block, ask, rewrite, fail, pass } = counts
  return joinProse(
    [
      block > 0 && prose`${block} blocked`,
      rewrite > 0 && prose`${rewrite} rewritten`,
      ask > 0 && prose`${ask} asked`,
      fail > 0 && prose`${fail} failed`,
      prose`${pass} let through`,
    ],
    ', ',
  )
}

/** A warning before the yes: a hook that failed in its trial guards nothing, or blocks everything. */
const failedLines = ({ counts: { fail }, matched, failures }: Evidence): readonly Prose[] => {
  if (fail === 0) return []
  const [first] = failures
  const why = first === undefined || first.why === '' ? [] : prose`: ${briefOurs(first.why, 120)}`
  return [
    fail === matched
      ? prose`⚠ It failed at each of ${matched} past events${why}`
      : prose`⚠ It failed at ${fail} of ${matched} past events${why}`,
  ]
}

/**
 * The line of a card about the past: what these bytes would have done, or how to find out. A hook that
 * changed since its approval is compared with its approved version.
 */
export const evidenceLines = (
  row: ListedHook,
  { evidenceOf }: Pick<CommandPorts, 'evidenceOf'>,
  handle: string,
): readonly Prose[] => {
  const { status, proposed, live } = row
  const fingerprint = proposed ?? live
  if (fingerprint === undefined || !canTry(row)) return []
  const sealed = status === 'changed' ? live : undefined
  const evidence = evidenceOf(fingerprint, sealed)
  if (evidence !== undefined) {
    const { events, matched, counts, different } = evidence
    const found = [
      ...failedLines(evidence),
      ...(matched > 0 && counts.fail === matched
        ? []
        : [prose`of ${events} past events ${matched} matched: ${countWords(evidence)}`]),
    ]
    if (sealed === undefined) return found
    return [...found, prose`the approved version answers ${different} of them differently`]
  }
  return sealed === undefined
    ? []
    : [prose`compare both versions on past events → /hooks try ${verbatim(handle)}`]
}
