import fs from 'node:fs'
import path from 'node:path'
import { readKey } from './key.ts'
import { hadLedger, readHead } from './head.ts'
import { verifyLedger, type Verification } from './lines.ts'

export const ledgerFile = (home: string): string => path.join(home, 'ledger.jsonl')
const maxLedgerBytes = 256 * 1024 * 1024

/** What lies on disk, looked at and left as it is. */
export type Survey =
  | { readonly kind: 'empty' }
  /** Nothing of it can be verified. */
  | { readonly kind: 'unreadable'; readonly why: string }
  | {
      readonly kind: 'read'
      readonly key: Buffer
      readonly bytes: Buffer
      /** Absent when there is no file. */
      readonly stat?: fs.BigIntStats
      readonly found: Verification
      /** How many lines were acknowledged, as far as that was kept. */
      readonly acknowledged: number
      /** What is wrong, in words; absent when all is well. */
      readonly problem?: string
    }

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error
    ? String(error.code)
    : error instanceof Error
      ? error.message
      : 'unknown'

const readBytes = (file: string): { readonly bytes: Buffer; readonly stat: fs.BigIntStats } => {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  try {
    const stat = fs.fstatSync(fd, { bigint: true })
    if (!stat.isFile()) throw new Error('it is no regular file')
    if (stat.size > BigInt(maxLedgerBytes))
      throw new Error(`it has ${stat.size} bytes, more than ${maxLedgerBytes}`)
    return { bytes: fs.readFileSync(fd), stat }
  } finally {
    fs.closeSync(fd)
  }
}

const lines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)

/** What speaks against a ledger whose every line verifies: lines that were acknowledged and are not there. */
const missing = ({ entries, heads }: Verification, kept: ReturnType<typeof readHead>): string | undefined => {
  if (kept === false) return 'its kept head was changed'
  if (kept === undefined) return entries[0]?.data['has_head'] === true ? 'its kept head is gone' : undefined
  if (heads.length < kept.revision) return `it had ${lines(kept.revision)}, and ${heads.length} are there`
  return heads[kept.revision - 1] === kept.head
    ? undefined
    : `line ${kept.revision} is not the one that was written`
}

/** Reads and verifies. Never throws and changes nothing, so that it can be done while the gate runs. */
export const surveyLedger = (home: string, file = ledgerFile(home)): Survey => {
  // Before the ledger: whoever appends meanwhile makes the ledger longer than this head, never shorter.
  const hadOne = hadLedger(home)
  const key = readKey(home)
  const kept = Buffer.isBuffer(key) ? readHead(home, key) : undefined
  let read: { readonly bytes: Buffer; readonly stat?: fs.BigIntStats }
  try {
    read = readBytes(file)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT')
      return { kind: 'unreadable', why: `the ledger cannot be read (${codeOf(error)})` }
    read = { bytes: Buffer.alloc(0) }
  }
  if (read.bytes.length === 0 && !hadOne) return { kind: 'empty' }
  if (!Buffer.isBuffer(key)) return { kind: 'unreadable', why: `the ledger cannot be verified: ${key}` }
  const found = verifyLedger(read.bytes, key)
  // A first line that was cut short before anything was acknowledged.
  if (found.entries.length === 0 && found.problem === undefined && !hadOne) return { kind: 'empty' }
  const problem =
    found.problem ?? (read.bytes.length === 0 ? 'the file is gone or empty' : missing(found, kept))
  return {
    kind: 'read',
    key,
    ...read,
    found,
    acknowledged: kept === undefined || kept === false ? 0 : kept.revision,
    ...(problem === undefined ? {} : { problem: `the ledger is damaged: ${problem}` }),
  }
}
