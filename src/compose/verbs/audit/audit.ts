import { setTimeout as delay } from 'node:timers/promises'
import { shortHead } from '../../../core/model/gate/anchor.ts'
import { proseText } from '../../../core/model/chat/prose.ts'
import { noAnchorWords } from '../../../notices/anchoring.ts'
import { fold, type Folded } from '../../../core/gatekeeper/ledger/fold.ts'
import type { LedgerLines } from '../../../core/model/gate/shared.ts'
import type { LedgerEntry } from '../../../core/gatekeeper/ledger/lines.ts'
import { readKept, surveyLedger, type Survey } from '../../../core/gatekeeper/ledger/read.ts'
import { surveyShared } from '../../../core/gatekeeper/ledger/shared.ts'

export interface Audit {
  readonly text: string
  /** The exit code. 0: the ledger is good. 2: it cannot be read. 3: it is damaged. */
  readonly code: 0 | 2 | 3
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const someOf = (count: number, noun: string): string => (count === 0 ? '' : ` · ${plural(count, noun)}`)

const roleCounts = ({ members, grants }: Folded): string => {
  const withRole = (role: string): number => [...members.values()].filter((one) => one.role === role).length
  return `${someOf(withRole('approver'), 'approver')}${someOf(withRole('viewer'), 'viewer')}${someOf(grants.size, 'grant')}`
}

const stateText = ({ isOn, pause, approvals, owners }: Folded): string => {
  const shadows = [...approvals.values()].filter(({ isShadow }) => isShadow === true).length
  return `Hooks are ${isOn ? 'ON' : 'OFF'}${pause === undefined ? '' : ' for a while'} · ${plural(approvals.size - shadows, 'approval')}${someOf(shadows, 'shadow')} · ${plural(owners.size, 'owner')}${owners.size === 0 ? '' : `: ${[...owners.keys()].join(', ')}`}`
}

const change = (what: string, entry: LedgerEntry | undefined): readonly string[] =>
  entry === undefined ? [] : [`${what}: ${entry.act} by ${entry.by}, ${entry.at}`]

/** Reads the lines of a ledger that is in a database. Undefined: there is none yet. */
export type ReadLines = () => Promise<LedgerLines | undefined>

const surveyNow = async (home: string, read: ReadLines | undefined): Promise<Survey> => {
  if (read === undefined) return surveyLedger(home)
  // The head is read before the lines, so a gate that writes in between only makes the ledger longer.
  const kept = readKept(home)
  return surveyShared(kept, await read())
}

/** Surveys the ledger up to three times, because a running gate may be writing to it. */
export const stableSurvey = async (home: string, read: ReadLines | undefined): Promise<Survey> => {
  for (let tries = 0; tries < 3; tries++) {
    const survey = await surveyNow(home, read)
    if (survey.kind === 'read' && survey.problem === undefined && survey.found.tornBytes === 0) return survey
    await delay(50)
  }
  return surveyNow(home, read)
}

/**
 * Verifies a ledger, whether the gate runs or not, and reports in a few lines. Changes nothing. `read`: the
 * ledger is in a database; when that cannot be read, the audit rejects with a ProblemError.
 */
export const auditLedger = async (home: string, canAnchor: boolean, read?: ReadLines): Promise<Audit> => {
  const survey = await stableSurvey(home, read)
  if (survey.kind === 'empty')
    return {
      text: `There is no ledger in ${read === undefined ? home : 'the database'} yet. "hookgate start" begins one.`,
      code: 2,
    }
  if (survey.kind === 'unreadable')
    return { text: `Nothing in ${home} can be verified: ${survey.why}.`, code: 2 }
  const { entries, heads, tornBytes } = survey.found
  const { state, problem } = fold(entries)
  const at = state.revision
  const damage = survey.problem ?? (problem === undefined ? undefined : `the ledger is damaged: ${problem}`)
  const position =
    at === 0
      ? []
      : [`revision ${at} · head ${shortHead(heads[at - 1] ?? '')}`, `${stateText(state)}${roleCounts(state)}`]
  if (damage !== undefined) {
    return {
      text: [
        `DAMAGED: ${damage}.`,
        at === 0
          ? 'No line of it is good.'
          : `The first ${plural(at, 'line')} ${at === 1 ? 'is' : 'are'} good:`,
        ...position,
        ...change('Last good change', entries[at - 1]),
        'The audit changed nothing. An owner ends the lockdown with /hooks recover in the chat.',
      ].join('\n'),
      code: 3,
    }
  }
  return {
    text: [
      `The ledger is good: ${plural(at, 'line')}, each signed and chained to the line before it.`,
      ...position,
      ...change('Last change', entries.at(-1)),
      ...(tornBytes === 0
        ? []
        : ['One more line is incomplete and was never acknowledged. The next start removes it.']),
      canAnchor
        ? 'Checkpoint: compare revision and head with the notice that is pinned in your chat.'
        : proseText(noAnchorWords),
    ].join('\n'),
    code: 0,
  }
}
