import { join } from 'node:path'
import { replaceFile } from '../../config/switch-file.ts'
import { shellHooksFile } from '../../proposals/sources/systems.ts'
import { createMutex } from '../../core/model/base/mutex.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import type { Base } from '../base.ts'

/** Writes one more proposal into the workspace's file. Returns why that failed. */
export type Propose = (hook: JsonObject & { readonly command: string }) => Promise<string | undefined>

/** So many proposals of agents and owners wait to be written. The next one is refused. */
export const maxProposals = 8

/**
 * Writes proposals into the file of the workspace, one after another. The file is written with the agent's
 * rights, so a link there leads no further than the agent itself.
 */
export const createProposing = ({
  config,
  reader,
  isolation,
}: Pick<Base, 'config' | 'reader' | 'isolation'>): Propose => {
  const file = join(config.workspace, shellHooksFile)
  let waiting = 0
  const inTurn = createMutex()
  const write: Propose = async (hook) => {
    const added = await reader.add(hook)
    if ('why' in added) return added.why
    const words = [`${file}.hookgate-${process.pid}`, file]
    const failed = await isolation.asAgentLater(replaceFile, words, added.text)
    if (failed !== undefined)
      return 'config/shell_hooks.yaml could not be written. Check its rights and the disk.'
    await reader.look(hook.command)
    return undefined
  }
  return async (hook) => {
    if (waiting >= maxProposals) return `${maxProposals} proposals are being written. Try again.`
    waiting++
    try {
      return await inTurn(() => write(hook))
    } finally {
      waiting--
    }
  }
}
