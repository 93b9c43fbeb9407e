import { withFile } from '../../model/disk/durable.ts'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, messageOf } from '../../model/gate/problem.ts'
import { readKey } from './key.ts'
import { hadLedger, readHead } from './head.ts'
import { verifyLedger, type Verification } from './lines.ts'

export const ledgerFile = (home: string): string => path.join(home, 'ledger.jsonl')
const maxLedgerBytes = 256 * 1024 * 1024

/** The ledger on disk, read without changing it. */
export type Survey =
  | { readonly kind: 'empty' }
  /** No part of it can be verified. */
  | { readonly kind: 'unreadable'; readonly why: string }
  | {
      readonly kind: 'read'
      readonly key: Buffer
      readonly bytes: Buffer
      /** Absent when there is no file. */
      readonly stat?: fs.BigIntStats
      readonly found: Verification
      /** The number of acknowledged lines, as the stored head has it. */
      readonly acknowledged: number
      /** The problem as a text. Absent when the ledger is good. */
      readonly problem?: string
    }

/** Reads the bytes of a ledger. Throws where there is no regular file of a bounded size. */
export const readBytes = (file: string): { readonly bytes: Buffer; readonly stat: fs.BigIntStats } =>
  withFile(file, (fd) => {
    const stat = fs.fstatSync(fd, { bigint: true })
    if (!stat.isFile()) throw new Error('it is not a regular file')
    if (stat.size > BigInt(maxLedgerBytes))
      throw new Error(`it has ${stat.size} bytes, more than ${maxLedgerBytes}`)
    return { bytes: fs.readFileSync(fd), stat }
  })

const lines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)

/** The problem of a ledger whose lines all verify: acknowledged lines are missing or different. */
const missing = (
  { entries, heads }: Verification,
  storedHead: ReturnType<typeof readHead>,
): string | undefined => {
  if (storedHead === false) return 'its stored head was changed'
  if (storedHead === undefined)
    return entries[0]?.data['has_head'] === true ? 'its stored head is missing' : undefined
  if (heads.length < storedHead.revision)
    return `it should have ${lines(storedHead.revision)} and has ${heads.length}`
  return heads[storedHead.revision - 1] === storedHead.head
    ? undefined
    : `line ${storedHead.revision} is not the one that was written`
}

/** What the gate's folder keeps of the ledger besides its lines. */
export interface KeptFacts {
  /** A ledger was begun here once. */
  readonly hadOne: boolean
  readonly key: Buffer | string
  readonly storedHead: ReturnType<typeof readHead>
  /** Others may have begun the ledger, so a gate that is new to it keeps no head yet. */
  readonly isShared?: true
}

/**
 * They are read before the lines: an append in between makes the ledger longer than the stored head, never
 * shorter.
 */
export const readKept = (home: string): KeptFacts => {
  const key = readKey(home)
  return {
    hadOne: hadLedger(home),
    key,
    storedHead: Buffer.isBuffer(key) ? readHead(home, key) : undefined,
  }
}

/** Verifies the bytes of a ledger. Pure. */
export const surveyBytes = (
  { hadOne, key, storedHead, isShared }: KeptFacts,
  read: { readonly bytes: Buffer; readonly stat?: fs.BigIntStats },
): Survey => {
  if (read.bytes.length === 0 && !hadOne) return { kind: 'empty' }
  if (!Buffer.isBuffer(key)) return { kind: 'unreadable', why: `the ledger cannot be verified: ${key}` }
  const found = verifyLedger(read.bytes, key)
  // The first line is incomplete, and nothing was acknowledged yet.
  if (found.entries.length === 0 && found.problem === undefined && !hadOne) return { kind: 'empty' }
  const isNew = isShared === true && !hadOne
  const lost = (): string | undefined =>
    read.bytes.length === 0 ? 'the file is missing or empty' : missing(found, storedHead)
  const problem = found.problem ?? (isNew ? undefined : lost())
  return {
    kind: 'read',
    key,
    ...read,
    found,
    acknowledged: storedHead === undefined || storedHead === false ? 0 : storedHead.revision,
    problem: problem && `the ledger is damaged: ${problem}`,
  }
}

/** Reads and verifies the ledger. Never throws and changes nothing, so it can run beside the gate. */
export const surveyLedger = (home: string, file = ledgerFile(home)): Survey => {
  const kept = readKept(home)
  try {
    return surveyBytes(kept, readBytes(file))
  } catch (error) {
    return codeOf(error) === 'ENOENT'
      ? surveyBytes(kept, { bytes: Buffer.alloc(0) })
      : { kind: 'unreadable', why: `the ledger cannot be read (${codeOf(error) ?? messageOf(error)})` }
  }
}
