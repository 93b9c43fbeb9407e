import { join } from 'node:path'
import { isFolderInside, readBounded, type Refuses } from '../../config/read-bounded.ts'
import type { Rendered } from '../../config/switch-file.ts'
import { DIALECTS } from '../../dialects/dialects.ts'
import { withHook } from '../../proposals/sources/add-hook.ts'
import { shellHooksFile } from '../../proposals/sources/systems.ts'
import type { JsonObject } from '../../core/model/base/json.ts'

const maxBytes = 1_000_000

/**
 * The text of the workspace's proposals with one more. Only a thread that can be killed may call this
 * function. The file is read only if the agent could read it.
 */
export const renderProposal = (workspace: string, hook: JsonObject, refuses: Refuses): Rendered => {
  const file = join(workspace, shellHooksFile)
  const leftAsItIs = (why: string): Rendered => ({ why: `${shellHooksFile} was left as it is: ${why}.` })
  if (!isFolderInside(workspace, file)) return leftAsItIs('its folder is a link that leaves the workspace')
  const read = readBounded(file, maxBytes, refuses)
  if ('why' in read && read.why !== 'missing') return leftAsItIs(`it is ${read.why}`)
  return withHook('text' in read ? read.text : '', hook, { dialects: DIALECTS })
}
