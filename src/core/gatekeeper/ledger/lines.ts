import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { isObject } from '../../model/base/json.ts'

export type ActName =
  | 'genesis'
  | 'on'
  | 'off'
  | 'approve'
  | 'promote'
  | 'revoke'
  | 'owner_add'
  | 'owner_remove'
  | 'passkey_add'
  | 'passkey_remove'
  | 'node_add'
  | 'node_remove'
  | 'role'
  | 'grant'
  | 'ungrant'
  | 'recover'
  | 'resume'

/** An owner's act before it is numbered and signed. */
export interface Act {
  readonly act: ActName
  /** The owner's id, or `adoption` for configured owners. */
  readonly by: string
  readonly data: Readonly<Record<string, unknown>>
}

/** One verified line of the ledger. */
export interface LedgerEntry {
  readonly n: number
  /** ISO 8601. */
  readonly at: string
  readonly act: string
  readonly by: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The chain value of the first line, which has no line before it. */
export const noLine = '0'.repeat(64)
/** `,"mac":"<64 hex digits>"}` */
const macTailBytes = 8 + 64 + 2

/** The chain value for the next line: SHA-256 of this line without its newline. */
export const chainOf = (line: string | Uint8Array): string => hash('sha256', line)

/**
 * Takes a key object that is made once. With raw bytes Node would make one per line, which takes most of the
 * time.
 */
const macOf = (body: string, key: KeyObject): string => createHmac('sha256', key).update(body).digest('hex')

/** Verifies the bytes as they are on disk, so that two different files never count as the same ledger. */
const isSigned = (line: Buffer, key: KeyObject): boolean => {
  const body = line.length - macTailBytes
  if (body <= 0) return false
  const mac = createHmac('sha256', key).update(line.subarray(0, body)).update('}').digest('hex')
  return line.toString('latin1', body) === `,"mac":"${mac}"}`
}

/** Formats one signed line without its newline. The signature covers every byte of the line before it. */
export const formatLine = (n: number, at: string, act: Act, prev: string, key: Uint8Array): string => {
  const body = JSON.stringify({ n, at, act: act.act, by: act.by, data: act.data, prev })
  return `${body.slice(0, -1)},"mac":"${macOf(body, createSecretKey(key))}"}`
}

export interface Verification {
  /** The good prefix. */
  readonly entries: readonly LedgerEntry[]
  /** The chain hashes: `heads[n - 1]` belongs to line n. */
  readonly heads: readonly string[]
  /** The length of the good prefix in bytes. */
  readonly goodBytes: number
  /** The reason why the next line is not good. Absent when the whole ledger is good. */
  readonly problem?: string
  /** The number of bytes of an incomplete last line, which the next start removes. 0 when there is none. */
  readonly tornBytes: number
  /** The last good line, which the next line is chained to. */
  readonly lastLine?: string
}

const isEntry = (value: unknown): value is LedgerEntry & { readonly prev: string } =>
  isObject(value) &&
  typeof value['at'] === 'string' &&
  typeof value['act'] === 'string' &&
  typeof value['by'] === 'string' &&
  isObject(value['data'])

const parse = (line: Buffer): unknown => {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return undefined
  }
}

const newline = 10

/**
 * Verifies the number, the chain and the signature of every line of a ledger. Pure. A last line that is cut
 * short or is not JSON counts as incomplete and not as a problem; the stored head tells whether it was
 * acknowledged. Every other difference is a problem. `after`: the last line before the bytes, for a part of a
 * ledger.
 */
export const verifyLedger = (
  bytes: Buffer,
  key: Uint8Array,
  after: { readonly count: number; readonly head: string } = { count: 0, head: noLine },
): Verification => {
  const keyObject = createSecretKey(key)
  const entries: LedgerEntry[] = []
  const heads: string[] = []
  let last: Buffer | undefined
  let start = 0
  const result = (problem?: string, isTorn = false): Verification => ({
    entries,
    heads,
    goodBytes: start,
    problem,
    tornBytes: isTorn ? bytes.length - start : 0,
    lastLine: last?.toString('utf8'),
  })
  while (start < bytes.length) {
    const end = bytes.indexOf(newline, start)
    if (end === -1) return result(undefined, true)
    const line = bytes.subarray(start, end)
    const value = parse(line)
    if (value === undefined && end + 1 === bytes.length) return result(undefined, true)
    const n = after.count + entries.length + 1
    if (!isEntry(value)) return result(`line ${n} is not a ledger entry`)
    if (!isSigned(line, keyObject)) return result(`line ${n} has a wrong signature`)
    if (value.n !== n) return result(`line ${n} has the number ${String(value.n)}`)
    if (value.prev !== (heads.at(-1) ?? after.head))
      return result(`line ${n} does not follow the line before it`)
    entries.push({ n, at: value.at, act: value.act, by: value.by, data: value.data })
    heads.push(chainOf(line))
    last = line
    start = end + 1
  }
  return result()
}

/** A readable line after the good prefix. `isSigned` is true when its signature is valid. */
export interface UnverifiedLine extends LedgerEntry {
  readonly isSigned: boolean
}

/**
 * Reads the lines of a part that does not verify. `unread` is the number of lines that cannot be read. Pure.
 */
export const readUnverified = (
  bytes: Buffer,
  key: Uint8Array,
): { readonly unverified: readonly UnverifiedLine[]; readonly unread: number } => {
  const keyObject = createSecretKey(key)
  const unverified: UnverifiedLine[] = []
  let unread = 0
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(newline, start)
    const end = found === -1 ? bytes.length : found
    const line = bytes.subarray(start, end)
    const value = parse(line)
    if (isEntry(value) && typeof value.n === 'number')
      unverified.push({
        n: value.n,
        at: value.at,
        act: value.act,
        by: value.by,
        data: value.data,
        isSigned: isSigned(line, keyObject),
      })
    else unread += 1
    start = end + 1
  }
  return { unverified, unread }
}
