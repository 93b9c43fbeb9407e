import { createActs, createSwitching, type ActPorts, type SwitchActPorts } from './acts.ts'
import type { GatekeeperOptions } from './gate-state.ts'
import { openGatekeeper } from './gatekeeper.ts'
import { createGrantActs, type GrantActPorts } from './grants/grant-acts.ts'
import { createConsents } from './owners/consents.ts'
import { createOwnerActs, type OwnerActPorts } from './owners/owner-acts.ts'
import { passkeyName } from './owners/passkeys.ts'
import { createRearm, type RearmPorts } from './rearm.ts'

type Held = 'gatekeeper' | 'ownerOf'
export type ActChapterPorts = Omit<ActPorts, Held> & Omit<GrantActPorts, Held> & Omit<OwnerActPorts, Held>

/**
 * Opens the gate for the rest of hookgate, which gets all that reads, and no act without the consent of an
 * owner. Rejects with a ProblemError when the gate's folder cannot be written.
 */
export const openGate = async (options: GatekeeperOptions) => {
  const gatekeeper = await openGatekeeper(options)
  const { ownerOf, ...hearing } = createConsents(gatekeeper.admits, gatekeeper.isOwner)
  const { claim, handles, cards, pairing, passkeys, nodes } = gatekeeper
  return {
    state: gatekeeper.state,
    armed: gatekeeper.armed,
    approvedHooks: gatekeeper.approvedHooks,
    setProposalOrder: gatekeeper.setProposalOrder,
    person: gatekeeper.person,
    isOwner: gatekeeper.isOwner,
    sealedBytes: gatekeeper.sealedBytes,
    checkAnchor: gatekeeper.checkAnchor,
    noteAnchor: gatekeeper.noteAnchor,
    onChange: gatekeeper.onChange,
    lockDown: gatekeeper.lockDown,
    claim,
    handles,
    cards,
    /** A code with which whoever reads the console becomes the first owner. Undefined when there is one. */
    consoleCode: () => (claim.isClaimed() ? undefined : pairing.mint()),
    passkeys: {
      all: () => passkeys.all().map((passkey) => ({ ...passkey, name: passkeyName(passkey.id) })),
      find: passkeys.find,
      nameOf: passkeyName,
    },
    /** Machines enrol with a code that an owner asked for. */
    nodes: { all: nodes.all, ofKey: nodes.ofKey, enrol: nodes.enrol },
    /** For the inbox alone: what a message may do, and the consent of whoever sent it. */
    hearing,
    ownerOf,
    /** The acts of owners, each recorded in the history. */
    acts: (ports: ActChapterPorts) => ({
      ...createActs({ ...ports, gatekeeper, ownerOf }),
      ...createOwnerActs({ ...ports, gatekeeper, ownerOf }),
      ...createGrantActs({ ...ports, gatekeeper, ownerOf }),
    }),
    /** Switches hooks on again when the time of an owner's off is over. */
    rearm: (ports: Omit<RearmPorts, 'gatekeeper' | 'setSwitch'> & Omit<SwitchActPorts, 'gatekeeper'>) => {
      const setSwitch = createSwitching({ ...ports, gatekeeper })
      return createRearm({
        ...ports,
        gatekeeper,
        setSwitch: (isOn, by) => setSwitch(isOn, by, () => by),
      })
    },
  }
}

export type Gate = Awaited<ReturnType<typeof openGate>>
