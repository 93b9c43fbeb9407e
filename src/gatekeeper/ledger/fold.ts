import { z } from 'zod'
import { FOREIGN_DIALECTS, SHELLS } from '../../model/hooks/dialect.ts'
import { HANDLER_TYPES, type Entry, type HandlerType } from '../../model/hooks/entry.ts'
import { EVENT_NAMES } from '../../model/events/event.ts'
import { deepFreeze } from '../../model/base/json.ts'
import type { ApprovedHook } from '../approved.ts'
import type { LedgerEntry } from './lines.ts'

const ownerShape = { id: z.string(), chat_id: z.string().exactOptional(), login: z.string().exactOptional() }
const Owner = z.object(ownerShape).readonly()
/**
 * A person who may command the gate. `id` is `telegram:7`; `chat_id` is where notices for them go; `login` is the only
 * one under which `id` means them, where the messenger's ids change with each login.
 */
export type Owner = z.infer<typeof Owner>

/** An owner as the ledger has them: who made them one, and when (ISO 8601). */
export type StandingOwner = Owner & { readonly by: string; readonly at: string }

/** A recovery keeps who made them an owner, and when. A ledger of an older version did not say. */
const Recovered = z.object({ ...ownerShape, by: z.string().exactOptional(), at: z.string().exactOptional() })

/** Strict: an option that this version does not know could make an old approval mean something else. */
const Options = z.strictObject({
  event: z.enum(EVENT_NAMES),
  type: z.enum(HANDLER_TYPES),
  command: z.string(),
  args: z.array(z.string()),
  shell: z.enum(SHELLS).exactOptional(),
  dialect: z.strictObject({ name: z.enum(FOREIGN_DIALECTS), event: z.string() }).exactOptional(),
  matcher: z
    .strictObject({
      tool: z.string().exactOptional(),
      pattern: z.string().exactOptional(),
      field: z.string().exactOptional(),
    })
    .exactOptional(),
  condition: z.string().exactOptional(),
  timeoutMs: z.number(),
  onError: z.enum(['warn', 'block', 'ignore']),
  priority: z.number(),
  isAsync: z.boolean(),
  isWarm: z.literal(true).exactOptional(),
  cwd: z.string().exactOptional(),
  env: z.record(z.string(), z.string()),
  files: z.array(z.string()),
  root: z.string().exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  signWith: z.string().exactOptional(),
  model: z.string().exactOptional(),
  origin: z.string(),
  description: z.string().exactOptional(),
  name: z.string().exactOptional(),
} satisfies Readonly<Record<keyof Entry, unknown>>)

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

const isProgram = (type: HandlerType): boolean => type === 'command' || type === 'process'

const Part = z.union([z.string(), z.object({ sealed: z.string() })])

const Approved = z
  .strictObject({
    fingerprint: Hash,
    entry: Options,
    words: z.array(z.union([Part, z.object({ text: z.array(Part).readonly() })])),
    interpreter: z.string().exactOptional(),
    unsealed: z.array(z.string()),
    hookDir: z.string(),
    files: z.array(
      z.object({ path: z.string(), sha256: Hash, bytes: z.number(), isExecutable: z.boolean() }),
    ),
    watched: z.array(z.strictObject({ path: z.string(), sha256: Hash, bytes: z.number() })).exactOptional(),
    absent: z.array(z.string()).exactOptional(),
    /** The owner wants a failure of it to block, whatever the entry says; outside the fingerprint. */
    failsClosed: z.literal(true).exactOptional(),
    /** The owner wants not even a failure that the agent can bring about to block; outside the fingerprint. */
    failsOpen: z.literal(true).exactOptional(),
  })
  // Whatever is no program has nothing to execute, and a program has.
  .refine(({ entry, words }) => words.length > 0 === isProgram(entry.type))

/** What the ledger says, all in all. */
export interface Folded {
  readonly revision: number
  readonly isOn: boolean
  /** By id, in the order in which they came. */
  readonly owners: ReadonlyMap<string, StandingOwner>
  /** By fingerprint, in the order of approval. */
  readonly approvals: ReadonlyMap<string, ApprovedHook>
  /** Off for a while: since when by the wall clock, and for how long, in milliseconds. */
  readonly pause?: Pause
  /** Anchors of a ledger that an owner gave up, as `anchorKey` writes them. */
  readonly overruled: ReadonlySet<string>
}

