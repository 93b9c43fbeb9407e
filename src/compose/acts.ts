import { createSwitchFileWriter } from '../config/switch-file.ts'
import { createActs } from '../core/gatekeeper/acts.ts'
import { createGrantActs } from '../core/gatekeeper/grants/grant-acts.ts'
import { createOwnerActs } from '../core/gatekeeper/owners/owner-acts.ts'
import { createPasskeyActs } from '../core/gatekeeper/owners/passkey-acts.ts'
import { prose } from '../core/model/chat/prose.ts'
import type { Permissions } from '../permissions/permissions.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import type { Outbound } from './outbound.ts'

/** The acts of owners, each recorded in the history. */
export const createActChapter = (
  { config: { workspace }, isolation, reader, store, newId, now, log }: Base,
  { gatekeeper }: GateChapter,
  { notices }: Outbound,
  { grants }: Permissions,
) => {
  /** Records in the history that somebody did something. */
  const record = (subject: string, by: string, outcome: string, what: string | undefined): void =>
    store.addRecord({
      event_id: newId(),
      atMs: now(),
      kind: 'gate',
      subject,
      outcome,
      reason: what === undefined ? by : `${what} by ${by}`,
    })
  const switchFile = createSwitchFileWriter({
    workspace,
    render: reader.render,
    asAgent: isolation.asAgentLater,
    read: reader.look,
    tell: (why) => notices.tellOwners(prose`⚠ ${why}`),
  })
  const acts = createActs({
    gatekeeper,
    writeSwitchFile: switchFile.write,
    record: (act, ...rest) => record(`/hooks ${act}`, ...rest),
  })
  const ownerActs = createOwnerActs({ gatekeeper, record, log })
  const passkeyActs = createPasskeyActs({
    passkeys: gatekeeper.passkeys,
    recall: () => store.getFact('passkey uses'),
    remember: (uses) => store.setFact('passkey uses', uses),
    record,
    now,
    log,
  })
  const grantActs = createGrantActs({ gatekeeper, uses: grants, record, now })
  /** `isSwitchFileSettled`: whether the switch file was read after the gate wrote it last. */
  return { acts, ownerActs, passkeyActs, grantActs, isSwitchFileSettled: switchFile.isSettled, record }
}
export type Acts = ReturnType<typeof createActChapter>
