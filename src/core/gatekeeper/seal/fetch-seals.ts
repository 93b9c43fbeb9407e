import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { messageOf } from '../../model/gate/problem.ts'
import type { SharedFiles } from '../../model/gate/shared.ts'
import type { ApprovedHook } from '../../model/approval/approved.ts'
import { placeSeal, writeFreshSeal } from './seal.ts'

/** The sealed files of an approval from the database, or the reason why they are not the approved ones. */
const fetchContents = async ({ files }: ApprovedHook, shared: Pick<SharedFiles, 'get'>) => {
  const contents: ((typeof files)[number] & { readonly content: Buffer })[] = []
  for (const file of files) {
    const content = await shared.get(file.sha256)
    if (content === undefined) return `"${file.path}" is not in the database`
    if (createHash('sha256').update(content).digest('hex') !== file.sha256)
      return `"${file.path}" has other bytes in the database`
    contents.push({ ...file, content })
  }
  return contents
}

type Log = (level: 'warn', what: string, fields: Readonly<Record<string, string>>) => void

/** Removes the files that no approval in force needs from the database. Called only at start. */
export const dropOldFiles = async (
  approvals: Iterable<ApprovedHook>,
  shared: Pick<SharedFiles, 'keepOnly'>,
  log: Log,
): Promise<void> => {
  try {
    await shared.keepOnly([...approvals].flatMap(({ files }) => files.map(({ sha256 }) => sha256)))
  } catch (error) {
    // They take room, and nothing else.
    log('warn', 'old sealed files could not be removed from the database', { why: messageOf(error) })
  }
}

/**
 * Writes the seals that another gate made and that this one does not have yet. Called only at start. A seal
 * whose bytes are not in the database stays away, and a missing seal is a lockdown. Rejects with a
 * ProblemError when the database cannot be reached, so that the start can be tried again.
 */
export const fetchSeals = async (
  root: string,
  approvals: Iterable<ApprovedHook>,
  shared: Pick<SharedFiles, 'get'>,
  log: Log,
): Promise<void> => {
  for (const approval of approvals) {
    const { fingerprint } = approval
    if (fs.existsSync(path.join(root, fingerprint))) continue
    const contents = await fetchContents(approval, shared)
    if (typeof contents === 'string')
      log('warn', 'the files of an approved hook could not be fetched', {
        hook: fingerprint.slice(0, 12),
        why: contents,
      })
    else placeSeal(root, fingerprint, await writeFreshSeal(root, contents))
  }
}
