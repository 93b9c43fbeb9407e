import { pathInSeal } from '../../../core/model/approval/names.ts'
import path from 'node:path'
import type { LedgerLines } from '../../../core/model/gate/shared.ts'
import { ProblemError } from '../../../core/model/gate/problem.ts'
import type { ApprovedHook } from '../../../core/model/approval/approved.ts'
import { fold } from '../../../core/gatekeeper/ledger/fold.ts'
import { readKept, surveyLedger, type Survey } from '../../../core/gatekeeper/ledger/read.ts'
import { checkKey, surveyShared } from '../../../core/gatekeeper/ledger/shared.ts'
import { readSource } from '../../../core/model/approval/source-file.ts'

/** A ledger of which every line was verified. It is carried to another place byte for byte. */
export interface WholeLedger {
  readonly key: Buffer
  readonly lines: readonly string[]
  /** The chain hash of the last line. */
  readonly head: string
  /** The approvals in force. */
  readonly approvals: readonly ApprovedHook[]
}

const unsound = (where: string, why: string): ProblemError =>
  new ProblemError({
    code: 'move.unsound',
    message: `Expected a ledger ${where} that can be verified, but ${why}.`,
    fix: 'Nothing was carried over. "hookgate audit verify" says more. An owner repairs a damaged ledger with /hooks recover in the chat.',
  })

const wholeOf = (survey: Survey, where: string): WholeLedger => {
  if (survey.kind === 'empty')
    throw new ProblemError({
      code: 'move.empty',
      message: `Expected a ledger ${where}, got none.`,
      fix: 'There is nothing to carry over.',
    })
  if (survey.kind === 'unreadable') throw unsound(where, survey.why)
  const { key, bytes, found } = survey
  const { state, problem } = fold(found.entries)
  if (survey.problem !== undefined) throw unsound(where, survey.problem)
  if (problem !== undefined) throw unsound(where, `the ledger is damaged: ${problem}`)
  return {
    key,
    // A last line that is incomplete was never acknowledged.
    lines: bytes.subarray(0, found.goodBytes).toString('utf8').split('\n').slice(0, -1),
    head: found.heads.at(-1) ?? '',
    approvals: [...state.approvals.values()],
  }
}

/** The ledger of a folder. Throws a ProblemError when it is not sound. */
export const wholeLedgerIn = (home: string): WholeLedger => wholeOf(surveyLedger(home), `in ${home}`)

/**
 * The ledger of a database, verified with the key and the head that the folder keeps. Throws a ProblemError
 * when it is not sound.
 */
export const wholeLedgerOf = (home: string, found: LedgerLines | undefined): WholeLedger => {
  const kept = readKept(home)
  const survey: Survey = found === undefined && !kept.hadOne ? { kind: 'empty' } : surveyShared(kept, found)
  if (found !== undefined) checkKey(home, kept, survey)
  return wholeOf(survey, 'in the database')
}

/** The sealed files of the approvals in force, each once. Throws when a seal has other bytes. */
export const sealedFilesIn = function* (
  home: string,
  approvals: readonly ApprovedHook[],
): Generator<{ readonly sha256: string; readonly content: Buffer }> {
  const given = new Set<string>()
  for (const { fingerprint, files } of approvals)
    for (const { path: name, sha256 } of files) {
      if (given.has(sha256)) continue
      given.add(sha256)
      const source = readSource(path.join(home, 'seal', fingerprint, pathInSeal(name)), name)
      if ('problem' in source) throw new ProblemError(source.problem)
      if (source.sha256 !== sha256) throw unsound(`in ${home}`, `the seal of "${name}" has other bytes`)
      yield { sha256, content: source.content }
    }
}
