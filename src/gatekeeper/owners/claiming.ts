import { asProblem } from '../approving.ts'
import { createClaim, type Claim } from './claim.ts'
import { adoption } from '../ledger/folded-ledger.ts'
import type { GatekeeperOptions } from '../gate-state.ts'
import type { Gate } from '../gate.ts'
import { consoleCode } from './pairing.ts'

/** Whose the gate is, by its ledger. `claimed` is called once, when it gets its owner. */
export const claimGate = (
  gate: Pick<Gate, 'folded' | 'view' | 'append' | 'onChange'>,
  { adopt, console: consoleOwner, log }: Pick<GatekeeperOptions, 'adopt' | 'console' | 'log'>,
  claimed: () => void,
): Claim => {
  /** Nobody's: a first ledger in which only the console stands, whose login nobody used. A gate in doubt is somebody's. */
  const isClaimed = (): boolean => {
    const { revision, owners } = gate.folded()
    return (
      consoleOwner === undefined ||
      gate.view().state.lockdown !== undefined ||
      revision !== 1 ||
      [...owners.values()].some(({ id, by }) => id !== consoleOwner || by !== adoption)
    )
  }
  // Named in the environment of a later start: the gate is nobody's until then.
  const named = isClaimed() ? [] : adopt.owners.filter(({ id }) => id !== consoleOwner)
  if (named.length > 0)
    gate.append(named.map((owner) => ({ act: 'owner_add', by: adoption, data: { ...owner } })))
  return createClaim({
    isClaimed,
    newest: () => [...gate.folded().owners.values()].findLast(({ by }) => by !== adoption)?.id,
    add: () => {
      const owner = adopt.owners.find(({ id }) => id === consoleOwner)
      try {
        if (owner !== undefined) gate.append([{ act: 'owner_add', by: consoleCode, data: { ...owner } }])
      } catch (error) {
        log('error', 'that the gate was claimed could not be written; open a new login to try again', {
          code: asProblem(error).code,
        })
      }
    },
    onChange: gate.onChange,
    claimed,
  })
}
