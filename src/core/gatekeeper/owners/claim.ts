import { asProblem } from '../../model/gate/problem.ts'
import type { GatekeeperOptions } from '../gate-state.ts'
import type { GateLedger } from '../gate.ts'
import { adoption } from '../ledger/folded-ledger.ts'
import { consoleCode } from './pairing.ts'

/**
 * The first claim of a new gate. Until the gate has an owner, no agent runs that could read the console's
 * code.
 */
export interface Claim {
  isClaimed(): boolean
  /** The login on the console was used, so the person who reads the console owns the gate. */
  byConsole(): Promise<void>
  /**
   * Calls `begin` when the gate gets its owner, or at once when it has one. `by` is the new owner, or
   * undefined when the gate already had one. Returns a function that ends what `begin` started.
   */
  when(begin: (by: string | undefined) => void | (() => void | Promise<void>)): () => Promise<void>
}

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
  const add = (owners: readonly GatekeeperOptions['adopt']['owners'][number][], by: string): Promise<void> =>
    gate.change(() => ({
      // Two logins at once claim it once.
      acts: isClaimed() ? [] : owners.map((owner) => ({ act: 'owner_add', by, data: { ...owner } })),
      answer: () => undefined,
    }))
  // Owners that the environment of a later start names are added to an unclaimed gate.
  const named = isClaimed() ? [] : adopt.owners.filter(({ id }) => id !== consoleOwner)
  if (named.length > 0) await add(named, adoption)

  const waiting = new Set<(by: string | undefined) => void>()
  let wasClaimed = isClaimed()
  gate.onChange(() => {
    if (wasClaimed || !isClaimed()) return
    wasClaimed = true
    claimed()
    const by = [...gate.folded().owners.values()].findLast((owner) => owner.by !== adoption)?.id
    for (const begin of waiting) begin(by)
    waiting.clear()
  })
  return {
    isClaimed,
    byConsole: async () => {
      try {
        if (!isClaimed())
          await add(
            adopt.owners.filter(({ id }) => id === consoleOwner),
            consoleCode,
          )
      } catch (error) {
        const what = 'the claim of the gate could not be written to the ledger; open a new login to try again'
        log('error', what, { code: asProblem(error).code })
      }
    },
    when: (begin) => {
      let end: void | (() => void | Promise<void>)
      const start = (by: string | undefined): void => {
        end = begin(by)
      }
      if (wasClaimed) start(undefined)
      else waiting.add(start)
      return async () => {
        waiting.delete(start)
        await end?.()
      }
    },
  }
}
