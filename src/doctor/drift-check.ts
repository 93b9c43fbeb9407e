import { problemWords } from '../shared/said/our-words.ts'
import { named, prose } from '../core/model/chat/prose.ts'
import { warn, bad, type Check } from './check.ts'

/** Checks that the file still proposes the hook that was approved. The approved bytes run in either case. */
export const driftCheck: Check = ({ row }) => {
  if (row?.isUnheard === true)
    return [
      warn(
        prose`Its node ${named(row.entry?.node ?? '')} is not connected or was removed, so nobody knows what it proposes. Look at /nodes, and start hookgate node there.`,
      ),
    ]
  if (row === undefined || row.status === 'gone')
    return [
      warn(prose`No file proposes this hook any more. The approved copy still runs. /hooks revoke ends it.`),
    ]
  if (row.isStopped === true)
    return [
      bad(
        prose`The hook is stopped, because a file that it uses in place changed after the approval. /hooks approve accepts the new file.`,
      ),
    ]
  if (row.problem !== undefined)
    return [warn(prose`Its file: ${problemWords(row.problem)} The approved copy still runs.`)]
  if (row.status === 'changed')
    return [
      warn(
        prose`The proposal changed after the approval. The approved copy still runs. /hooks approve accepts the new one.`,
      ),
    ]
  return []
}
