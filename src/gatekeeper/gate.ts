import path from 'node:path'
import { ProblemError } from '../model/problem.ts'
import { anchorKey, compareAnchor, shortHead, type Anchor } from './anchor.ts'
import { approvalOf, hookOf, inOrder, type ArmedApproval } from './arming.ts'
import { canonicalEntry } from './canonical.ts'
import { checkedFolder } from './checked-copy.ts'
import { fold, nothingYet, type Folded, type Owner, type StandingOwner } from './fold.ts'
import {
  lockdownProblem,
  type GatekeeperOptions,
  type GateState,
  type Good,
  type Recovered,
  type GateView,
} from './gate-state.ts'
import { prepareHome, realFolder } from './home.ts'
import type { Act } from './ledger-lines.ts'
import { surveyLedger } from './ledger-read.ts'
import { beginLedger, keepDamaged, openLedger, type Ledger } from './ledger.ts'
import { findCut, withoutRemoved, type Cut } from './recovering.ts'
import { createReserve } from './reserve.ts'
import { inspectSeal, sweepSeals } from './seal.ts'

/** The ledger, the state that it folds to, and lockdown. Every change of the gate goes through `append`. */
export interface Gate {
  readonly home: string
  readonly workspace: string
  readonly seals: string
  view(): GateView
  folded(): Folded
  /** Throws when the ledger could not be appended to, for what has to be done before that. */
  verify(): void
  /** Writes all acts at once, then tells the listeners. Throws a ProblemError, and nothing has changed, when it cannot. */
  append(acts: readonly Act[]): void
  /** What the environment forced ends with an owner's word. `forMs`: how long it is to stay off. */
  appendSwitch(isOn: boolean, by: string, forMs?: number): void
  setProposalOrder(keys: readonly string[]): void
  lockDown(why: string): void
  /** Compares what is kept outside the machine with the ledger. Anything but that ledger, or an older one, is lockdown. */
  checkAnchor(anchor: Anchor, where: string): ReturnType<typeof compareAnchor>
  /** An anchor is on its way there: a new ledger that an owner begins overrules it. */
  noteAnchor(anchor: Anchor, where: string): void
  /** Begins a new ledger with the known owners, or goes on from the good line with this head. */
  recover(by: string, head?: string): Recovered
  onChange(listener: (state: GateState) => void): () => void
}

/** In an owner's place: those who were there before the ledger. */
export const adoption = 'adoption'

/** The acts that finish what a power cut left half done: one entry has one live approval, the latest. */
const leftovers = (folded: Folded): readonly Act[] => {
  const latest = new Map(
    [...folded.approvals.values()].map((approval) => [canonicalEntry(approval.entry), approval]),
  )
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
  const { problem } = fold(
    written.map((act, index) => ({ ...act, n: from.revision + index + 1, at: '' })),
    from,
  )
  if (problem === undefined) return written
  throw new ProblemError({
    code: 'ledger.act',
    message: `Expected an act that the ledger can keep, got one that it cannot: ${problem}.`,
    fix: 'Nothing was changed. This is a fault of hookgate; please report it.',
  })
}

const ownersById = (owners: readonly Owner[], at: string): ReadonlyMap<string, StandingOwner> =>
  new Map(owners.map((owner) => [owner.id, { ...owner, by: adoption, at }]))

