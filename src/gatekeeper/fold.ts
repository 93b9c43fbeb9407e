import { z } from 'zod'
import { FOREIGN_DIALECTS } from '../model/dialect.ts'
import { HANDLER_TYPES, SHELLS, type Entry, type HandlerType } from '../model/entry.ts'
import { EVENT_NAMES } from '../model/event.ts'
import type { LedgerEntry } from './ledger-lines.ts'

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
    .strictObject({ tool: z.string().exactOptional(), pattern: z.string().exactOptional(), field: z.string().exactOptional() })
    .exactOptional(),
  timeoutMs: z.number(),
  onError: z.enum(['warn', 'block', 'ignore']),
  priority: z.number(),
  isAsync: z.boolean(),
  isWarm: z.literal(true).exactOptional(),
  cwd: z.string().exactOptional(),
  env: z.record(z.string(), z.string()),
  files: z.array(z.string()),
  headers: z.record(z.string(), z.string()).exactOptional(),
  signWith: z.string().exactOptional(),
  model: z.string().exactOptional(),
  origin: z.string(),
  description: z.string().exactOptional(),
  name: z.string().exactOptional(),
} satisfies Readonly<Record<keyof Entry, unknown>>)

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

const isProgram = (type: HandlerType): boolean => type === 'command' || type === 'process'

const Approved = z.strictObject({
  fingerprint: Hash,
  entry: Options,
  words: z.array(z.union([z.string(), z.object({ sealed: z.string() })])),
  interpreter: z.string().exactOptional(),
  unsealed: z.array(z.string()),
  hookDir: z.string(),
  files: z.array(z.object({ path: z.string(), sha256: Hash, bytes: z.number(), isExecutable: z.boolean() })),
  watched: z.array(z.strictObject({ path: z.string(), sha256: Hash, bytes: z.number() })).exactOptional(),
  absent: z.array(z.string()).exactOptional(),
})
  // Whatever is no program has nothing to execute, and a program has.
  .refine(({ entry, words }) => words.length > 0 === isProgram(entry.type))

/** An approval as the ledger keeps it: no path in it depends on where the gate's folder or the workspace lies. */
export type ApprovedRecord = z.infer<typeof Approved>
export type StandingApproval = ApprovedRecord & { readonly by: string; readonly at: string }

/** What the ledger says, all in all. */
export interface Folded {
  readonly revision: number
  readonly isOn: boolean
  /** By id, in the order in which they came. */
  readonly owners: ReadonlyMap<string, StandingOwner>
  /** By fingerprint, in the order of approval. */
  readonly approvals: ReadonlyMap<string, StandingApproval>
}

export const nothingYet: Folded = { revision: 0, isOn: false, owners: new Map(), approvals: new Map() }

const Act = z.discriminatedUnion('act', [
  z.object({ act: z.literal('genesis'), data: z.object({ owners: z.array(Owner), isOn: z.boolean() }) }),
  z.object({ act: z.literal('recover'), data: z.object({ owners: z.array(Recovered) }) }),
  z.object({ act: z.enum(['on', 'off']), data: z.object({}) }),
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
  let { isOn, revision } = from
  const owners = new Map(from.owners)
  const approvals = new Map(from.approvals)
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
        isOn = act === 'genesis' && data.isOn
        break
      case 'on':
      case 'off':
        isOn = act === 'on'
        break
      case 'approve':
        // Approved again is approved last.
        approvals.delete(data.fingerprint)
        approvals.set(data.fingerprint, { ...data, by: entry.by, at: entry.at })
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
    if (problem !== undefined) return { state: { revision, isOn, owners, approvals }, problem }
    revision++
  }
  return { state: { revision, isOn, owners, approvals } }
}
