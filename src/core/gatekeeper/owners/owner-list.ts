import { type Acted, type Refusal, quote, ProblemError, asProblem } from '../../model/gate/problem.ts'
import type { Person } from '../../model/gate/person.ts'
import type { Member, Owner } from '../ledger/fold.ts'
import { refusal, type GatekeeperOptions } from '../gate-state.ts'
import { unchanged, type GateLedger } from '../gate.ts'
import type { Act } from '../ledger/lines.ts'
import { channelOf, ownerProblem, scopeProblem } from './owners.ts'

/** The owners in the ledger, checked against the current logins of their messengers. */
export interface OwnerList {
  /** False also for an owner whose messenger has a new login since the pairing. */
  isOwner(id: string): boolean
  /** True when the ledger has this owner, whatever the messenger's login is. */
  isKnown(id: string): boolean
  /** The role of a person, unless their messenger has a new login since the pairing. */
  person(id: string): Person | undefined
  /** Returns whether something changed: a new owner, or another chat or login of a known owner. */
  add(owner: Owner, by: string): Promise<boolean>
  /** Gives somebody a role below that of an owner, but never the last owner who can command. */
  setRole(member: Member, by: string): Promise<Acted>
  /** Removes a person, but never the last owner who can command. */
  remove(id: string, by: string): Promise<Acted>
}

const lastOwner = refusal('owner.last', 'This is the last owner.', 'Add another owner first.')

export const createOwnerList = (
  gate: Pick<GateLedger, 'folded' | 'change'>,
  loginOf: NonNullable<GatekeeperOptions['loginOf']>,
): OwnerList => {
  const ownerOf = (id: string): Owner | undefined => gate.folded().owners.get(id)
  const isCurrent = ({ id, login }: Owner): boolean => {
    const now = loginOf(channelOf(id))
    return now === undefined || (now !== '' && now === login)
  }
  const isLast = (id: string): boolean =>
    ownerOf(id) !== undefined &&
    ![...gate.folded().owners.values()].some((owner) => owner.id !== id && isCurrent(owner))
  /** Writes the act, unless there is a reason against it then. */
  const write = async (act: Act, why: () => Refusal | undefined): Promise<Acted> => {
    try {
      return await gate.change<Acted>(() => {
        const refused = why()
        return refused === undefined ? { acts: [act], answer: () => ({ ok: true }) } : unchanged(refused)
      })
    } catch (error) {
      return { ok: false, problem: asProblem(error) }
    }
  }
  return {
    isOwner: (id) => {
      const owner = ownerOf(id)
      return owner !== undefined && isCurrent(owner)
    },
    person: (id) => {
      const owner = ownerOf(id)
      const found: (Owner & Person) | undefined =
        owner === undefined ? gate.folded().members.get(id) : { ...owner, role: 'owner' }
      return found !== undefined && isCurrent(found) ? found : undefined
    },
    isKnown: (id) => ownerOf(id) !== undefined,
    add: async (owner, by) => {
      const problem = ownerProblem(owner)
      if (problem !== undefined) throw new ProblemError(problem)
      return gate.change(() => {
        const known = ownerOf(owner.id)
        return known !== undefined && known.chat_id === owner.chat_id && known.login === owner.login
          ? unchanged(false)
          : { acts: [{ act: 'owner_add', by, data: { ...owner } }], answer: () => true }
      })
    },
    setRole: async (member, by) => {
      const problem = ownerProblem(member) ?? scopeProblem(member)
      if (problem !== undefined) return { ok: false, problem }
      return write({ act: 'role', by, data: { ...member } }, () =>
        isLast(member.id) ? lastOwner : undefined,
      )
    },
    remove: (id, by) =>
      write({ act: 'owner_remove', by, data: { id } }, () => {
        if (ownerOf(id) === undefined && !gate.folded().members.has(id)) {
          return refusal(
            'owner.unknown',
            `Nobody here has the id ${quote(id)}.`,
            'Write the id as it was paired, such as telegram:7.',
          )
        }
        return isLast(id) ? lastOwner : undefined
      }),
  }
}
