import { ApprovalShape } from '../../../core/model/approval/shapes.ts'
import { isObject, parseJson, type Json } from '../../../core/model/base/json.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { handlerOf } from '../../../core/model/hooks/entry.ts'
import { choiceOf, type ApprovalChoice } from '../../../core/model/hooks/fault.ts'
import { shortHead } from '../../../core/model/gate/anchor.ts'
import { stableSurvey, type Audit, type ReadLines } from './audit.ts'
import { verifyLedger, type LedgerEntry } from '../../../core/gatekeeper/ledger/lines.ts'

/** A larger export is not read, in bytes. */
export const maxExportBytes = 512 * 1024 * 1024

/** One decision as other programs read it. `line`: the signed line of the ledger that it is made from. */
interface ExportedAct {
  readonly when: string
  readonly who: string
  readonly what: string
  /** The fingerprint of the hook that the decision is about. */
  readonly over?: string
  /** The hook, or the person, machine or grant, in words. */
  readonly about?: string
  /** What the owner chose for the hook: a shadow does not decide, and a choice about failures. */
  readonly as?: ApprovalChoice
  /** The sealed files of an approved hook, with their SHA-256. */
  readonly files?: readonly { readonly path: string; readonly sha256: string }[]
}

const textIn = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

const decisionOf = ({ at, by, act, data }: LedgerEntry): ExportedAct => {
  const facts = data as Readonly<Record<string, Json>>
  const choice = choiceOf(data)
  const base = { when: at, who: by, what: act, as: choice }
  const over = textIn(facts['fingerprint'])
  const { data: approval } = ApprovalShape.safeParse(data)
  if (approval !== undefined)
    return {
      ...base,
      over: approval.fingerprint,
      about: `${approval.entry.event} ${handlerOf(approval.entry)}`,
      files: approval.files.map(({ path, sha256 }) => ({ path, sha256 })),
    }
  const about = textIn(facts['id']) ?? textIn(facts['name'])
  return { ...base, over, about }
}

const written = (entry: LedgerEntry, line: string): string => JSON.stringify({ ...decisionOf(entry), line })

/** The lines of a ledger's bytes up to the end of its good part. */
const signedLines = (bytes: Buffer, goodBytes: number): readonly string[] =>
  bytes.subarray(0, goodBytes).toString('utf8').split('\n').slice(0, -1)

/**
 * Every decision in the ledger as JSON lines: who decided what, when, and over which bytes. `text`: the
 * lines, or why there are none.
 */
export const exportLedger = async (home: string, read?: ReadLines): Promise<Audit> => {
  const survey = await stableSurvey(home, read)
  if (survey.kind === 'empty')
    return { text: 'There is no ledger yet, so there is nothing to export.', code: 2 }
  if (survey.kind === 'unreadable') return { text: `Nothing can be exported: ${survey.why}.`, code: 2 }
  if (survey.problem !== undefined)
    return { text: `Nothing was exported: ${survey.problem}. → hookgate audit verify`, code: 3 }
  const lines = signedLines(survey.bytes, survey.found.goodBytes)
  return {
    text: survey.found.entries.map((entry, index) => written(entry, lines[index] ?? '')).join('\n'),
    code: 0,
  }
}

const damaged = (why: string): Audit => ({ text: `DAMAGED: ${why}.`, code: 3 })

/**
 * Verifies an export against the ledger and the key of this machine: each signature, the chain, what the
 * export says beside each line, and that it is the beginning of this ledger.
 */
export const verifyExport = async (text: string, home: string, read?: ReadLines): Promise<Audit> => {
  const survey = await stableSurvey(home, read)
  if (survey.kind !== 'read')
    return {
      text: `The export cannot be verified: ${survey.kind === 'empty' ? 'there is no ledger here' : survey.why}.`,
      code: 2,
    }
  const exported = text.split('\n').filter((line) => line !== '')
  const lines: string[] = []
  for (const [index, one] of exported.entries()) {
    const value = parseJson(one)
    const line = isObject(value) ? textIn(value['line']) : undefined
    if (line === undefined || line.includes('\n'))
      return damaged(`line ${index + 1} of the export is no decision, but ${got(one.slice(0, 60))}`)
    lines.push(line)
  }
  if (lines.length === 0) return damaged('the export has no line')
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const { entries, heads, problem, tornBytes } = verifyLedger(bytes, survey.key)
  if (problem !== undefined) return damaged(`of the ledger in the export, ${problem}`)
  if (tornBytes > 0) return damaged(`line ${entries.length + 1} of the export is incomplete`)
  const changed = entries.findIndex((entry, index) => written(entry, lines[index] ?? '') !== exported[index])
  if (changed !== -1)
    return damaged(`line ${changed + 1} of the export says something else than the signed line in it`)
  const own = survey.found.heads[entries.length - 1]
  if (own !== heads.at(-1))
    return damaged('the export is good, but it is not the beginning of the ledger on this machine')
  const left = survey.found.entries.length - entries.length
  return {
    text: [
      `The export is good: ${entries.length} decisions, each signed and chained to the one before it.`,
      `It ends with revision ${entries.length} · head ${shortHead(heads.at(-1) ?? '')}.`,
      left === 0 ? 'The ledger has no later one.' : `The ledger has ${left} later ones.`,
    ].join('\n'),
    code: 0,
  }
}
