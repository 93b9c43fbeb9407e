import { handlerUnder, handlerOf, type Entry } from '../model/hooks/entry.ts'
import { durationWords } from '../model/base/clock.ts'
import { choiceOf, type ApprovalChoice, type PromotionChoice } from '../model/hooks/fault.ts'
import { type Acted, ProblemError } from '../model/gate/problem.ts'
import type { Recovery, Revoked } from '../model/gate/recovery.ts'
import { asProblem } from './approving.ts'
import { underOf, type ApprovedHook } from '../model/approval/approved.ts'
import type { Gatekeeper } from './gatekeeper.ts'

export interface ActPorts {
  readonly gatekeeper: Gatekeeper
  /** Records in the history what an owner did. The ledger is written separately. */
  record(act: string, by: string, outcome: 'done' | 'refused', what: string | undefined): void
  /** Writes the state of the switch to a file that people can read. Only the ledger decides. */
  writeSwitchFile(isOn: boolean): void
}

const errorText = (error: unknown): string => {
  if (!(error instanceof Error && ('code' in error || error instanceof ProblemError)))
    return 'hookgate failed internally. See its log.'
  const { message, fix } = asProblem(error)
  return `${message} ${fix}`
}

const choiceText = (approval: ApprovedHook): string => {
  const choice = choiceOf(approval)
  if (choice === 'shadow') return ' (shadow)'
  return choice === undefined ? '' : ` (fails ${choice})`
}

const approvedText = (approval: ApprovedHook): string =>
  `${approval.entry.event} ${handlerUnder(approval.entry, underOf(approval))}${choiceText(approval)}`

const proposedText = (entry: Entry): string => `${entry.event} ${handlerOf(entry)}`

/**
 * Carries out the owners' commands. Each call records its outcome and resolves with a result to show. It
 * never rejects.
 */
export const createActs = ({ gatekeeper, record, writeSwitchFile }: ActPorts) => ({
  setSwitch: async (
    isOn: boolean,
    by: string,
    forMs?: number,
  ): Promise<{ isChanged: boolean; warning?: string }> => {
    try {
      const isChanged = await gatekeeper.setSwitch(isOn, by, forMs)
      record(isOn ? 'on' : 'off', by, 'done', forMs === undefined ? undefined : durationWords(forMs))
      writeSwitchFile(isOn)
      return { isChanged }
    } catch (error) {
      record(isOn ? 'on' : 'off', by, 'refused', errorText(error))
      return { isChanged: false, warning: errorText(error) }
    }
  },
  approve: async (
    entry: Entry,
    by: string,
    expected: string | undefined,
    choice?: ApprovalChoice,
  ): Promise<Acted<{ readonly isNew: boolean; readonly fingerprint: string }>> => {
    const act = choice === 'shadow' ? 'shadow' : 'approve'
    try {
      const done = await gatekeeper.approve(entry, by, expected, choice)
      record(
        act,
        by,
        done.ok ? 'done' : 'refused',
        done.ok ? approvedText(done.approval) : proposedText(entry),
      )
      return done.ok ? { ok: true, isNew: done.isNew, fingerprint: done.approval.fingerprint } : done
    } catch (error) {
      record(act, by, 'refused', proposedText(entry))
      return {
        ok: false,
        problem: { code: 'approve.failed', message: errorText(error), fix: 'Nothing was approved.' },
      }
    }
  },
  promote: async (
    fingerprint: string,
    by: string,
    choice?: PromotionChoice,
  ): Promise<Acted<{ readonly isNew: boolean; readonly fingerprint: string }>> => {
    try {
      const done = await gatekeeper.promote(fingerprint, by, choice)
      record('promote', by, done.ok ? 'done' : 'refused', done.ok ? approvedText(done.approval) : undefined)
      return done.ok ? { ok: true, isNew: done.isNew, fingerprint } : done
    } catch (error) {
      record('promote', by, 'refused', errorText(error))
      return {
        ok: false,
        problem: { code: 'promote.failed', message: errorText(error), fix: 'It is still a shadow.' },
      }
    }
  },
  revoke: async (fingerprint: string, by: string): Promise<Revoked> => {
    try {
      const revoked = await gatekeeper.revoke(fingerprint, by)
      record(
        'revoke',
        by,
        revoked === undefined ? 'refused' : 'done',
        revoked === undefined ? undefined : approvedText(revoked),
      )
      return revoked === undefined
        ? { isEnded: false, why: 'The hook was no longer approved.' }
        : { isEnded: true }
    } catch (error) {
      record('revoke', by, 'refused', errorText(error))
      return { isEnded: false, why: errorText(error) }
    }
  },
  recover: async (by: string, head?: string): Promise<Recovery> => {
    try {
      const done = await gatekeeper.recover(by, head)
      record('recover', by, done.ok ? 'done' : 'refused', head)
      if (!done.ok) return { ok: false, why: `${done.problem.message} ${done.problem.fix}` }
      const { isOn, approvals } = gatekeeper.state()
      writeSwitchFile(isOn)
      const { receipt, kept } = done
      return {
        ok: true,
        kept,
        receipt: receipt && {
          ...receipt,
          approved: [...approvals.values()].map(approvedText),
          revoked: receipt.revoked.map(proposedText),
          broken: receipt.broken.map(proposedText),
          lost: receipt.lost.map(proposedText),
        },
      }
    } catch (error) {
      record('recover', by, 'refused', errorText(error))
      return { ok: false, why: errorText(error) }
    }
  },
})
