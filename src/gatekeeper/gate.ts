import path from 'node:path'
import { anchorKey, compareAnchor, shortHead, type Anchor } from './ledger/anchor.ts'
import { inOrder } from './arming.ts'
import { createArmedApprovals, type ArmedApprovals } from './armed-approvals.ts'
import { checkedFolder } from './seal/checked-copy.ts'
import type { Folded } from './ledger/fold.ts'
import { createFoldedLedger, type FoldedLedger } from './ledger/folded-ledger.ts'
import type { GatekeeperOptions, GateState, GoodPart, Recovered, GateView } from './gate-state.ts'
import { prepareHome, realFolder } from './home.ts'
import type { Act } from './ledger/lines.ts'
import { recoverLedger } from './ledger/recover-ledger.ts'
import { sweepSeals } from './seal/seal.ts'

/** The ledger, its folded state, and the lockdown. Every change of the gate goes through `append`. */
export interface Gate {
  readonly home: string
  readonly workspace: string
  readonly seals: string
  view(): GateView
  folded(): Folded
  /**
   * Checks that the ledger can be appended to, for steps that come before `append`. Throws when it cannot.
   */
  verify(): void
  /**
   * Writes all acts at once, then calls the listeners. When it cannot write, it throws a ProblemError and
   * nothing has changed.
   */
  append(acts: readonly Act[]): void
  /** Ends a switch that the environment forced. `forMs` is how long the hooks stay off, in milliseconds. */
  appendSwitch(isOn: boolean, by: string, forMs?: number): void
  setProposalOrder(keys: readonly string[]): void
  lockDown(why: string): void
  /** Compares an anchor with the ledger. An anchor that the ledger does not contain causes a lockdown. */
  checkAnchor(anchor: Anchor, where: string): ReturnType<typeof compareAnchor>
  /** Remembers an anchor that is being sent, so that a new ledger of an owner can overrule it. */
  noteAnchor(anchor: Anchor, where: string): void
  /** Begins a new ledger with the known owners, or resumes from the good line with this head. */
  recover(by: string, head?: string): Recovered
  onChange(listener: (state: GateState) => void): () => void
}

/** The inputs of a view. */
interface GateFacts {
  readonly ledger: FoldedLedger
  readonly armedApprovals: ArmedApprovals
  /** The canonical entries that the files propose now, in their order. */
  readonly proposals: readonly string[]
  readonly isForcedOn: boolean
  readonly lockdown: string | undefined
  readonly good: GoodPart | undefined
}

const viewOf = ({ ledger, armedApprovals, proposals, isForcedOn, lockdown, good }: GateFacts): GateView => {
  const { isOn: wasSwitchedOn, pause, revision, owners, members, approvals, grants } = ledger.folded()
  const isOn = wasSwitchedOn || isForcedOn
  const approved = Object.freeze(lockdown === undefined ? inOrder(armedApprovals.all(), proposals) : [])
  const state: GateState = Object.freeze({
    isOn,
    isForcedOn,
    revision,
    head: ledger.heads().at(-1) ?? '',
    ...(pause === undefined || isOn ? {} : { offUntilMs: pause.sinceMs + pause.forMs }),
    ...(lockdown === undefined ? {} : { lockdown, ...(good === undefined ? {} : { good }) }),
    owners: Object.freeze([...owners.values()]),
    people: Object.freeze([
      ...[...owners.values()].map((owner) => ({ ...owner, role: 'owner' as const })),
      ...members.values(),
    ]),
    approvals,
    grants,
  })
  return { state, approved, armed: isOn ? approved : Object.freeze([]) }
}

export const openGate = (options: GatekeeperOptions): Gate => {
  const { now, log, adopt } = options
  const { home, seals } = prepareHome(path.resolve(options.home))
  const location = { workspace: realFolder(options.workspace), seals }
  const listeners = new Set<(state: GateState) => void>()
  let lockdown: string | undefined
  let good: GoodPart | undefined
  /** By chat, the anchor that is known to be pinned there, or that is being sent there. */
  const anchors = new Map<string, Anchor>()
  let isForcedOn = options.isForcedOn
  let proposals: readonly string[] = []

  const enterLockdown = (why: string, offer: GoodPart | undefined): void => {
    if (lockdown !== undefined) return
    lockdown = why
    good = offer
    log('error', 'lockdown', { why })
    changed()
    options.onLockdown(why)
  }
  const lockDown = (why: string): void => enterLockdown(why, ledger.good())
  const ledger = createFoldedLedger(home, { adopt, now, lockdown: () => lockdown, onDamage: enterLockdown })
  const armedApprovals = createArmedApprovals(location, { lockDown, log })

  const look = (): GateView => viewOf({ ledger, armedApprovals, proposals, isForcedOn, lockdown, good })
  let view = look()
  const changed = (): void => {
    armedApprovals.update(ledger.folded())
    view = look()
    for (const listener of listeners) {
      try {
        listener(view.state)
      } catch (error) {
        log('error', 'a listener to the gate failed', { error: String(error) })
      }
    }
  }

  const checkSeals = (): void => {
    for (const hook of view.approved) {
      const fault = hook.checkSeal()
      if (fault !== undefined)
        log('warn', 'an approved hook cannot run', { hook: hook.fingerprint.slice(0, 12), fault })
    }
    if (lockdown !== undefined) return
    const live = [...ledger.folded().approvals.keys()].flatMap((fingerprint) => [
      fingerprint,
      path.basename(checkedFolder(seals, fingerprint)),
    ])
    sweepSeals(seals, new Set(live), log)
  }
  const opened = ledger.open()
  if (opened.kind === 'damaged') lockDown(opened.why)
  else changed()
  if (opened.kind === 'good') checkSeals()

  return {
    home,
    ...location,
    view: () => view,
    folded: ledger.folded,
    verify: ledger.verify,
    append: (acts) => {
      ledger.append(acts)
      changed()
    },
    appendSwitch: (isOn, by, forMs) => {
      ledger.append([{ act: isOn ? 'on' : 'off', by, data: forMs === undefined ? {} : { for_ms: forMs } }])
      isForcedOn = false
      changed()
    },
    setProposalOrder: (keys) => {
      if (keys.length === proposals.length && keys.every((key, index) => key === proposals[index])) return
      proposals = keys
      changed()
    },
    lockDown,
    checkAnchor: (anchor, where) => {
      anchors.set(where, anchor)
      const [folded, heads] = [ledger.folded(), ledger.heads()]
      const comparison = folded.overruled.has(anchorKey(anchor)) ? 'longer' : compareAnchor(anchor, heads)
      // The ledger may be an older copy with valid signatures, so no part of it is offered for a resume.
      if (comparison === 'other')
        enterLockdown(
          `rolled back: the checkpoint in ${where} has revision ${anchor.revision}, head ${shortHead(anchor.head)}; the ledger here has revision ${folded.revision}, head ${shortHead(heads.at(-1) ?? 'none')}`,
          undefined,
        )
      return comparison
    },
    noteAnchor: (anchor, where) => void anchors.set(`${where} next`, anchor),
    recover: (by, head) => {
      const known = [...anchors.values()]
      const done = recoverLedger(by, head, { home, seals, ledger, anchors: known, lockdown, now })
      if (!done.ok) return done
      lockdown = undefined
      if (head === undefined) isForcedOn = false
      changed()
      return done
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
