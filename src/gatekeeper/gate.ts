import path from 'node:path'
import { ProblemError } from '../model/problem.ts'
import { approvalOf, hookOf, inOrder, type ArmedApproval } from './arming.ts'
import { canonicalEntry } from './canonical.ts'
import { fold, nothingYet, type Folded, type Owner, type StandingOwner } from './fold.ts'
import { lockdownProblem, type GatekeeperOptions, type GateState, type View } from './gate-state.ts'
import { prepareHome } from './home.ts'
import type { Act } from './ledger-lines.ts'
import { beginLedger, keepDamaged, openLedger, type Ledger } from './ledger.ts'
import { sweepSeals } from './seal.ts'

/** The ledger, the state that it folds to, and lockdown. Every change of the gate goes through `append`. */
export interface Gate {
  readonly workspace: string
  readonly seals: string
  view(): View
  folded(): Folded
  /** Writes all acts at once, then tells the listeners. Throws a ProblemError, and nothing has changed, when it cannot. */
  append(acts: readonly Act[]): void
  /** What the environment forced ends with an owner's word. */
  appendSwitch(isOn: boolean, by: string): void
  setProposalOrder(keys: readonly string[]): void
  lockDown(why: string): void
  /** Begins a new ledger with the known owners. Returns the name under which the old one is kept. */
  recover(by: string): string | undefined
  onChange(listener: (state: GateState) => void): () => void
}

/** In an owner's place: those who were there before the ledger. */
export const adoption = 'adoption'

/** The acts that finish what a power cut left half done: one entry has one live approval, the latest. */
const leftovers = (folded: Folded): readonly Act[] => {
  const latest = new Map([...folded.approvals.values()].map((approval) => [canonicalEntry(approval.entry), approval]))
  return [...folded.approvals.values()].flatMap((approval): readonly Act[] => {
    const winner = latest.get(canonicalEntry(approval.entry))
    return winner === undefined || winner === approval
      ? []
      : [{ act: 'revoke', by: winner.by, data: { fingerprint: approval.fingerprint } }]
  })
}

/** The acts as a later start will read them. What that start could not fold must never reach the disk. */
const readable = (acts: readonly Act[], from: Folded): readonly Act[] => {
  const written = JSON.parse(JSON.stringify(acts)) as readonly Act[]
  const { problem } = fold(written.map((act, index) => ({ ...act, n: from.revision + index + 1, at: '' })), from)
  if (problem === undefined) return written
  throw new ProblemError({
    code: 'ledger.act',
    message: `Expected an act that the ledger can keep, got one that it cannot: ${problem}.`,
    fix: 'Nothing was changed. This is a fault of hookgate; please report it.',
  })
}

const ownersById = (owners: readonly Owner[], at: string): ReadonlyMap<string, StandingOwner> => new Map(owners.map((owner) => [owner.id, { ...owner, by: adoption, at }]))

export const openGate = (options: GatekeeperOptions): Gate => {
  const { now, log, adopt } = options
  const home = path.resolve(options.home)
  const place = { workspace: path.resolve(options.workspace), seals: prepareHome(home).seals }
  const listeners = new Set<(state: GateState) => void>()
  let folded: Folded = nothingYet
  let ledger: Ledger | undefined
  let lockdown: string | undefined
  let isForcedOn = options.isForcedOn
  let proposals: readonly string[] = []
  let armory: ReadonlyMap<string, ArmedApproval> = new Map()

  const arm = (): void => {
    const before = armory
    armory = new Map(
      [...folded.approvals].map(([fingerprint, standing]) => {
        const known = before.get(fingerprint)
        if (known?.standing === standing) return [fingerprint, known]
        const approval = approvalOf(standing, place)
        const onTampered = (what: string): void => lockDown(`${what} (hook ${fingerprint.slice(0, 12)})`)
        return [fingerprint, { standing, approval, hook: hookOf(approval, place, { onTampered, log }) }]
      }),
    )
  }
  const look = (): View => {
    const isOn = folded.isOn || isForcedOn
    const armed = [...armory.values()]
    const approved = Object.freeze(lockdown === undefined ? inOrder(armed.map(({ hook }) => hook), proposals) : [])
    const state: GateState = Object.freeze({
      isOn,
      isForcedOn,
      revision: folded.revision,
      ...(lockdown === undefined ? {} : { lockdown }),
      owners: Object.freeze([...folded.owners.values()]),
      approvals: new Map(armed.map(({ approval }) => [approval.fingerprint, approval])),
    })
    return { state, approved, armed: isOn ? approved : Object.freeze([]) }
  }
  let view = look()
  const changed = (): void => {
    arm()
    view = look()
    for (const listener of listeners) {
      try {
        listener(view.state)
      } catch (error) {
        log('error', 'a listener to the gate failed', { error: String(error) })
      }
    }
  }
  const lockDown = (why: string): void => {
    if (lockdown !== undefined) return
    lockdown = why
    log('error', 'lockdown', { why })
    changed()
    options.onLockdown(why)
  }
  const ports = { now, onDamage: (why: string): void => lockDown(`the ledger is damaged: ${why}`) }
  const begin = (act: Act): void => {
    const begun = beginLedger(home, readable([act], nothingYet), ports)
    ledger = begun.ledger
    folded = fold(begun.entries).state
  }
  const write = (acts: readonly Act[]): void => {
    if (lockdown !== undefined || ledger === undefined) {
      throw new ProblemError(lockdownProblem(lockdown ?? 'there is no ledger'))
    }
    folded = fold(ledger.append(readable(acts, folded)), folded).state
  }
  const open = (): void => {
    const opened = openLedger(home, ports)
    if (opened.kind === 'empty') {
      begin({ act: 'genesis', by: adoption, data: { owners: adopt.owners, isOn: adopt.isOn } })
      return changed()
    }
    const { state, problem } = fold(opened.entries)
    // An owner must be able to command a gate whose ledger says nothing any more.
    folded = state.revision === 0 ? { ...state, owners: ownersById(adopt.owners, new Date(now()).toISOString()) } : state
    if (opened.kind === 'damaged') return lockDown(opened.why)
    if (problem !== undefined) return lockDown(`the ledger is damaged: ${problem}`)
    ledger = opened.ledger
    const rest = leftovers(folded)
    if (rest.length > 0) write(rest)
    changed()
    for (const hook of view.approved) {
      const fault = hook.checkSeal()
      if (fault !== undefined) log('warn', 'an approved hook cannot run', { hook: hook.fingerprint.slice(0, 12), fault })
    }
    if (lockdown === undefined) sweepSeals(place.seals, new Set(folded.approvals.keys()), log)
  }
  open()

  return {
    ...place,
    view: () => view,
    folded: () => folded,
    append: (acts) => {
      write(acts)
      changed()
    },
    appendSwitch: (isOn, by) => {
      write([{ act: isOn ? 'on' : 'off', by, data: {} }])
      isForcedOn = false
      changed()
    },
    setProposalOrder: (keys) => {
      if (keys.length === proposals.length && keys.every((key, index) => key === proposals[index])) return
      proposals = keys
      changed()
    },
    lockDown,
    recover: (by) => {
      const kept = keepDamaged(home, now())
      const owners = [...folded.owners.values()]
      begin({ act: 'recover', by, data: { owners, why: lockdown ?? '', kept: kept ?? '' } })
      lockdown = undefined
      isForcedOn = false
      changed()
      return kept
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
