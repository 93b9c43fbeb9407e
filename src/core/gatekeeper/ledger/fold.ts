import { ApprovalShape, Hash } from '../../model/approval/shapes.ts'
import { z } from 'zod'
import { deepFreeze } from '../../model/base/json.ts'
import type { Grant } from '../../model/gate/grant.ts'
import type { ApprovedHook } from '../../model/approval/approved.ts'
import type { StandingPasskey } from '../../model/gate/passkey.ts'
import { nodeKey, nodeName, type StandingNode } from '../../model/nodes/node.ts'
import type { LedgerEntry } from './lines.ts'

const ownerShape = {
  id: z.string(),
  chat_id: z.string().exactOptional(),
  login: z.string().exactOptional(),
  name: z.string().exactOptional(),
}
const Owner = z.object(ownerShape).readonly()
/**
 * A person who may command the gate. `id` is like `telegram:7`. `chat_id` is the chat for their notices.
 * `login` is present where a messenger's ids change with each login: `id` is valid only under that login.
 * `name` is what the messenger called them when they paired.
 */
export type Owner = z.infer<typeof Owner>

/** An owner in the ledger: `by` made them an owner at the time `at` (ISO 8601). */
export type StandingOwner = Owner & { readonly by: string; readonly at: string }

const Member = z.strictObject({
  ...ownerShape,
  role: z.enum(['approver', 'viewer']),
  agents: z.array(z.string()).readonly().exactOptional(),
  tools: z.array(z.string()).readonly().exactOptional(),
})
/** A person with a role below that of an owner. */
export type Member = z.infer<typeof Member>
export type StandingMember = Member & { readonly by: string; readonly at: string }

/** A recovery keeps `by` and `at` of each owner. Older ledgers do not have them. */
const Recovered = z.object({ ...ownerShape, by: z.string().exactOptional(), at: z.string().exactOptional() })

/** Strict, because an option that this version does not know could widen an old grant. */
const Granted = z.strictObject({
  id: z.string(),
  agent: z.string(),
  tool: z.string(),
  cwd: z.string(),
  shape: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('exact'), input: z.string() }),
    z.strictObject({
      kind: z.literal('pattern'),
      field: z.string(),
      pattern: z.string(),
      others: z.string(),
      loose: z.array(z.string()),
    }),
  ]),
  untilMs: z.number().int().exactOptional(),
  uses: z.number().int().min(1).exactOptional(),
})

/** The lengths are far above those of real devices. */
const PasskeyAdded = z.strictObject({
  id: z.string().regex(/^[\w-]{1,1400}$/),
  owner: z.string().max(240),
  rpId: z.string().max(253),
  publicKey: z.string().regex(/^[\w-]{1,6000}$/),
  transports: z.array(z.string().max(40)).max(10).readonly().exactOptional(),
})

const NodeAdded = z.strictObject({
  name: z.string().regex(nodeName),
  publicKey: z.string().regex(nodeKey),
})

/** The state that all lines of the ledger give. */
export interface Folded {
  readonly revision: number
  readonly isOn: boolean
  /** By id, in the order in which they became owners. */
  readonly owners: ReadonlyMap<string, StandingOwner>
  /** By id: the people with a role below that of an owner. Nobody is in both maps. */
  readonly members: ReadonlyMap<string, StandingMember>
  /** By fingerprint, in the order of approval. */
  readonly approvals: ReadonlyMap<string, ApprovedHook>
  /** By id, in the order in which they were added. Each belongs to an owner. */
  readonly passkeys: ReadonlyMap<string, StandingPasskey>
  /** By id, in the order in which they were given. Their ends by time and by use are checked elsewhere. */
  readonly grants: ReadonlyMap<string, Grant>
  /** By name, in the order in which they were let in. No two have one key. */
  readonly nodes: ReadonlyMap<string, StandingNode>
  /** A temporary off. Absent when there is none. */
  readonly pause?: Pause
  /** The anchors of a ledger that an owner gave up, as `anchorKey` writes them. */
  readonly overruled: ReadonlySet<string>
}

export interface Pause {
  /** The number of the line that began it. */
  readonly n: number
  readonly by: string
  readonly sinceMs: number
  readonly forMs: number
}

export const nothingYet: Folded = {
  revision: 0,
  isOn: false,
  owners: new Map(),
  members: new Map(),
  approvals: new Map(),
  passkeys: new Map(),
  grants: new Map(),
  nodes: new Map(),
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
  /*
   * An owner resumed from this line after a lockdown. The state stays, without the approvals that later lines
   * revoked.
   */
  z.object({
    act: z.literal('resume'),
    data: z.object({ owners: z.array(Recovered), revoked: z.array(Hash), overrules: Overruled }),
  }),
  z.object({ act: z.literal('on'), data: z.object({}) }),
  z.object({
    act: z.literal('off'),
    data: z.strictObject({ for_ms: z.number().int().min(1).max(maxPauseMs).exactOptional() }),
  }),
  z.object({ act: z.literal('approve'), data: ApprovalShape }),
  /** A shadow decides from now on. */
  z.object({
    act: z.literal('promote'),
    data: z.strictObject({
      fingerprint: Hash,
      failsClosed: z.literal(true).exactOptional(),
      failsOpen: z.literal(true).exactOptional(),
    }),
  }),
  z.object({ act: z.literal('revoke'), data: z.object({ fingerprint: Hash }) }),
  z.object({ act: z.literal('owner_add'), data: Owner }),
  z.object({ act: z.literal('owner_remove'), data: z.object({ id: z.string() }) }),
  z.object({ act: z.literal('passkey_add'), data: PasskeyAdded }),
  z.object({ act: z.literal('passkey_remove'), data: z.object({ id: z.string() }) }),
  /** Somebody gets a role below that of an owner. An owner of the same id is an owner no longer. */
  z.object({ act: z.literal('role'), data: Member }),
  z.object({ act: z.literal('grant'), data: Granted }),
  z.object({ act: z.literal('ungrant'), data: z.strictObject({ id: z.string() }) }),
  z.object({ act: z.literal('node_add'), data: NodeAdded }),
  z.object({ act: z.literal('node_remove'), data: z.strictObject({ name: z.string() }) }),
])

