import type { Grant, NewGrant, StandingGrant } from '../../model/gate/grant.ts'
import type { Revoked } from '../../model/gate/recovery.ts'
import type { Consent } from '../../model/gate/consent.ts'
import { orRefusal } from '../approving.ts'
import { asProblem } from '../../model/gate/problem.ts'
import type { Consents } from '../owners/consents.ts'
import type { Gatekeeper } from '../gatekeeper.ts'
import type { Granted } from './granting.ts'
import { coversNothing, knownCommands } from './pattern-cover.ts'

export interface GrantActPorts {
  readonly gatekeeper: Pick<Gatekeeper, 'state' | 'isOwner' | 'grant' | 'ungrant'>
  readonly ownerOf: Consents['ownerOf']
  /** The uses of grants. They are counted outside the ledger. */
  readonly uses: {
    begin(id: string): Promise<void>
    usesLeft(grant: Grant): number | undefined
    isSpent(grant: Grant): boolean
  }
  /** Records the act and its outcome in the history. The ledger is written separately. */
  record(subject: string, by: string, outcome: 'done' | 'refused', what: string | undefined): void
  /** The wall clock, in epoch milliseconds. */
  now(): number
}

const grantText = ({ agent, tool, shape }: NewGrant): string =>
  `${tool} of ${agent}, ${shape.kind === 'exact' ? shape.input : `${shape.field} matches ${shape.pattern}`}`

/** Gives, lists and ends grants, for commands. Each call records its outcome. */
export const createGrantActs = ({ gatekeeper, ownerOf, uses, record, now }: GrantActPorts) => ({
  grants: (): readonly StandingGrant[] =>
    [...gatekeeper.state().grants.values()]
      .filter(
        (grant) =>
          gatekeeper.isOwner(grant.by) && now() < (grant.untilMs ?? Infinity) && !uses.isSpent(grant),
      )
      .map((grant) => {
        return {
          ...grant,
          usesLeft: uses.usesLeft(grant),
          coversNothing: coversNothing(grant.shape) || undefined,
        }
      }),
  isKnownCommand: (line: string): boolean => knownCommands(line) !== undefined,
  grant: async (what: NewGrant, consent: Consent, example: string): Promise<Granted> => {
    const { by } = consent
    const all = gatekeeper.state().grants
    const done = await orRefusal(async () =>
      gatekeeper.grant(what, ownerOf(consent), example, (id) => {
        const grant = all.get(id)
        return grant !== undefined && uses.isSpent(grant)
      }),
    )
    if (done.ok && what.uses !== undefined) void uses.begin(done.grant.id)
    record('/y always', by, done.ok ? 'done' : 'refused', done.ok ? grantText(what) : done.problem.code)
    return done
  },
  ungrant: async (id: string, consent: Consent): Promise<Revoked> => {
    const { by } = consent
    try {
      const ended = await gatekeeper.ungrant(id, ownerOf(consent))
      const isEnded = ended !== undefined
      record('/grants revoke', by, isEnded ? 'done' : 'refused', isEnded ? grantText(ended) : id)
      return isEnded ? { isEnded } : { isEnded, why: 'The grant was over.' }
    } catch (error) {
      const { message, fix } = asProblem(error)
      record('/grants revoke', by, 'refused', id)
      return { isEnded: false, why: `${message} ${fix}` }
    }
  },
})
