import { setTimeout as delay } from 'node:timers/promises'
import { shortHead } from './anchor.ts'
import { noAnchorWords } from './anchoring.ts'
import { fold, type Folded } from './fold.ts'
import type { LedgerEntry } from './lines.ts'
import { surveyLedger, type Survey } from './read.ts'

export interface Audit {
  readonly text: string
  /** 0: all is well. 2: it cannot be read. 3: it is damaged. */
  readonly code: 0 | 2 | 3
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const standing = ({ isOn, pause, approvals, owners }: Folded): string =>
  `Hooks are ${isOn ? 'ON' : 'OFF'}${pause === undefined ? '' : ' for a while'} · ${plural(approvals.size, 'approval')} · ${plural(owners.size, 'owner')}${owners.size === 0 ? '' : `: ${[...owners.keys()].join(', ')}`}`

const change = (what: string, entry: LedgerEntry | undefined): readonly string[] =>
  entry === undefined ? [] : [`${what}: ${entry.act} by ${entry.by}, ${entry.at}`]

/** The gate may be writing this very moment: what looks wrong is looked at again before it is said. */
const settled = async (home: string): Promise<Survey> => {
  for (let tries = 0; tries < 3; tries++) {
    const survey = surveyLedger(home)
    if (survey.kind === 'read' && survey.problem === undefined && survey.found.tornBytes === 0) return survey
    await delay(50)
  }
  return surveyLedger(home)
}

/** Verifies a ledger from outside, running or not, and says what it finds in a few lines. Changes nothing. */
export const auditLedger = async (home: string, canAnchor: boolean): Promise<Audit> => {
  const survey = await settled(home)
  if (survey.kind === 'empty')
    return { text: `There is no ledger in ${home} yet. "hookgate start" begins one.`, code: 2 }
  if (survey.kind === 'unreadable')
    return { text: `Nothing in ${home} can be verified: ${survey.why}.`, code: 2 }
  const { entries, heads, tornBytes } = survey.found
  const { state, problem } = fold(entries)
  const at = state.revision
  const wrong = survey.problem ?? (problem === undefined ? undefined : `the ledger is damaged: ${problem}`)
  const place = at === 0 ? [] : [`revision ${at} · head ${shortHead(heads[at - 1] ?? '')}`, standing(state)]
  if (wrong !== undefined) {
    return {
      text: [
        `DAMAGED: ${wrong}.`,
        at === 0
          ? 'No line of it is good.'
          : `The first ${plural(at, 'line')} ${at === 1 ? 'is' : 'are'} good:`,
        ...place,
        ...change('Last good change', entries[at - 1]),
        'Nothing was changed. An owner ends the lockdown with /hooks recover in the chat.',
      ].join('\n'),
      code: 3,
    }
  }
  return {
    text: [
      `All is well: ${plural(at, 'line')}, each signed and chained to the one before.`,
      ...place,
      ...change('Last change', entries.at(-1)),
      ...(tornBytes === 0
        ? []
        : ['The beginning of one more line was never acknowledged; the next start drops it.']),
      canAnchor
        ? 'Anchor: compare revision and head with the notice that is pinned in your chat.'
        : noAnchorWords,
    ].join('\n'),
    code: 0,
  }
}