export interface Pause {
  /** The line that began it. */
  readonly n: number
  readonly by: string
  readonly sinceMs: number
  readonly forMs: number
}

export const nothingYet: Folded = {
  revision: 0,
  isOn: false,
  owners: new Map(),
  approvals: new Map(),
  overruled: new Set(),
}

export const maxPauseMs = 24 * 60 * 60 * 1000

const Overruled = z.array(z.string()).default([])

const Act = z.discriminatedUnion('act', [
  z.object({ act: z.literal('genesis'), data: z.object({ owners: z.array(Owner), isOn: z.boolean() }) }),
  z.object({
    act: z.literal('recover'),
    data: z.object({ owners: z.array(Recovered), overrules: Overruled }),
  }),
  // After a lockdown an owner took the ledger up to here for good: what stands now stands, less what was revoked behind it.
  z.object({
    act: z.literal('resume'),
    data: z.object({ owners: z.array(Recovered), revoked: z.array(Hash), overrules: Overruled }),
  }),
  z.object({ act: z.literal('on'), data: z.object({}) }),
  z.object({
    act: z.literal('off'),
    data: z.strictObject({ for_ms: z.number().int().min(1).max(maxPauseMs).exactOptional() }),
  }),
  z.object({ act: z.literal('approve'), data: Approved }),
  z.object({ act: z.literal('revoke'), data: z.object({ fingerprint: Hash }) }),
  z.object({ act: z.literal('owner_add'), data: Owner }),
  z.object({ act: z.literal('owner_remove'), data: z.object({ id: z.string() }) }),
])

/**
 * The state after `entries`, from the state before them. Pure. An entry that makes no sense ends the fold: the state
 * before it comes back with words.
 */
export const fold = (
  entries: readonly LedgerEntry[],
  from: Folded = nothingYet,
): { readonly state: Folded; readonly problem?: string } => {
  let { isOn, revision, pause } = from
  const owners = new Map(from.owners)
  const approvals = new Map(from.approvals)
  const overruled = new Set(from.overruled)
  const stateNow = (): Folded => ({
    revision,
    isOn,
    owners,
    approvals,
    overruled,
    ...(pause === undefined ? {} : { pause }),
  })
  const apply = (entry: LedgerEntry): string | undefined => {
    const parsed = Act.safeParse(entry)
    if (!parsed.success) return `line ${entry.n} is no act that this hookgate knows`
    const { act, data } = parsed.data
    const isFirst = act === 'genesis' || act === 'recover'
    if (isFirst !== (revision === 0)) return `line ${entry.n} (${act}) stands in the wrong place`
    switch (act) {
      case 'genesis':
      case 'recover':
        for (const owner of data.owners) owners.set(owner.id, { by: entry.by, at: entry.at, ...owner })
        if (act === 'recover') for (const anchor of data.overrules) overruled.add(anchor)
        isOn = act === 'genesis' && data.isOn
        break
      case 'resume':
        owners.clear()
        for (const owner of data.owners) owners.set(owner.id, { by: entry.by, at: entry.at, ...owner })
        for (const anchor of data.overrules) overruled.add(anchor)
        for (const fingerprint of data.revoked) approvals.delete(fingerprint)
        break
      case 'on':
        isOn = true
        pause = undefined
        break
      case 'off':
        isOn = false
        pause =
          data.for_ms === undefined
            ? undefined
            : { n: entry.n, by: entry.by, sinceMs: Date.parse(entry.at), forMs: data.for_ms }
        break
      case 'approve':
        // Approved again is approved last.
        approvals.delete(data.fingerprint)
        approvals.set(data.fingerprint, deepFreeze({ ...data, by: entry.by, at: entry.at }))
        break
      case 'revoke':
        if (!approvals.delete(data.fingerprint)) return `line ${entry.n} revokes what was not approved`
        break
      case 'owner_add':
        owners.set(data.id, { ...data, by: entry.by, at: entry.at })
        break
      case 'owner_remove':
        if (!owners.delete(data.id)) return `line ${entry.n} removes who was no owner`
    }
    return undefined
  }
  for (const entry of entries) {
    const problem = apply(entry)
    if (problem !== undefined) return { state: stateNow(), problem }
    revision++
  }
  return { state: stateNow() }
}
