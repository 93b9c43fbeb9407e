import { joinProse, prose, type Prose, verbatim } from '../core/model/chat/prose.ts'
import { isForGate } from '../core/model/hooks/entry.ts'
import { warn, ok, type Check } from './check.ts'
import { ourWords } from '../shared/said/our-words.ts'

const maxNamed = 3
/** The faults after which the program was never started. */
const unstarted: readonly string[] = ['changed', 'start', 'refused', 'host']

/**
 * Reports the bytes that ran: the seal, its files and the interpreter. It reports missing programs whatever
 * the hook answered, because another payload may need them. For a changed file, the missing programs are not
 * known.
 */
export const bytesCheck: Check = ({ hook, approved, row, answer: { fault } }) => {
  const { files = [], interpreter } = approved ?? {}
  const ran = joinProse(
    [
      prose`seal ${verbatim(hook.fingerprint.slice(0, 12))}`,
      ...files
        .slice(0, maxNamed)
        .map(({ path, sha256 }): Prose => prose`${path} ${verbatim(sha256.slice(0, 12))}`),
      files.length > maxNamed && prose`${files.length - maxNamed} more`,
      interpreter !== undefined && prose`by ${interpreter}`,
    ],
    ' · ',
  )
  const isProgram = hook.argv.length > 0 && !unstarted.includes(fault?.kind ?? '')
  const sentences = row?.status === 'approved' ? (row.missing ?? []) : []
  const missing = sentences.map((sentence) =>
    warn(isForGate(hook.entry) ? ourWords(sentence) : prose`${sentence}`),
  )
  return [...(isProgram ? [ok(prose`ran: ${ran}`)] : []), ...missing]
}
