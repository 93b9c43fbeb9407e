import { type SealLocation, inOrder } from './arming.ts'
import path from 'node:path'
import {
  anchorKey,
  compareAnchor,
  shortHead,
  type Anchor,
  type AnchorComparison,
} from '../model/gate/anchor.ts'
import { createArmedApprovals, type ArmedApprovals } from './armed-approvals.ts'
import { ProblemError, type Problem } from '../model/gate/problem.ts'
import { checkedFolder } from './seal/checked-copy.ts'
import type { Folded } from './ledger/fold.ts'
import { createFoldedLedger, type FoldedLedger } from './ledger/folded-ledger.ts'
import type { GatekeeperOptions, GateState, GoodPart, Recovered, GateView } from './gate-state.ts'
import { createMutex } from '../model/base/mutex.ts'
import { prepareHome, realFolder } from './home.ts'
import type { Act } from './ledger/lines.ts'
import { fileLedger } from './ledger/file.ts'
import { recoverLedger } from './ledger/recover/recover.ts'
import { sharedLedger } from './ledger/shared.ts'
import { dropOldFiles, fetchSeals } from './seal/fetch-seals.ts'
import { sweepSeals } from './seal/seal.ts'
import type { SharedFiles } from '../model/gate/shared.ts'

/** What a change comes to: the acts to write, and what its caller gets once they are written. */
export interface Decision<T> {
  readonly acts: readonly Act[]
  readonly answer: () => T
}

/** A change that writes nothing. */
export const unchanged = <T>(answer: T): Decision<T> => ({ acts: [], answer: () => answer })

/** The ledger, its folded state, and the lockdown. Every change of the gate goes through `change`. */
export interface GateLedger extends SealLocation {
  readonly home: string
  view(): GateView
  folded(): Folded
  /** Gives sealed files to the other gates of the database. Rejects with a ProblemError. */
  shareFiles: SharedFiles['put']
  /** Checks before other steps that the ledger can be appended to. Rejects when it cannot. */
  verify(): Promise<void>
  /**
   * Writes all acts of the decision at once, then calls the listeners. Changes wait for each other, and
   * nothing changes between the decision and its write: where another gate was faster, it is decided anew.
   * When it cannot write, it rejects with a ProblemError, and nothing has changed. It rejects with what the
   * decision throws, too.
   */
  change<T>(decide: () => Decision<T>): Promise<T>
  setProposalOrder(keys: readonly string[]): void
  lockDown(why: string): void
  /** Compares an anchor with the ledger. An anchor that the ledger does not contain causes a lockdown. */
  checkAnchor(anchor: Anchor, where: string): AnchorComparison
  /** Remembers an anchor that is being sent, so that a new ledger of an owner can overrule it. */
  noteAnchor(anchor: Anchor, where: string): void
  /** Begins a new ledger with the known owners, or resumes from the good line with this head. */
  recover(by: string, head?: string): Promise<Recovered>
  onChange(listener: (state: GateState) => void): () => void
}

/** How often a change is decided anew because another gate was faster. */
const maxTries = 20
const busy: Problem = {
  code: 'ledger.busy',
  message: `Other gates wrote the ledger first, ${maxTries} times in a row.`,
  fix: 'Nothing was changed. Try again.',
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
    offUntilMs: pause === undefined || isOn ? undefined : pause.sinceMs + pause.forMs,
    lockdown,
    good: lockdown === undefined ? undefined : good,
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

export const openGateLedger = async (options: Omit<GatekeeperOptions, 'prepare'>): Promise<GateLedger> => {
  const { now, log, adopt } = options
  const { home, seals } = prepareHome(path.resolve(options.home))
  const location = { workspace: realFolder(options.workspace), seals, renamed: options.renamed }
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
  const ledger = createFoldedLedger({
    place: options.lines === undefined ? fileLedger(home) : sharedLedger(home, options.lines),
    reserve: options.reserve,
    adopt,
    now,
    lockdown: () => lockdown,
    onDamage: enterLockdown,
  })
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
  const opened = await ledger.open()
  if (opened.kind === 'damaged') lockDown(opened.why)
  else changed()
  const { sharedFiles } = options
  if (opened.kind === 'good') {
    if (sharedFiles !== undefined)
      await fetchSeals(seals, ledger.folded().approvals.values(), sharedFiles, log)
    checkSeals()
    // What is in the ledger may be doubtful now, and then it decides nothing.
    if (sharedFiles !== undefined && lockdown === undefined)
      await dropOldFiles(ledger.folded().approvals.values(), sharedFiles, log)
  }

  const inTurn = createMutex()
  const attempt = async <T>(decide: () => Decision<T>, triesLeft: number): Promise<T> => {
    if (await ledger.catchUp()) changed()
    const { acts, answer } = decide()
    if (acts.length === 0) return answer()
    const appended = await ledger.append(acts)
    if (appended === 'moved') {
      if (triesLeft === 1) throw new ProblemError(busy)
      return attempt(decide, triesLeft - 1)
    }
    // An owner's use of the switch ends the force of the environment.
    if (acts.some(({ act }) => act === 'on' || act === 'off')) isForcedOn = false
    changed()
    return answer()
  }

  return {
    home,
    ...location,
    view: () => view,
    folded: ledger.folded,
    shareFiles: async (files) => sharedFiles?.put(files),
    verify: ledger.verify,
    change: (decide) => inTurn(() => attempt(decide, maxTries)),
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
    recover: (by, head) =>
      inTurn(async () => {
        const known = [...anchors.values()]
        const done = await recoverLedger(by, head, { ...location, ledger, anchors: known, lockdown, now })
        if (!done.ok) return done
        lockdown = undefined
        if (head === undefined) isForcedOn = false
        changed()
        return done
      }),
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
