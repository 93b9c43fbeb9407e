import { formatProblem } from '../model/gate/problem.ts'
import { fixed, prose } from '../model/chat/prose.ts'
import type { Check } from './check.ts'

/** Whether the file still proposes what was approved. The approved bytes run on either way. */
export const driftCheck: Check = ({ row }) => {
  if (row === undefined || row.status === 'gone')
    return [
      {
        level: 'warn',
        text: fixed('No file proposes it any more; the approved copy runs on. /hooks revoke ends it.'),
      },
    ]
  if (row.isStopped === true)
    return [
      {
        level: 'bad',
        text: fixed(
          'It stopped: a file that it uses from where it lies changed since approval. /hooks approve takes the new one.',
        ),
      },
    ]
  if (row.problem !== undefined)
    return [
      { level: 'warn', text: prose`Its file: ${formatProblem(row.problem)} The approved copy runs on.` },
    ]
  if (row.status === 'changed')
    return [
      {
        level: 'warn',
        text: fixed('Changed since approval; the approved copy runs on. /hooks approve takes the new one.'),
      },
    ]
  return []
}
