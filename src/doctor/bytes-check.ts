import { fixed, joinProse, prose, type Prose } from '../model/chat/prose.ts'
import type { Check } from './check.ts'

const maxNamed = 3
/** Faults of what was never started. */
const unstarted: readonly string[] = ['changed', 'start', 'refused', 'host']

/**
 * Which bytes ran: the seal, its files, and the program that ran them. What they need and do not find here is
 * said whatever they answered: another payload may lead to it. Of a changed file that is not known.
 */
export const bytesCheck: Check = ({ hook, approved, row, answer: { fault } }) => {
  const { files = [], interpreter } = approved ?? {}
  const ran = joinProse(
    [
      fixed(`seal ${hook.fingerprint.slice(0, 12)}`),
      ...files
        .slice(0, maxNamed)
        .map(({ path, sha256 }): Prose => prose`${path} ${fixed(sha256.slice(0, 12))}`),
      ...(files.length > maxNamed ? [fixed(`${files.length - maxNamed} more`)] : []),
      ...(interpreter === undefined ? [] : [prose`by ${interpreter}`]),
    ],
    ' · ',
  )
  const isProgram = hook.argv.length > 0 && !unstarted.includes(fault?.kind ?? '')
  const sentences = row?.status === 'approved' ? (row.missing ?? []) : []
  const missing = sentences.map((sentence) => ({ level: 'warn' as const, text: prose`${sentence}` }))
  return [...(isProgram ? [{ level: 'ok' as const, text: prose`ran: ${ran}` }] : []), ...missing]
}
