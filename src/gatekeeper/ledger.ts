import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../model/problem.ts'
import { syncFolder, writeNew } from './durable.ts'
import { createKey, readKey } from './key.ts'
import { chainOf, formatLine, noLine, verifyLedger, type Act, type LedgerEntry } from './ledger-lines.ts'

const fileOf = (home: string): string => path.join(home, 'ledger.jsonl')
const maxLedgerBytes = 256 * 1024 * 1024

export interface Ledger {
  /** Appends all acts in one write, on disk when this returns. Throws a ProblemError and changes nothing when it cannot. */
  append(acts: readonly Act[]): readonly LedgerEntry[]
}

/** What was found on disk. */
export type Opened =
  | { readonly kind: 'empty' }
  | { readonly kind: 'good'; readonly entries: readonly LedgerEntry[]; readonly ledger: Ledger }
  | { readonly kind: 'damaged'; readonly entries: readonly LedgerEntry[]; readonly why: string }

export interface LedgerPorts {
  readonly now: () => number
  /** The file is not what was last written: somebody else writes to it. */
  readonly onDamage: (why: string) => void
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : String(error))

const cannotWrite = (error: unknown): ProblemError =>
  new ProblemError({
    code: 'ledger.write',
    message: `Expected to write the ledger, got an error (${codeOf(error)}).`,
    fix: "Make room on the disk and give hookgate's user the right to write its folder, then try again. Nothing was changed.",
  })

interface Formatted {
  readonly entries: readonly LedgerEntry[]
  readonly text: string
  readonly lastLine: string
}

const formatAll = (acts: readonly Act[], from: number, prev: string | undefined, now: number, key: Buffer): Formatted => {
  const at = new Date(now).toISOString()
  let lastLine = prev
  let text = ''
  const entries = acts.map((act, index): LedgerEntry => {
    const n = from + index + 1
    lastLine = formatLine(n, at, act, lastLine === undefined ? noLine : chainOf(lastLine), key)
    text += `${lastLine}\n`
    return { n, at, act: act.act, by: act.by, data: act.data }
  })
  return { entries, text, lastLine: lastLine ?? '' }
}

const writeAll = (fd: number, content: Buffer): void => {
  for (let done = 0; done < content.length; ) done += fs.writeSync(fd, content, done)
}

const createLedger = (
  home: string,
  key: Buffer,
  found: { readonly count: number; readonly bytes: number; readonly lastLine: string },
  ports: LedgerPorts,
): Ledger => {
  let { count, bytes, lastLine } = found
  const damage = (why: string): ProblemError => {
    ports.onDamage(why)
    return new ProblemError({
      code: 'ledger.damaged',
      message: `Expected the ledger as hookgate left it, got one that differs: ${why}.`,
      fix: 'Find out who writes to the gate\'s folder, then send "/hooks recover".',
    })
  }
  const isAsLeft = (fd: number): boolean => {
    const tail = Buffer.from(`${lastLine}\n`)
    const there = Buffer.alloc(tail.length)
    return (
      fs.fstatSync(fd).size === bytes &&
      fs.readSync(fd, there, 0, tail.length, bytes - tail.length) === tail.length &&
      there.equals(tail)
    )
  }
  return {
    append: (acts) => {
      let fd: number
      try {
        fd = fs.openSync(fileOf(home), fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW)
      } catch (error) {
        if (['ENOENT', 'ELOOP', 'EISDIR'].includes(codeOf(error))) throw damage('the file is gone or replaced')
        throw cannotWrite(error)
      }
      try {
        if (!isAsLeft(fd)) throw damage('the file was changed by somebody else')
        const next = formatAll(acts, count, lastLine, ports.now(), key)
        const content = Buffer.from(next.text)
        try {
          writeAll(fd, content)
          fs.fsyncSync(fd)
        } catch (error) {
          fs.ftruncateSync(fd, bytes)
          throw cannotWrite(error)
        }
        count += acts.length
        bytes += content.length
        lastLine = next.lastLine
        return next.entries
      } finally {
        fs.closeSync(fd)
      }
    },
  }
}

/** Begins a new ledger in one step: either the old file stands, or the new one with all of `acts`. */
export const beginLedger = (
  home: string,
  acts: readonly Act[],
  ports: LedgerPorts,
): { readonly entries: readonly LedgerEntry[]; readonly ledger: Ledger } => {
  try {
    const key = readKey(home)
    const usable = Buffer.isBuffer(key) ? key : createKey(home)
    const first = formatAll(acts, 0, undefined, ports.now(), usable)
    const fresh = path.join(home, 'ledger.new')
    fs.rmSync(fresh, { force: true })
    writeNew(fresh, first.text, 0o600)
    fs.renameSync(fresh, fileOf(home))
    syncFolder(home)
    const found = { count: acts.length, bytes: Buffer.byteLength(first.text), lastLine: first.lastLine }
    return { entries: first.entries, ledger: createLedger(home, usable, found, ports) }
  } catch (error) {
    throw error instanceof ProblemError ? error : cannotWrite(error)
  }
}

/** Keeps what is left of a damaged ledger under another name, and returns that name; undefined when nothing is left. */
export const keepDamaged = (home: string, now: number): string | undefined => {
  const time = new Date(now).toISOString().replaceAll(':', '-')
  const taken = new Set(fs.readdirSync(home))
  if (!taken.has(path.basename(fileOf(home)))) return undefined
  let name = `ledger.damaged-${time}.jsonl`
  for (let index = 2; taken.has(name); index++) name = `ledger.damaged-${time}-${index}.jsonl`
  try {
    // A second name, not a move: until the new ledger replaces it, the damaged one stays where lockdown finds it.
    fs.linkSync(fileOf(home), path.join(home, name))
  } catch {
    fs.renameSync(fileOf(home), path.join(home, name))
  }
  return name
}

const readText = (home: string): string => {
  const fd = fs.openSync(fileOf(home), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile()) throw new Error('it is no regular file')
    if (stat.size > maxLedgerBytes) throw new Error(`it has ${stat.size} bytes, more than ${maxLedgerBytes}`)
    return fs.readFileSync(fd, 'utf8')
  } finally {
    fs.closeSync(fd)
  }
}

/** Reads and verifies the ledger, and cuts off a torn last line. Never repairs anything else. */
export const openLedger = (home: string, ports: LedgerPorts): Opened => {
  let text: string
  try {
    text = readText(home)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'empty' }
    return { kind: 'damaged', entries: [], why: `the ledger cannot be read (${codeOf(error)})` }
  }
  if (text === '') return { kind: 'empty' }
  const key = readKey(home)
  if (!Buffer.isBuffer(key)) return { kind: 'damaged', entries: [], why: `the ledger cannot be verified: ${key}` }
  const { entries, problem, tornBytes, lastLine } = verifyLedger(text, key)
  if (problem !== undefined) return { kind: 'damaged', entries, why: `the ledger is damaged: ${problem}` }
  const bytes = Buffer.byteLength(text) - tornBytes
  if (tornBytes > 0) {
    try {
      fs.truncateSync(fileOf(home), bytes)
    } catch (error) {
      throw cannotWrite(error)
    }
  }
  if (lastLine === undefined) return { kind: 'empty' }
  return { kind: 'good', entries, ledger: createLedger(home, key, { count: entries.length, bytes, lastLine }, ports) }
}
