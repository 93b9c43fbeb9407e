import { syncFolder, writeNew } from '../../model/disk/durable.ts'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, ProblemError } from '../../model/gate/problem.ts'
import { closeKey, keyOrNew, readKey } from './key.ts'
import { readHead, writeHead } from './head.ts'
import { chainOf, noLine, type Act } from './lines.ts'
import {
  cannotWrite,
  damagedLedger,
  formatAll,
  type Ledger,
  type LedgerPlace,
  type LedgerPorts,
  type OpenedLedger,
  type Prefix,
  type Written,
} from './place.ts'
import { ledgerFile, surveyLedger } from './read.ts'
import { withReserve } from './reserve.ts'
import { isSameStat } from '../../model/approval/source-file.ts'

const writeAll = (fd: number, content: Buffer): void => {
  for (let done = 0; done < content.length;) done += fs.writeSync(fd, content, done)
}

/** The end of the ledger after the last write. */
interface LastWrite {
  readonly count: number
  readonly lastLine: string
  readonly stat: fs.BigIntStats
}

const createLedger = (home: string, key: Buffer, found: LastWrite, ports: LedgerPorts): Ledger => {
  let lastWrite = found
  const damage = (why: string): ProblemError => {
    ports.onDamage(`the ledger is damaged: ${why}`, surveyLedger(home))
    return new ProblemError({
      code: 'ledger.damaged',
      message: `The ledger is not as hookgate last wrote it: ${why}.`,
      fix: 'Find out who writes to the gate\'s folder, then send "/hooks recover".',
    })
  }
  const isStillWhole = (): boolean => {
    const survey = surveyLedger(home)
    return (
      survey.kind === 'read' &&
      survey.problem === undefined &&
      survey.found.lastLine === lastWrite.lastLine &&
      survey.found.tornBytes === 0
    )
  }
  /**
   * The difference to the last write as a text. The last line is always compared; the whole file only when
   * its stat changed.
   */
  const difference = (fd: number): string | undefined => {
    const stat = fs.fstatSync(fd, { bigint: true })
    if (stat.ino !== lastWrite.stat.ino || stat.dev !== lastWrite.stat.dev) return 'the file was replaced'
    const tail = Buffer.from(`${lastWrite.lastLine}\n`)
    const there = Buffer.alloc(tail.length)
    const isTail =
      stat.size === lastWrite.stat.size &&
      fs.readSync(fd, there, 0, tail.length, Number(stat.size) - tail.length) === tail.length &&
      there.equals(tail)
    return isTail && (isSameStat(stat, lastWrite.stat) || isStillWhole())
      ? undefined
      : 'another program changed the file'
  }
  const open = (): number => {
    try {
      return fs.openSync(
        ledgerFile(home),
        fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW,
      )
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'].includes(codeOf(error) ?? ''))
        throw damage('the file is missing or was replaced')
      throw cannotWrite(error)
    }
  }
  const undo = (fd: number): void => {
    try {
      fs.ftruncateSync(fd, Number(lastWrite.stat.size))
      lastWrite = { ...lastWrite, stat: fs.fstatSync(fd, { bigint: true }) }
    } catch {
      throw damage('an incomplete line could not be removed')
    }
  }
  /** Opens the file, checks that it is unchanged since the last write, and passes it to `use`. */
  const withFile = <T>(use: (fd: number) => T): T => {
    const fd = open()
    try {
      const there = readKey(home)
      const why =
        typeof there === 'string' ? there : there.equals(key) ? difference(fd) : 'its key was replaced'
      if (why !== undefined) throw damage(why)
      return use(fd)
    } finally {
      fs.closeSync(fd)
    }
  }
  return {
    key,
    verify: async () => withFile(() => undefined),
    // Only one gate has a folder, so nobody else appends.
    news: async () => ({ entries: [], heads: [] }),
    append: async (acts) =>
      withFile((fd) => {
        const next = formatAll(acts, lastWrite.count, chainOf(lastWrite.lastLine), ports.now(), key)
        const count = lastWrite.count + acts.length
        try {
          withReserve(ports.reserve, () => {
            try {
              writeAll(fd, Buffer.from(next.text))
              fs.fsyncSync(fd)
              writeHead(home, { revision: count, head: next.heads.at(-1) ?? noLine }, key)
            } catch (error) {
              undo(fd)
              throw error
            }
          })
        } catch (error) {
          throw error instanceof ProblemError ? error : cannotWrite(error)
        }
        lastWrite = { count, lastLine: next.lastLine, stat: fs.fstatSync(fd, { bigint: true }) }
        return next
      }),
  }
}

const freshFile = (home: string): string => path.join(home, 'ledger.new')

