import type { ListedHook } from '../../shared/gate/catalogue.ts'
import { joinProse, prose, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import type { Evidence } from '../../shared/hooks/evidence.ts'
import type { CommandPorts } from '../ports.ts'
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
    const found = prose`of ${evidence.events} past events ${evidence.matched} matched: ${countWords(evidence)}`
    if (sealed === undefined) return [found]
    return [found, prose`the approved version answers ${evidence.different} of them differently`]
  }
  return sealed === undefined
    ? []
    : [prose`compare both versions on past events → /hooks try ${verbatim(handle)}`]
}
