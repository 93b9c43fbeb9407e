import type { FileFacts, ListedHook } from '../../shared/gate/catalogue.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import { underOf, type ApprovedHook } from '../../core/model/approval/approved.ts'

export interface ReadingPorts {
  state(): { readonly approvals: ReadonlyMap<string, ApprovedHook> }
  sealedBytes(fingerprint: string, name: string): Buffer | undefined
}

/** Read-only access to approvals and files for owners. */
export const createReading = (gatekeeper: ReadingPorts) => ({
  /** The details of an approval in force, as it was approved. */
  approved: (
    fingerprint: string,
  ):
    | (Pick<ListedHook, 'watched' | 'unsealed' | 'under' | 'interpreter'> & {
        readonly entry: Entry
        readonly files: readonly FileFacts[]
      })
    | undefined => {
    const approval = gatekeeper.state().approvals.get(fingerprint)
    if (approval === undefined) return undefined
    const { entry, files, unsealed, watched, interpreter } = approval
    const under = underOf(approval)
    return { entry, files, unsealed, watched, interpreter, under }
  },
  sealedBytes: gatekeeper.sealedBytes,
})
