import { type Acted, type Refusal, asProblem } from '../../model/gate/problem.ts'
import type { Grant, NewGrant } from '../../model/gate/grant.ts'
import { refusal, type GatekeeperOptions } from '../gate-state.ts'
import { unchanged, type GateLedger } from '../gate.ts'
import type { Act } from '../ledger/lines.ts'
import { randomText } from '../owners/random-text.ts'
import { canonicalJson } from '../../model/approval/canonical.ts'
import { patternProblem } from './pattern-problem.ts'

/** A gate has at most so many grants. */
export const maxGrants = 500
export const maxGrantMs = 365 * 24 * 60 * 60_000
export const maxGrantUses = 1000
/** The longest arguments of a grant, in UTF-16 units. A card shows all of them. */
const maxArgumentUnits = 4000
/** People read it in the history, and type it. */
const idLength = 5

export type Granted = Acted<{ readonly grant: Grant }>

/** The grants of the ledger. */
export interface Granting {
  /**
   * Gives a grant. `example`: the argument of the asked call that a pattern has to match. `isSpent` is true
   * for grants that have no uses left; they and those whose time is over make room.
   */
  grant(what: NewGrant, by: string, example: string, isSpent: (id: string) => boolean): Promise<Granted>
  /** Resolves with the ended grant, or undefined when there was none. Rejects when it cannot be written. */
  ungrant(id: string, by: string): Promise<Grant | undefined>
}

const kindOf = ({ agent, tool, cwd, shape }: NewGrant): string => canonicalJson([agent, tool, cwd, shape])

const unitsOf = ({ shape }: NewGrant): number =>
  shape.kind === 'exact' ? shape.input.length : shape.others.length + shape.pattern.length

export const createGranting = (
  gate: Pick<GateLedger, 'folded' | 'change'>,
  isOwner: (id: string) => boolean,
  now: GatekeeperOptions['now'],
): Granting => {
  const endProblem = ({ untilMs, uses }: NewGrant): Refusal | undefined => {
    if (untilMs === undefined && uses === undefined)
      return refusal('grant.end', 'A grant needs an end.', 'Name a time, such as 1h, or a number of uses.')
    if (untilMs !== undefined && (untilMs <= now() || untilMs > now() + maxGrantMs))
      return refusal(
        'grant.end',
        'A grant ends within the next 365 days.',
        'Name a time such as 1h, today or 30d.',
      )
    return uses !== undefined && (!Number.isInteger(uses) || uses < 1 || uses > maxGrantUses)
      ? refusal(
          'grant.end',
          `A grant has 1 to ${maxGrantUses} uses, and not ${uses}.`,
          'Name a smaller number, or a time such as 30d.',
        )
      : undefined
  }
  const ending = (id: string, by: string): Act => ({ act: 'ungrant', by, data: { id } })
  const unusedId = (): string => {
    const id = randomText(idLength)
    return gate.folded().grants.has(id) ? unusedId() : id
  }

  return {
    grant: async (what, by, example, isSpent) => {
      if (!isOwner(by)) return refusal('grant.owner', 'You are no owner.', 'Only an owner gives a grant.')
      const wrong =
        endProblem(what) ??
        (unitsOf(what) > maxArgumentUnits
          ? refusal(
              'grant.size',
              `This call is too long for a grant: ${unitsOf(what)} characters, and at most ${maxArgumentUnits} fit.`,
              'Answer such a call each time.',
            )
          : undefined)
      if (wrong !== undefined) return wrong
      const problem = what.shape.kind === 'pattern' ? patternProblem(what.shape, example) : undefined
      if (problem !== undefined) return { ok: false, problem }
      try {
        return await gate.change<Granted>(() => {
          const all = [...gate.folded().grants.values()]
          const over = all.filter(
            (one) => (one.untilMs ?? Infinity) <= now() || isSpent(one.id) || kindOf(one) === kindOf(what),
          )
          if (all.length - over.length >= maxGrants)
            return unchanged(
              refusal('grant.many', `There are ${maxGrants} grants already.`, 'End some first: /grants.'),
            )
          const id = unusedId()
          return {
            acts: [...over.map((one) => ending(one.id, by)), { act: 'grant', by, data: { id, ...what } }],
            answer: () => {
              const grant = gate.folded().grants.get(id)
              if (grant === undefined) throw new Error('The grant that was written is not in the ledger.')
              return { ok: true, grant }
            },
          }
        })
      } catch (error) {
        return { ok: false, problem: asProblem(error) }
      }
    },
    ungrant: (id, by) =>
      gate.change(() => {
        const grant = gate.folded().grants.get(id)
        return { acts: grant === undefined ? [] : [ending(id, by)], answer: () => grant }
      }),
  }
}
