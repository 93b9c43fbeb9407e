import { got, ProblemError } from '../../model/gate/problem.ts'
import { asProblem } from '../approving.ts'
import type { Owner } from '../ledger/fold.ts'
import { refusal, type GatekeeperOptions, type Refusal } from '../gate-state.ts'
import type { Gate } from '../gate.ts'
import { channelOf, ownerProblem } from './owners.ts'

/** The owners in the ledger, checked against the current logins of their messengers. */
export interface OwnerList {
  /** False also for an owner whose messenger has a new login since the pairing. */
  isOwner(id: string): boolean
  /** True when the ledger has this owner, whatever the messenger's login is. */
  isKnown(id: string): boolean
  /** Returns whether something changed: a new owner, or another chat or login of a known owner. */
  add(owner: Owner, by: string): boolean
  /** Removes an owner, but never the last one who can command. */
  remove(id: string, by: string): { readonly ok: true } | Refusal
}

export const createOwnerList = (
  gate: Pick<Gate, 'folded' | 'append'>,
  loginOf: NonNullable<GatekeeperOptions['loginOf']>,
): OwnerList => {
  const ownerOf = (id: string): Owner | undefined => gate.folded().owners.get(id)
  const isCurrent = ({ id, login }: Owner): boolean => {
    const now = loginOf(channelOf(id))
    return now === undefined || (now !== '' && now === login)
  }
  return {
    isOwner: (id) => {
      const owner = ownerOf(id)
      return owner !== undefined && isCurrent(owner)
    },
    isKnown: (id) => ownerOf(id) !== undefined,
    add: (owner, by) => {
      const problem = ownerProblem(owner)
      if (problem !== undefined) throw new ProblemError(problem)
      const known = ownerOf(owner.id)
      if (known !== undefined && known.chat_id === owner.chat_id && known.login === owner.login) return false
      gate.append([{ act: 'owner_add', by, data: { ...owner } }])
      return true
    },
    remove: (id, by) => {
      if (ownerOf(id) === undefined) {
        return refusal(
          'owner.unknown',
          `Expected the id of an owner, got ${got(id)}.`,
          'Write the id as it was paired, such as telegram:7.',
        )
      }
      if (![...gate.folded().owners.values()].some((owner) => owner.id !== id && isCurrent(owner))) {
        return refusal(
          'owner.last',
          'Expected another owner to remain, got the last one.',
          'Add another owner first.',
        )
      }
      try {
        gate.append([{ act: 'owner_remove', by, data: { id } }])
        return { ok: true }
      } catch (error) {
        return { ok: false, problem: asProblem(error) }
      }
    },
  }
}
