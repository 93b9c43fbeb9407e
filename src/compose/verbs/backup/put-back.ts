import { syncFolder } from '../../../core/model/disk/durable.ts'
import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../../../core/model/gate/problem.ts'
import { readHead, writeHead, type Head } from '../../../core/gatekeeper/ledger/head.ts'
import { readKey } from '../../../core/gatekeeper/ledger/key.ts'
import { verifyLedger } from '../../../core/gatekeeper/ledger/lines.ts'
import { ledgerFile, readBytes } from '../../../core/gatekeeper/ledger/read.ts'

const exists = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined

const foreign = (home: string, why: string): ProblemError =>
  new ProblemError({
    code: 'restore.foreign',
    message: `Expected a folder of the gate that was backed up, or an empty one, but in ${home} ${why}.`,
    fix: 'Nothing was changed. Name another folder with HOOKGATE_HOME, or move this one elsewhere.',
  })

/** The good lines of the ledger that is there. */
const headsIn = (home: string, key: Buffer): readonly string[] => {
  if (!exists(ledgerFile(home))) return []
  try {
    return verifyLedger(readBytes(ledgerFile(home)).bytes, key).heads
  } catch {
    // It cannot be read, which may be the reason for the restore. The stored head tells how long it was.
    return []
  }
}

/**
 * The newest line of the ledger that this folder knows of. Undefined: it knows of none. `key` is the key of
 * the backup. Throws a ProblemError when the folder is another gate's.
 */
export const newestKnown = (home: string, key: Buffer): Head | undefined => {
  const own = readKey(home)
  if (Buffer.isBuffer(own) && !own.equals(key)) throw foreign(home, 'is the key of another gate')
  const stored = readHead(home, key)
  if (stored === false) throw foreign(home, 'the stored head of the ledger has another signature')
  const heads = headsIn(home, key)
  if (stored === undefined && heads.length === 0 && exists(ledgerFile(home)))
    throw foreign(home, 'is a ledger with another signature')
  const last = heads.at(-1)
  return last === undefined || heads.length <= (stored?.revision ?? 0)
    ? stored
    : { revision: heads.length, head: last }
}

/** True when a ledger with these chain hashes contains this line. */
export const contains = (heads: readonly string[], { revision, head }: Head): boolean =>
  heads[revision - 1] === head

/** A database has side files, which belong to exactly this one. */
const sidesOf = (name: string): readonly string[] =>
  name.endsWith('.db') ? [name, `${name}-wal`, `${name}-shm`] : [name]

const namesIn = (folder: string): readonly string[] => (exists(folder) ? fs.readdirSync(folder) : [])

/**
 * Puts what was prepared in `draft` in place of what the folder has, and moves that to `aside`. The caller
 * has locked the folder. `head`: the newest line that anybody knows of. It is written first, so that an older
 * ledger is a lockdown from that moment on, whatever happens; the ledger comes last. When this throws, the
 * folder is as it was.
 */
export const putBack = (
  home: string,
  draft: string,
  aside: string,
  key: Buffer,
  head: Head | undefined,
): void => {
  const undo: (() => void)[] = []
  const setAside = (name: string): void => {
    const from = path.join(home, name)
    if (!exists(from)) return
    const to = path.join(aside, name)
    fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 })
    fs.renameSync(from, to)
    undo.push(() => fs.renameSync(to, from))
  }
  const put = (name: string): void => {
    for (const side of sidesOf(name)) setAside(side)
    fs.renameSync(path.join(draft, name), path.join(home, name))
    undo.push(() => fs.rmSync(path.join(home, name), { recursive: true, force: true }))
  }
  const ledger = path.basename(ledgerFile(home))
  try {
    for (const name of namesIn(path.join(draft, 'secrets'))) put(path.join('secrets', name))
    if (head !== undefined) {
      const before = readHead(home, key)
      undo.push(() =>
        before === undefined || before === false
          ? fs.rmSync(path.join(home, 'secrets', 'ledger.head'), { force: true })
          : writeHead(home, before, key),
      )
      writeHead(home, head, key)
      syncFolder(path.join(home, 'secrets'))
    }
    for (const name of namesIn(path.join(draft, 'seal'))) put(path.join('seal', name))
    const others = namesIn(draft).filter((name) => !['secrets', 'seal', ledger].includes(name))
    for (const name of others) put(name)
    if (exists(path.join(draft, ledger))) {
      setAside('ledger.new')
      put(ledger)
    }
    for (const folder of [path.join(home, 'seal'), home]) syncFolder(folder)
  } catch (error) {
    for (const step of undo.toReversed()) step()
    throw error
  }
}