export const openGate = (options: GatekeeperOptions): Gate => {
  const { now, log, adopt } = options
  const { home, seals } = prepareHome(path.resolve(options.home))
  const place = { workspace: realFolder(options.workspace), seals }
  const listeners = new Set<(state: GateState) => void>()
  let folded: Folded = nothingYet
  let ledger: Ledger | undefined
  let heads: string[] = []
  let lockdown: string | undefined
  let good: Good | undefined
  /** By chat: what is pinned there as far as is known, and what is on its way. */
  const anchors = new Map<string, Anchor>()
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
  const look = (): GateView => {
    const isOn = folded.isOn || isForcedOn
    const armed = [...armory.values()]
    const approved = Object.freeze(lockdown === undefined ? inOrder(armed, proposals) : [])
    const state: GateState = Object.freeze({
      isOn,
      isForcedOn,
      revision: folded.revision,
      head: heads.at(-1) ?? '',
      ...(folded.pause === undefined || isOn
        ? {}
        : { offUntilMs: folded.pause.sinceMs + folded.pause.forMs }),
      ...(lockdown === undefined ? {} : { lockdown, ...(good === undefined ? {} : { good }) }),
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
  const goodUpTo = (lines: number, chain: readonly string[]): Good | undefined => {
    const head = chain[lines - 1]
    return head === undefined ? undefined : { lines, head: shortHead(head) }
  }
  const doubt = (why: string, offer: Good | undefined): void => {
    if (lockdown !== undefined) return
    lockdown = why
    good = offer
    log('error', 'lockdown', { why })
    changed()
    options.onLockdown(why)
  }
  const lockDown = (why: string): void => doubt(why, goodUpTo(folded.revision, heads))
  /** What of the file on disk could be gone on from, when it is not what this gate wrote. */
  const goodOnDisk = (): Good | undefined => {
    const survey = surveyLedger(home)
    if (survey.kind !== 'read' || ledger?.key.equals(survey.key) !== true) return undefined
    return goodUpTo(fold(survey.found.entries).state.revision, survey.found.heads)
  }
  const reserve = createReserve(home)
  const ports = { now, onDamage: (why: string): void => doubt(why, goodOnDisk()), reserve }
  const begin = (act: Act, cut?: Cut): void => {
    const from = cut?.state ?? nothingYet
    const begun = beginLedger(home, readable([act], from), ports, cut?.key ?? ledger?.key, cut?.prefix)
    ledger = begun.ledger
    heads = [...(cut?.prefix.heads ?? []), ...begun.heads]
    folded = fold(begun.entries, from).state
  }
  const sound = (): Ledger => {
    if (lockdown === undefined && ledger !== undefined) return ledger
    throw new ProblemError(lockdownProblem(lockdown ?? 'there is no ledger'))
  }
  const write = (acts: readonly Act[]): void => {
    const written = sound().append(readable(acts, folded))
    heads.push(...written.heads)
    folded = fold(written.entries, folded).state
  }
  const open = (): void => {
    const opened = openLedger(home, ports)
    if (opened.kind === 'empty') {
      begin({
        act: 'genesis',
        by: adoption,
        data: { owners: adopt.owners, isOn: adopt.isOn, has_head: true },
      })
      return changed()
    }
    const { state, problem } = fold(opened.entries)
    heads = opened.heads.slice(0, state.revision)
    const owners =
      opened.kind === 'damaged' && opened.rest !== undefined
        ? withoutRemoved(state.owners, opened.rest, state.revision)
        : state.owners
    // An owner must be able to command a gate whose ledger says nothing any more.
    folded = {
      ...state,
      owners: state.revision === 0 ? ownersById(adopt.owners, new Date(now()).toISOString()) : owners,
    }
    if (opened.kind === 'damaged') return lockDown(opened.why)
    if (problem !== undefined) return lockDown(`the ledger is damaged: ${problem}`)
    ledger = opened.ledger
    const rest = leftovers(folded)
    if (rest.length > 0) write(rest)
    changed()
    for (const hook of view.approved) {
      const fault = hook.checkSeal()
      if (fault !== undefined)
        log('warn', 'an approved hook cannot run', { hook: hook.fingerprint.slice(0, 12), fault })
    }
    if (lockdown === undefined)
      sweepSeals(
        place.seals,
        new Set(
          [...folded.approvals.keys()].flatMap((live) => [
            live,
            path.basename(checkedFolder(place.seals, live)),
          ]),
        ),
        log,
      )
  }
  open()

  return {
    home,
    ...place,
    view: () => view,
    folded: () => folded,
    verify: () => sound().verify(),
    append: (acts) => {
      write(acts)
      changed()
    },
    appendSwitch: (isOn, by, forMs) => {
      write([{ act: isOn ? 'on' : 'off', by, data: forMs === undefined ? {} : { for_ms: forMs } }])
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
      const is = folded.overruled.has(anchorKey(anchor)) ? 'longer' : compareAnchor(anchor, heads)
      // What is there may be an older copy with all its signatures: nothing of it is offered.
      if (is === 'other')
        doubt(
          `rolled back: the anchor in ${where} says revision ${anchor.revision}, head ${shortHead(anchor.head)}; the ledger here has revision ${folded.revision}, head ${shortHead(heads.at(-1) ?? 'none')}`,
          undefined,
        )
      return is
    },
    noteAnchor: (anchor, where) => void anchors.set(`${where} next`, anchor),
    recover: (by, typed) => {
      const known = [...anchors.values()]
      const cut =
        typed === undefined
          ? undefined
          : findCut(home, typed, {
              key: ledger?.key,
              standing: folded,
              revision: Math.max(0, ...known.map(({ revision }) => revision)),
            })
      if (cut !== undefined && 'problem' in cut) return { ok: false, problem: cut.problem }
      const broken = [...(cut?.state.approvals.values() ?? [])].filter(
        (approval) =>
          !cut?.revoked.includes(approval) &&
          inspectSeal(path.join(place.seals, approval.fingerprint), approval.files).tampered !== undefined,
      )
      const revoked = [...(cut?.revoked ?? []), ...broken].map(({ fingerprint }) => fingerprint)
      const kept = keepDamaged(home, now())
      const data = {
        owners: [...folded.owners.values()],
        overrules: [...new Set(known.map(anchorKey))],
        why: lockdown ?? '',
        kept: kept ?? '',
      }
      begin(
        cut === undefined
          ? { act: 'recover', by, data: { ...data, has_head: true } }
          : { act: 'resume', by, data: { ...data, revoked } },
        cut,
      )
      lockdown = undefined
      if (cut === undefined) isForcedOn = false
      changed()
      return {
        ok: true,
        ...(kept === undefined ? {} : { kept }),
        ...(cut === undefined
          ? {}
          : {
              receipt: {
                lines: cut.prefix.heads.length,
                head: shortHead(cut.prefix.heads.at(-1) ?? ''),
                revoked: cut.revoked.map(({ entry }) => entry),
                broken: broken.map(({ entry }) => entry),
                lost: cut.lost,
                unread: cut.unread,
              },
            }),
      }
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
