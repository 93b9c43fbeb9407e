import { pathInSeal } from '../../../core/model/approval/names.ts'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { frameOf, roomFor, type Manifest } from '../../../backup/members.ts'
import { createSealer } from '../../../backup/sealed-file.ts'
import { plural } from '../../../commands/words.ts'
import { version } from '../../../config/version.ts'
import { shortHead } from '../../../core/model/gate/anchor.ts'
import { readHead } from '../../../core/gatekeeper/ledger/head.ts'
import { readKey } from '../../../core/gatekeeper/ledger/key.ts'
import { sealedFilesIn, wholeLedgerIn, type WholeLedger } from './whole-ledger.ts'
import { messageOf, ProblemError } from '../../../core/model/gate/problem.ts'
import { changed, plainSources, sourceAt, sourceOf, type BackupSource } from './source.ts'

export interface BackupOptions {
  readonly home: string
  /** True when ledger and store are in a database. */
  readonly isInDatabase: boolean
  readonly file: string
  readonly passphrase: string
  /** The cost of scrypt. Absent: the usual one. */
  readonly cost?: number
}

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const taken = (file: string): ProblemError =>
  new ProblemError({
    code: 'backup.exists',
    message: `Expected a name that is free, got one that exists: ${file}.`,
    fix: 'Nothing was written. Name another file.',
  })

const unwritable = (file: string, error: unknown): ProblemError =>
  error instanceof ProblemError
    ? error
    : new ProblemError({
        code: 'backup.write',
        message: `Expected to write ${file}, got "${messageOf(error)}".`,
        fix: 'Nothing was left there. Check the folder, its rights and its free space.',
      })

const snapshotPrefix = 'backing-up-'
const maxSnapshotAgeMs = 24 * 60 * 60 * 1000

/** A folder for the copies of the databases. One that a killed backup has left is removed after a day. */
const makeSnapshotFolder = (home: string): string => {
  for (const name of readdirSync(home).filter((one) => one.startsWith(snapshotPrefix)))
    if (Math.abs(Date.now() - statSync(join(home, name)).mtimeMs) > maxSnapshotAgeMs)
      rmSync(join(home, name), { recursive: true, force: true })
  return mkdtempSync(join(home, snapshotPrefix))
}

interface BackupContent {
  readonly sources: readonly BackupSource[]
  readonly manifest: Manifest
  readonly ledger?: WholeLedger
}

/** The sealed files of the approvals in force, each once. Throws when one is not as it was approved. */
const sealedSources = (home: string, approvals: WholeLedger['approvals']): readonly BackupSource[] => {
  let verified = 0
  for (const { content } of sealedFilesIn(home, approvals)) verified += content.length
  const paths = new Map(
    approvals.flatMap(({ fingerprint, files }) =>
      files.map(({ path, sha256 }) => [sha256, join(home, 'seal', fingerprint, pathInSeal(path))] as const),
    ),
  )
  const sources = [...paths].flatMap(([sha256, path]) => sourceAt(`sealed/${sha256}`, path) ?? [])
  if (sources.reduce((sum, { bytes }) => sum + bytes, 0) !== verified) throw changed(join(home, 'seal'))
  return sources
}

/** Everything of a folder, as it is at one moment. */
const contentOf = async (
  { home, isInDatabase }: BackupOptions,
  snapshots: string,
): Promise<BackupContent> => {
  // SQLite takes memory, so only this verb loads it.
  const { dropWaiting, snapshot } = await import('../../../store/sqlite/snapshot.ts')
  const ledger = isInDatabase ? undefined : wholeLedgerIn(home)
  const databases = isInDatabase ? ['history.db'] : ['state.db', 'history.db']
  const copied = databases.filter((name) => snapshot(join(home, name), join(snapshots, name)))
  const left = copied.includes('state.db') ? dropWaiting(join(snapshots, 'state.db')) : 0
  const sources = [
    ...plainSources(home),
    ...(ledger === undefined
      ? []
      : [sourceOf('ledger.jsonl', Buffer.from(ledger.lines.map((line) => `${line}\n`).join('')))]),
    ...sealedSources(home, ledger?.approvals ?? []),
    ...copied.flatMap((name) => sourceAt(name, join(snapshots, name)) ?? []),
  ]
  const tooLarge = sources.find(({ name, bytes }) => bytes > (roomFor(name) ?? 0))
  if (tooLarge !== undefined)
    throw new ProblemError({
      code: 'backup.size',
      message: `Expected ${tooLarge.name} to have at most ${roomFor(tooLarge.name)} bytes, got ${tooLarge.bytes}.`,
      fix: 'Nothing was written.',
    })
  const key = readKey(home)
  const seen = ledger === undefined && Buffer.isBuffer(key) ? readHead(home, key) : undefined
  const known = ledger === undefined ? seen : { revision: ledger.lines.length, head: ledger.head }
  return {
    sources,
    ledger,
    manifest: {
      from: isInDatabase ? 'database' : 'folder',
      at: new Date().toISOString(),
      hookgate: version(),
      ...(known === undefined || known === false ? {} : { ledger: known }),
      left,
      files: sources.length,
      bytes: sources.reduce((sum, { bytes }) => sum + bytes, 0),
    },
  }
}