/**
 * The state after `entries`, starting from `from`. Pure. It stops at the first invalid entry and returns the
 * state before that entry, with a problem text.
 */
export const fold = (
  entries: readonly LedgerEntry[],
  from: Folded = nothingYet,
): { readonly state: Folded; readonly problem?: string } => {
  let { isOn, revision, pause } = from
  const owners = new Map(from.owners)
  const members = new Map(from.members)
  const grants = new Map(from.grants)
  const approvals = new Map(from.approvals)
  const passkeys = new Map(from.passkeys)
  const nodes = new Map(from.nodes)
  const overruled = new Set(from.overruled)
  const stateNow = (): Folded => ({
    revision,
    isOn,
    owners,
    members,
    approvals,
    passkeys,
    grants,
    nodes,
    overruled,
    pause,
  })
  const endGrantsOf = (owner: string): void => {
    for (const [id, { by }] of grants) if (by === owner) grants.delete(id)
  }
  /** A passkey logs in its owner, so it ends when that person is an owner no longer. */
  const endPasskeysOf = (person: string): void => {
    for (const [id, { owner }] of passkeys) if (owner === person) passkeys.delete(id)
  }
  const apply = (entry: LedgerEntry): string | undefined => {
    const parsed = Act.safeParse(entry)
    if (!parsed.success) return `line ${entry.n} is not an act that this version of hookgate knows`
    const { act, data } = parsed.data
    const isFirst = act === 'genesis' || act === 'recover'
    if (isFirst !== (revision === 0)) return `line ${entry.n} (${act}) is in the wrong position`
    switch (act) {
      case 'genesis':
      case 'recover':
        for (const owner of data.owners) owners.set(owner.id, { by: entry.by, at: entry.at, ...owner })
        if (act === 'recover') for (const anchor of data.overrules) overruled.add(anchor)
        isOn = act === 'genesis' && data.isOn
        break
      case 'resume':
        owners.clear()
        // A line that was cut off could have ended a grant or a role. So an owner has to give each of them
        // again.
        members.clear()
        grants.clear()
        for (const owner of data.owners) owners.set(owner.id, { by: entry.by, at: entry.at, ...owner })
        for (const anchor of data.overrules) overruled.add(anchor)
        for (const fingerprint of data.revoked) approvals.delete(fingerprint)
        // A later line may have removed a passkey. Their owners make new ones.
        passkeys.clear()
        // A later line may have removed a node. An owner lets it in again.
        nodes.clear()
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
        // A repeated approval moves to the end of the order.
        approvals.delete(data.fingerprint)
        approvals.set(data.fingerprint, deepFreeze({ ...data, by: entry.by, at: entry.at }))
        break
      case 'promote': {
        const shadow = approvals.get(data.fingerprint)
        if (shadow?.isShadow !== true) return `line ${entry.n} promotes a hook that was not a shadow`
        const { isShadow: _, ...approval } = shadow
        approvals.set(data.fingerprint, deepFreeze({ ...approval, ...data, by: entry.by, at: entry.at }))
        break
      }
      case 'revoke':
        if (!approvals.delete(data.fingerprint)) return `line ${entry.n} revokes a hook that was not approved`
        break
      case 'owner_add':
        members.delete(data.id)
        owners.set(data.id, { ...data, by: entry.by, at: entry.at })
        break
      case 'owner_remove':
        if (!owners.delete(data.id) && !members.delete(data.id))
          return `line ${entry.n} removes a person who had no role`
        endGrantsOf(data.id)
        endPasskeysOf(data.id)
        break
      case 'role':
        owners.delete(data.id)
        members.set(data.id, deepFreeze({ ...data, by: entry.by, at: entry.at }))
        endGrantsOf(data.id)
        endPasskeysOf(data.id)
        break
      case 'grant':
        if (!owners.has(entry.by)) return `line ${entry.n} is a grant by a person who was not an owner`
        grants.set(data.id, deepFreeze({ ...data, by: entry.by, at: entry.at }))
        break
      case 'ungrant':
        if (!grants.delete(data.id)) return `line ${entry.n} ends a grant that did not exist`
        break
      case 'passkey_add':
        if (!owners.has(data.owner)) return `line ${entry.n} adds a passkey of a person who was not an owner`
        passkeys.set(data.id, { ...data, at: entry.at })
        break
      case 'passkey_remove':
        if (!passkeys.delete(data.id)) return `line ${entry.n} removes a passkey that was not there`
        break
      case 'node_add':
        if (
          [...nodes.values()].some(
            ({ name, publicKey }) => name === data.name || publicKey === data.publicKey,
          )
        )
          return `line ${entry.n} lets in a node that was in already`
        nodes.set(data.name, deepFreeze({ ...data, by: entry.by, at: entry.at }))
        break
      case 'node_remove':
        if (!nodes.delete(data.name)) return `line ${entry.n} removes a node that was not there`
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
