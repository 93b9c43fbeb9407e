import { asProblem } from '../approving.ts'
import { createClaim, type Claim } from './claim.ts'
import { adoption } from '../ledger/folded-ledger.ts'
import type { GatekeeperOptions } from '../gate-state.ts'
import type { GateLedger } from '../gate.ts'
import { consoleCode } from './pairing.ts'

/** Decides from the ledger whether the gate has an owner. `claimed` is called once, when it gets one. */
export const claimGate = async (
  gate: Pick<GateLedger, 'folded' | 'view' | 'change' | 'onChange'>,
  { adopt, console: consoleOwner, log }: Pick<GatekeeperOptions, 'adopt' | 'console' | 'log'>,
  claimed: () => void,
): Promise<Claim> => {
  /**
   * A gate is unclaimed while its ledger has one line, only the console's owner is in it, and nobody used the
   * console's login. A gate in lockdown counts as claimed.
   */
  const isClaimed = (): boolean => {
    const { revision, owners } = gate.folded()
    return (
      consoleOwner === undefined ||
      gate.view().state.lockdown !== undefined ||
      revision !== 1 ||
      [...owners.values()].some(({ id, by }) => id !== consoleOwner || by !== adoption)
    )
  }
  // Owners that the environment of a later start names are added to an unclaimed gate.
  const named = isClaimed() ? [] : adopt.owners.filter(({ id }) => id !== consoleOwner)
  if (named.length > 0)
    await gate.change(() => ({
      acts: named.map((owner) => ({ act: 'owner_add', by: adoption, data: { ...owner } })),
      answer: () => undefined,
    }))
  return createClaim({
    isClaimed,
    newest: () => [...gate.folded().owners.values()].findLast(({ by }) => by !== adoption)?.id,
    add: async () => {
      const owner = adopt.owners.find(({ id }) => id === consoleOwner)
      try {
        await gate.change(() => ({
          // Two logins at once claim it once.
          acts:
            owner === undefined || isClaimed()
              ? []
              : [{ act: 'owner_add', by: consoleCode, data: { ...owner } }],
          answer: () => undefined,
        }))
      } catch (error) {
        log(
          'error',
          'the claim of the gate could not be written to the ledger; open a new login to try again',
          {
            code: asProblem(error).code,
          },
        )
      }
    },
    onChange: gate.onChange,
    claimed,
  })
}