/** Writes the file under another name, and renames it at the end. An existing file is never replaced. */
const writeSealed = (file: string, write: (out: (bytes: Uint8Array) => void) => void): number => {
  if (exists(file)) throw taken(file)
  const part = `${file}.part-${randomUUID().slice(0, 8)}`
  try {
    const descriptor = openSync(part, 'wx', 0o600)
    let size = 0
    try {
      write((bytes) => {
        for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
      })
      fsyncSync(descriptor)
      size = fstatSync(descriptor).size
    } finally {
      closeSync(descriptor)
    }
    try {
      linkSync(part, file)
      rmSync(part)
    } catch {
      // This disk has no second names, as that of a stick, or the name was taken meanwhile.
      if (exists(file)) throw taken(file)
      renameSync(part, file)
    }
    return size
  } catch (error) {
    rmSync(part, { force: true })
    throw unwritable(file, error)
  }
}

const maxTries = 3

/** True when the ledger is still the one that was read before. */
const isStill = (home: string, { head }: WholeLedger): boolean => wholeLedgerIn(home).head === head

/**
 * The sealed files and the databases belong to the ledger of the same moment. An owner may act meanwhile;
 * then everything is read again.
 */
const steadyContent = async (options: BackupOptions, snapshots: string): Promise<BackupContent> => {
  for (let tries = 1; ; tries++) {
    for (const name of readdirSync(snapshots)) rmSync(join(snapshots, name))
    try {
      const content = await contentOf(options, snapshots)
      if (content.ledger === undefined || isStill(options.home, content.ledger)) return content
    } catch (error) {
      if (tries === maxTries) throw error
    }
    if (tries === maxTries)
      throw new ProblemError({
        code: 'backup.busy',
        message: 'Expected a ledger that stays as it is for a moment, got new lines each time.',
        fix: 'Nothing was written. Try again when nobody approves or revokes.',
      })
  }
}

const sizeWords = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`

const inFolder = ({ lines, head, approvals }: WholeLedger, sources: readonly BackupSource[]): string =>
  [
    `  ledger: ${plural(lines.length, 'line')}, each verified, head ${shortHead(head)}`,
    `  ${plural(approvals.length, 'approval')} in force with ${plural(sources.filter(({ name }) => name.startsWith('sealed/')).length, 'sealed file')}`,
  ].join('\n')

const inDatabase = `  ledger, approvals and records: NOT in it. They are in the database. Back it up with pg_dump at the same time.`

/** Throws a ProblemError when a file of this name is there, before anybody is asked for a passphrase. */
export const checkFree = (file: string): void => {
  if (exists(file)) throw taken(file)
}

/** Writes an encrypted backup of a gate's folder, also while the gate runs. Resolves with what to tell. */
export const backUp = async (options: BackupOptions): Promise<string> => {
  const { home, file, passphrase, cost } = options
  checkFree(file)
  if (!exists(join(home, 'secrets')))
    throw new ProblemError({
      code: 'backup.home',
      message: `Expected the folder of a gate, got ${home}, in which no gate has begun.`,
      fix: 'Nothing was written. Name the folder with HOOKGATE_HOME, such as /var/lib/hookgate/gate.',
    })
  const snapshots = makeSnapshotFolder(home)
  try {
    const { sources, manifest, ledger } = await steadyContent(options, snapshots)
    const size = writeSealed(file, (out) => {
      const sealer = createSealer(passphrase, out, cost)
      sealer.write(frameOf(manifest))
      for (const { name, bytes, read } of sources) {
        sealer.write(frameOf({ name, bytes }))
        for (const part of read()) sealer.write(part)
      }
      sealer.end()
    })
    return `Wrote ${file}: ${sizeWords(size)}, encrypted, for your eyes alone (mode 600).
${ledger === undefined ? inDatabase : inFolder(ledger, sources)}
  ${sources
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('sealed/') && name !== 'ledger.jsonl')
    .join(', ')}
Keep the passphrase apart from the file. hookgate keeps it nowhere, and nobody can read the file without it.
Not in it: the workspace, environment variables such as TELEGRAM_BOT_TOKEN, and the homes of agents and hooks.`
  } finally {
    rmSync(snapshots, { recursive: true, force: true })
  }
}
