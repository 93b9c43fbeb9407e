import { createPasskeyUses } from '../store/passkey-uses.ts'
import { createSwitchFileWriter } from '../config/switch-file.ts'
import { prose } from '../core/model/chat/prose.ts'
import type { Permissions } from '../permissions/permissions.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import type { Outbound } from './outbound.ts'
import { ourWords } from '../shared/said/our-words.ts'

/** The acts of owners, each recorded in the history. */
export const createActChapter = (
  { config: { workspace }, isolation, reader, store, newId, now, elapsedMs, log }: Base,
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
    tell: (why) => notices.tellOwners(prose`⚠ ${ourWords(why)}`),
  })
  const ports = {
    writeSwitchFile: switchFile.write,
    uses: grants,
    record,
    now,
    log,
  }
  return {
    acts: gatekeeper.acts(ports),
    passkeyUses: createPasskeyUses({
      passkeys: gatekeeper.passkeys,
      recall: () => store.getFact('passkey uses'),
      remember: (uses) => store.setFact('passkey uses', uses),
      now,
      log,
    }),
    /** Switches hooks on again when the time of an owner's off is over. */
    rearm: gatekeeper.rearm({ ...ports, alarm: notices.alarm, said: ourWords, monotonicMs: elapsedMs }),
    /** Whether the switch file was read after the gate wrote it last. */
    isSwitchFileSettled: switchFile.isSettled,
    record,
  }
}
export type Acts = ReturnType<typeof createActChapter>