/**
 * Replaces the ledger by a new one: `prefix`, if given, and then `acts`. The stored head makes this one step:
 * before it is written the old ledger is valid, after it the next start completes the new one.
 */
const beginLedger = (
  home: string,
  acts: readonly Act[],
  ports: LedgerPorts,
  trusted?: Buffer,
  prefix?: Prefix,
): Written & { readonly ledger: Ledger } => {
  try {
    const key = keyOrNew(home, trusted)
    const count = prefix?.heads.length ?? 0
    const first = formatAll(acts, count, prefix?.heads.at(-1), ports.now(), key)
    fs.rmSync(freshFile(home), { force: true })
    writeNew(
      freshFile(home),
      Buffer.concat([prefix?.bytes ?? Buffer.alloc(0), Buffer.from(first.text)]),
      0o600,
    )
    writeHead(home, { revision: count + acts.length, head: first.heads.at(-1) ?? noLine }, key)
    fs.renameSync(freshFile(home), ledgerFile(home))
    syncFolder(home)
    const lastWrite = {
      count: count + acts.length,
      lastLine: first.lastLine,
      stat: fs.lstatSync(ledgerFile(home), { bigint: true }),
    }
    return { ...first, ledger: createLedger(home, key, lastWrite, ports) }
  } catch (error) {
    // The owner is told that this failed, so the next start must not complete it.
    fs.rmSync(freshFile(home), { force: true })
    throw error instanceof ProblemError ? error : cannotWrite(error)
  }
}

/** Completes a new ledger when a power cut came after its head was stored and before its file was renamed. */
const finishBegun = (home: string): void => {
  const key = readKey(home)
  if (!Buffer.isBuffer(key) || fs.lstatSync(freshFile(home), { throwIfNoEntry: false }) === undefined) return
  const fresh = surveyLedger(home, freshFile(home))
  const storedHead = readHead(home, key)
  if (
    fresh.kind !== 'read' ||
    fresh.problem !== undefined ||
    storedHead === undefined ||
    storedHead === false ||
    fresh.found.heads.length !== storedHead.revision
  )
    return
  fs.renameSync(freshFile(home), ledgerFile(home))
  syncFolder(home)
}

/** Keeps the damaged ledger under another name and returns that name. Undefined when there is no file. */
const keepDamaged = (home: string, now: number): string | undefined => {
  const time = new Date(now).toISOString().replaceAll(':', '-')
  const existingNames = new Set(fs.readdirSync(home))
  if (!existingNames.has(path.basename(ledgerFile(home)))) return undefined
  let name = `ledger.damaged-${time}.jsonl`
  for (let index = 2; existingNames.has(name); index++) name = `ledger.damaged-${time}-${index}.jsonl`
  try {
    /*
     * The file gets a second name instead of a move, so that it stays in place until the new ledger replaces
     * it.
     */
    fs.linkSync(ledgerFile(home), path.join(home, name))
  } catch {
    fs.renameSync(ledgerFile(home), path.join(home, name))
  }
  return name
}

/**
 * Reads and verifies the ledger, and removes an incomplete last line that was never acknowledged. Repairs
 * nothing else.
 */
const openLedger = (home: string, ports: LedgerPorts): OpenedLedger => {
  finishBegun(home)
  closeKey(home)
  const survey = surveyLedger(home)
  if (survey.kind === 'empty') return survey
  if (survey.kind === 'unreadable') return { kind: 'damaged', entries: [], heads: [], why: survey.why }
  const { key, found, problem, stat } = survey
  const { entries, heads, goodBytes, lastLine = '', tornBytes } = found
  if (problem !== undefined || stat === undefined) return damagedLedger(survey)
  let currentStat = stat
  try {
    if (tornBytes > 0) {
      fs.truncateSync(ledgerFile(home), goodBytes)
      currentStat = fs.lstatSync(ledgerFile(home), { bigint: true })
    }
    // This also runs for a complete ledger, because older versions stored no head.
    writeHead(home, { revision: heads.length, head: heads.at(-1) ?? noLine }, key)
  } catch (error) {
    throw cannotWrite(error)
  }
  return {
    kind: 'good',
    entries,
    heads,
    ledger: createLedger(home, key, { count: heads.length, lastLine, stat: currentStat }, ports),
  }
}

/** The ledger as a file of the gate's folder. Its writes hold up the thread until they are on disk. */
export const fileLedger = (home: string): LedgerPlace => ({
  open: async (ports) => openLedger(home, ports),
  begin: async (...rest) => beginLedger(home, ...rest),
  survey: async () => surveyLedger(home),
  keepDamaged: async (nowMs) => keepDamaged(home, nowMs),
})
