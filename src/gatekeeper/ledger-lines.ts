import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { isObject } from '../model/json.ts'

export type ActName = 'genesis' | 'on' | 'off' | 'approve' | 'revoke' | 'owner_add' | 'owner_remove' | 'recover'

/** What an owner did, before it is numbered and signed. */
export interface Act {
  readonly act: ActName
  /** The owner's id, or what stands for one at adoption. */
  readonly by: string
  readonly data: Readonly<Record<string, unknown>>
}

/** One line of the ledger, verified. */
export interface LedgerEntry {
  readonly n: number
  /** ISO 8601. */
  readonly at: string
  readonly act: string
  readonly by: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What the first line is chained to. */
export const noLine = '0'.repeat(64)
/** `,"mac":"<64 hex digits>"}` */
const macTailUnits = 8 + 64 + 2

/** What the next line is chained to: SHA-256 of this one, without its newline. */
export const chainOf = (line: string): string => hash('sha256', line)

/** A key object, made once: with raw bytes, Node makes one for every line, and that is most of the time. */
const macOf = (body: string, key: KeyObject): string => createHmac('sha256', key).update(body).digest('hex')

/** One signed line without its newline. The signature covers every byte of the line before it. */
export const formatLine = (n: number, at: string, act: Act, prev: string, key: Uint8Array): string => {
  const body = JSON.stringify({ n, at, act: act.act, by: act.by, data: act.data, prev })
  return `${body.slice(0, -1)},"mac":"${macOf(body, createSecretKey(key))}"}`
}

export interface Verification {
  /** The good prefix. */
  readonly entries: readonly LedgerEntry[]
  /** What is wrong after it, in words; absent when the whole ledger is good. */
  readonly problem?: string
  /** The end of a line that was being written when the power went: to be cut off. 0 when there is none. */
  readonly tornBytes: number
  /** The last good line, for the next one's chain. */
  readonly lastLine?: string
}

const isEntry = (value: unknown): value is LedgerEntry & { readonly prev: string } =>
  isObject(value) &&
  typeof value['at'] === 'string' &&
  typeof value['act'] === 'string' &&
  typeof value['by'] === 'string' &&
  isObject(value['data'])

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Verifies a whole ledger: numbering, chain and signature of every line. Pure. A last line that is cut short or is no
 * JSON is torn, not wrong: it was never acknowledged. Everything else that differs is a problem.
 */
export const verifyLedger = (text: string, key: Uint8Array): Verification => {
  const keyObject = createSecretKey(key)
  const entries: LedgerEntry[] = []
  let lastLine: string | undefined
  const result = (problem?: string, tornFrom = text.length): Verification => ({
    entries,
    ...(problem === undefined ? {} : { problem }),
    tornBytes: Buffer.byteLength(text.slice(tornFrom)),
    ...(lastLine === undefined ? {} : { lastLine }),
  })
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    if (end === -1) return result(undefined, start)
    const line = text.slice(start, end)
    const value = parse(line)
    if (value === undefined && end + 1 === text.length) return result(undefined, start)
    const n = entries.length + 1
    if (!isEntry(value)) return result(`line ${n} is not a ledger entry`)
    const mac = line.slice(-macTailUnits)
    if (mac !== `,"mac":"${macOf(`${line.slice(0, -macTailUnits)}}`, keyObject)}"}`) return result(`line ${n} has a wrong signature`)
    if (value.n !== n) return result(`line ${n} has the number ${String(value.n)}`)
    if (value.prev !== (lastLine === undefined ? noLine : chainOf(lastLine))) {
      return result(`line ${n} does not follow the line before it`)
    }
    entries.push({ n, at: value.at, act: value.act, by: value.by, data: value.data })
    lastLine = line
    start = end + 1
  }
  return result()
}
