import { handlerUnder, handlerOf, type Entry } from '../model/hooks/entry.ts'
import { durationWords } from '../model/base/clock.ts'
import { choiceOf, type ApprovalChoice, type PromotionChoice } from '../model/hooks/fault.ts'
import { type Acted, ProblemError, asProblem } from '../model/gate/problem.ts'
import type { Recovery, Revoked } from '../model/gate/recovery.ts'
import { underOf, type ApprovedHook } from '../model/approval/approved.ts'
import type { Gatekeeper } from './gatekeeper.ts'
import type { Consent } from '../model/gate/consent.ts'
import type { Consents } from './owners/consents.ts'

export interface ActPorts {
  readonly gatekeeper: Gatekeeper
  readonly ownerOf: Consents['ownerOf']
  /** Records in the history what an owner did. The ledger is written separately. */
  record(subject: string, by: string, outcome: 'done' | 'refused', what: string | undefined): void
  /** Writes the state of the switch to a file that people can read. Only the ledger decides. */
  writeSwitchFile(isOn: boolean): void
}

const errorText = (error: unknown): string => {
  if (!(error instanceof Error && ('code' in error || error instanceof ProblemError)))
    return 'hookgate failed internally. See its log.'
  const { message, fix } = asProblem(error)
  return `${message} ${fix}`
}

const approvedText = (approval: ApprovedHook): string => {
  const text = `${approval.entry.event} ${handlerUnder(approval.entry, underOf(approval))}`
  const choice = choiceOf(approval)
  if (choice === undefined) return text
  return choice === 'shadow' ? `${text} (shadow)` : `${text} (fails ${choice})`
}

const proposedText = (entry: Entry): string => `${entry.event} ${handlerOf(entry)}`

export type SwitchActPorts = Pick<ActPorts, 'record' | 'writeSwitchFile'> & {
  readonly gatekeeper: Pick<Gatekeeper, 'setSwitch'>
}

/** Sets the switch and records it. `who` throws where nobody may. Never rejects. */
export const createSwitching =
  ({ gatekeeper, record, writeSwitchFile }: SwitchActPorts) =>
  async (
    isOn: boolean,
    named: string,
    who: () => string,
    forMs?: number,
  ): Promise<{ isChanged: boolean; warning?: string }> => {
    const act = `/hooks ${isOn ? 'on' : 'off'}`
    try {
      const by = who()
      const isChanged = await gatekeeper.setSwitch(isOn, by, forMs)
      record(act, by, 'done', forMs === undefined ? undefined : durationWords(forMs))
      writeSwitchFile(isOn)
      return { isChanged }
    } catch (error) {
      record(act, named, 'refused', errorText(error))
      return { isChanged: false, warning: errorText(error) }
    }
  }

/**
 * Carries out the owners' commands, each with the consent of its owner. Each call records its outcome and
 * resolves with a result to show. It never rejects.
 */
export const createActs = ({ gatekeeper, ownerOf, record, writeSwitchFile }: ActPorts) => ({
  setSwitch: (isOn: boolean, consent: Consent, forMs?: number) =>
    createSwitching({ gatekeeper, record, writeSwitchFile })(
      isOn,
      consent.by,
      () => ownerOf(consent, !isOn),
      forMs,
    ),
  approve: async (
    entry: Entry,
    consent: Consent,
    expected: string | undefined,
    choice?: ApprovalChoice,
  ): Promise<Acted<{ readonly isNew: boolean; readonly fingerprint: string }>> => {
    const act = `/hooks ${choice === 'shadow' ? 'shadow' : 'approve'}`
    const { by } = consent
    try {
      const done = await gatekeeper.approve(entry, ownerOf(consent), expected, choice)
      const what = done.ok ? approvedText(done.approval) : proposedText(entry)
      record(act, by, done.ok ? 'done' : 'refused', what)
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
    consent: Consent,
    choice?: PromotionChoice,
  ): Promise<Acted<{ readonly isNew: boolean; readonly fingerprint: string }>> => {
    const { by } = consent
    try {
      const done = await gatekeeper.promote(fingerprint, ownerOf(consent), choice)
      const what = done.ok ? approvedText(done.approval) : undefined
      record('/hooks promote', by, done.ok ? 'done' : 'refused', what)
      return done.ok ? { ok: true, isNew: done.isNew, fingerprint } : done
    } catch (error) {
      record('/hooks promote', by, 'refused', errorText(error))
      return {
        ok: false,
        problem: { code: 'promote.failed', message: errorText(error), fix: 'It is still a shadow.' },
      }
    }
  },
  revoke: async (fingerprint: string, consent: Consent): Promise<Revoked> => {
    const { by } = consent
    try {
      const revoked = await gatekeeper.revoke(fingerprint, ownerOf(consent))
      const isEnded = revoked !== undefined
      record('/hooks revoke', by, isEnded ? 'done' : 'refused', isEnded ? approvedText(revoked) : undefined)
      return isEnded ? { isEnded } : { isEnded, why: 'The hook was no longer approved.' }
    } catch (error) {
      record('/hooks revoke', by, 'refused', errorText(error))
      return { isEnded: false, why: errorText(error) }
    }
  },
  recover: async (consent: Consent, head?: string): Promise<Recovery> => {
    const { by } = consent
    try {
      const done = await gatekeeper.recover(ownerOf(consent), head)
      record('/hooks recover', by, done.ok ? 'done' : 'refused', head)
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
      record('/hooks recover', by, 'refused', errorText(error))
      return { ok: false, why: errorText(error) }
    }
  },
})
