import { isObject, parseJson, type JsonObject } from '../core/model/base/json.ts'
import { createBoundedMap } from '../core/model/base/bounded-map.ts'
import type { Grant, GrantShape, PatternShape } from '../core/model/gate/grant.ts'
import type { Verdict } from '../core/model/hooks/verdict.ts'
import type { SettledCall } from './call.ts'

export interface GrantPorts {
  /** The grants of the ledger, at this moment. */
  grants(): readonly Grant[]
  isOwner(id: string): boolean
  /** Equal values are equal texts. */
  canonical(value: unknown): string
  /** The test whether a pattern covers an argument. It takes linear time. */
  coverOf(shape: PatternShape): ((text: string) => boolean) | { readonly wrong: string }
  /** True when the bytes of an approved hook are the gate's own copy. */
  isSealed(fingerprint: string): boolean
  /** The counts of uses that `rememberUses` stored last. */
  recallUses(): Promise<string | undefined>
  /** Resolves when the counts are on disk. */
  rememberUses(counts: string): Promise<void>
  /** The wall clock, in epoch milliseconds. */
  now(): number
}

/** The longest argument that a pattern is tried on, in UTF-16 units. */
const maxArgumentUnits = 4000
/** No grant covers arguments that are longer together, in UTF-16 units. */
const maxCallUnits = 20_000
/** A clock that stands before the time of a grant was set back, so the grant's end cannot be known. */
const clockSlackMs = 60_000
const maxPatterns = 1000

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

/** A call of an agent in its folder. The arguments are those after all rewrites. */
export interface GrantableCall extends Pick<SettledCall, 'tool_name' | 'tool_input' | 'units'> {
  readonly agent_id: string
  readonly cwd: string
}

/**
 * The grants that answer questions. A grant with a number of uses counts each use on disk before it answers,
 * and not in the ledger, which would grow with each call. A count that is missing, because the store was
 * lost, counts as all uses.
 */
export const createGrants = (ports: GrantPorts) => {
  const patterns = createBoundedMap<string, (text: string) => boolean>(maxPatterns)
  let counts: Map<string, number> | undefined

  const load = async (): Promise<Map<string, number>> => {
    const stored = counts === undefined ? parseJson((await ports.recallUses()) ?? '{}') : undefined
    counts ??= new Map(
      Object.entries(isObject(stored) ? stored : {}).flatMap(([id, count]) =>
        typeof count === 'number' ? [[id, count] as const] : [],
      ),
    )
    return counts
  }
  const save = async (): Promise<boolean> => {
    try {
      await ports.rememberUses(JSON.stringify(Object.fromEntries(counts ?? [])))
      return true
    } catch {
      return false
    }
  }

  const matches = (shape: PatternShape, text: string): boolean => {
    const key = JSON.stringify([shape.field, shape.pattern])
    const known = patterns.get(key)
    if (known !== undefined) return known(text)
    const compiled = ports.coverOf(shape)
    const test = typeof compiled === 'function' ? compiled : () => false
    patterns.set(key, test)
    return test(text)
  }

  const hasShape = (shape: GrantShape, input: JsonObject): boolean => {
    if (shape.kind === 'exact') return ports.canonical(input) === shape.input
    const { field, loose } = shape
    const text = Object.hasOwn(input, field) ? input[field] : undefined
    if (typeof text !== 'string' || text.length > maxArgumentUnits) return false
    const rest = Object.entries(input).filter(([name]) => name !== field)
    const others = rest.filter(([name, value]) => !loose.includes(name) || !isPlain(value))
    return ports.canonical(Object.fromEntries(others)) === shape.others && matches(shape, text)
  }

  const covers = (grant: Grant, call: GrantableCall): boolean =>
    grant.agent === call.agent_id &&
    grant.tool === call.tool_name &&
    grant.cwd === call.cwd &&
    hasShape(grant.shape, call.tool_input)

  const hasTime = ({ at, untilMs = Infinity }: Grant): boolean =>
    ports.now() < untilMs && ports.now() >= Date.parse(at) - clockSlackMs

  const usesLeft = ({ id, uses }: Grant): number =>
    uses === undefined ? Infinity : Math.max(0, uses - (counts?.get(id) ?? uses))

  return {
    /** True when the hooks' question about this call is one that a grant can answer. */
    canAnswer: (call: GrantableCall, ...verdicts: readonly Verdict[]): boolean =>
      call.tool_name !== '' &&
      call.units <= maxCallUnits &&
      verdicts.every(
        ({ payload, hooks }) =>
          isObject(payload['tool_input']) &&
          hooks.every(({ answer, fingerprint }) => answer?.kind !== 'ask' || ports.isSealed(fingerprint)),
      ),

    /**
     * The grant that covers this call, with one use taken from it. `taken`: a grant of which this very call
     * has a use already. Undefined: no grant covers it.
     */
    take: async (call: GrantableCall, taken: string | undefined): Promise<Grant | undefined> => {
      if (ports.grants().length === 0) return undefined
      const known = await load()
      const grant = ports
        .grants()
        .find(
          (one) =>
            covers(one, call) &&
            ports.isOwner(one.by) &&
            hasTime(one) &&
            (one.id === taken || usesLeft(one) > 0),
        )
      if (grant === undefined || grant.uses === undefined || grant.id === taken) return grant
      known.set(grant.id, (known.get(grant.id) ?? 0) + 1)
      // A use that could not be counted was none.
      return (await save()) ? grant : undefined
    },

    /** True while the grant is in the ledger, by an owner, and its time is not over. */
    isStanding: ({ id }: Grant): boolean =>
      ports.grants().some((one) => one.id === id && ports.isOwner(one.by) && hasTime(one)),

    /** Begins to count the uses of a new grant, and forgets the counts of those that are over. */
    begin: async (id: string): Promise<void> => {
      const known = await load()
      known.set(id, 0)
      const standing = new Set(ports.grants().map((grant) => grant.id))
      for (const other of known.keys()) if (!standing.has(other)) known.delete(other)
      await save()
    },

    /**
     * The number of uses that are left. Undefined when there is no limit, or the counts were not read yet.
     */
    usesLeft: (grant: Grant): number | undefined =>
      grant.uses === undefined || counts === undefined ? undefined : usesLeft(grant),
    /** True when no use is left. */
    isSpent: (grant: Grant): boolean => counts !== undefined && usesLeft(grant) === 0,
    /** Reads the counts of the uses. It must have ended before grants are shown. */
    restore: async (): Promise<void> => void (await load()),
  }
}
