import {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { readMembers, type Manifest } from '../../../backup/members.ts'
import { checkForm, damaged, unseal, type ReadAt } from '../../../backup/sealed-file.ts'
import { plural } from '../../../commands/words.ts'
import { prepareHome } from '../../../core/gatekeeper/home.ts'
import { shortHead } from '../../../core/model/gate/anchor.ts'
import { fold } from '../../../core/gatekeeper/ledger/fold.ts'
import { writeHead, type Head } from '../../../core/gatekeeper/ledger/head.ts'
import { readKey } from '../../../core/gatekeeper/ledger/key.ts'
import { verifyLedger } from '../../../core/gatekeeper/ledger/lines.ts'
import { ledgerFile } from '../../../core/gatekeeper/ledger/read.ts'
import { takeHome } from '../../../shared/disk/lock.ts'
import { contains, newestKnown, putBack } from './put-back.ts'
import { wholeLedgerIn } from './whole-ledger.ts'
import { fetchSeals } from '../../../core/gatekeeper/seal/fetch-seals.ts'
import { ProblemError } from '../../../core/model/gate/problem.ts'
import { written } from '../../../store/operations.ts'

export interface RestoreOptions {
  readonly home: string
  /** True when this gate keeps ledger and store in a database. */
  readonly isInDatabase: boolean
  readonly file: string
  readonly passphrase: string
}

const openBackup = (file: string): ReadAt & { close(): void } => {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    throw new ProblemError({
      code: 'backup.missing',
      message: `Expected a backup that can be read in ${file}, got an error (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}).`,
      fix: 'Nothing was changed. Correct the path, or the rights of the file.',
    })
  }
  const stat = fstatSync(descriptor)
  if (!stat.isFile()) {
    closeSync(descriptor)
    throw new ProblemError({
      code: 'backup.kind',
      message: `Expected a file, got ${file}, which is none.`,
      fix: 'Nothing was changed. Name the file of a backup.',
    })
  }
  return {
    size: stat.size,
    read: (at, length) => {
      const bytes = Buffer.alloc(length)
      let filled = 0
      for (let count = -1; count !== 0 && filled < length; filled += count)
        count = readSync(descriptor, bytes, filled, length - filled, at + filled)
      return bytes.subarray(0, filled)
    },
    close: () => closeSync(descriptor),
  }
}

/** Throws a ProblemError when the file is no whole backup, before anybody is asked for its passphrase. */
export const checkBackup = (file: string): void => {
  const backup = openBackup(file)
  try {
    checkForm(backup)
  } finally {
    backup.close()
  }
}

const checkRoom = (home: string, { bytes }: Manifest): void => {
  const { bavail, bsize } = statfsSync(home)
  if (bavail * bsize > bytes) return
  throw new ProblemError({
    code: 'restore.room',
    message: `Expected ${plural(bytes, 'byte')} of free space for ${home}, got ${bavail * bsize}.`,
    fix: 'Nothing was changed. Free some space.',
  })
}

const checkPlace = ({ from }: Manifest, isInDatabase: boolean): void => {
  if (from === 'database' || !isInDatabase) return
  throw new ProblemError({
    code: 'restore.database',
    message:
      'Expected the backup of a gate with a database, since HOOKGATE_DATABASE is set, got one that has a ledger of its own.',
    fix: 'Nothing was changed. Restore it without HOOKGATE_DATABASE, and carry it into an empty database with "hookgate migrate --to".',
  })
}

/** Writes everything that the backup holds into a new folder. Nothing of it counts before it is whole. */
const unpack = (pieces: Iterator<Buffer>, draft: string, begin: (manifest: Manifest) => void): Manifest => {
  let manifest: Manifest | undefined
  for (const name of ['', 'secrets', 'seal', 'sealed'])
    mkdirSync(join(draft, name), { recursive: true, mode: 0o700 })
  readMembers(pieces, {
    begin: (found) => {
      begin(found)
      manifest = found
    },
    file: ({ name }, content) => {
      const descriptor = openSync(join(draft, name), 'wx', 0o600)
      try {
        for (const part of content) for (let at = 0; at < part.length;) at += writeSync(descriptor, part, at)
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
    },
  })
  if (manifest === undefined) throw damaged('it is empty')
  return manifest
}

/** SQLite takes memory, so only this verb loads it. */
const loadEngines = async () => ({
  ...(await import('../../../store/sqlite/snapshot.ts')),
  ...(await import('../../../store/sqlite/whole.ts')),
})

type Engines = Awaited<ReturnType<typeof loadEngines>>

/** The gate tells its owners at its next start. */
const noteRestore = async (
  store: ReturnType<Engines['createStoreFile']>,
  { at, ledger }: Manifest,
): Promise<void> => {
  try {
    const note = JSON.stringify({ at, revision: ledger?.revision ?? 0 })
    await store.add([['setFact', 'restored', written(note)]])
  } finally {
    store.close()
  }
}

interface Checked {
  readonly key: Buffer
  /** The chain hash of each line. Absent: the ledger is in a database. */
  readonly heads?: readonly string[]
  /** What to tell. */
  readonly words: readonly string[]
}

/** Checks what was unpacked as a gate would, and writes the seals. */
const check = async (
  draft: string,
  manifest: Manifest,
  { checkDatabase, createStoreFile }: Engines,
): Promise<Checked> => {
  const { from, ledger, left } = manifest
  const key = readKey(draft)
  if (!Buffer.isBuffer(key)) throw damaged(`the ledger cannot be verified: ${key}`)
  const has = (name: string): boolean => lstatSync(join(draft, name), { throwIfNoEntry: false }) !== undefined
  for (const name of ['state.db', 'history.db'].filter(has)) checkDatabase(join(draft, name))
  if (from === 'database') {
    if (has('ledger.jsonl') || has('state.db')) throw damaged('it holds other files than it says')
    rmSync(join(draft, 'sealed'), { recursive: true })
    return {
      key,
      words: ['  ledger, approvals and records are not in a backup of this gate. They are in its database.'],
    }
  }
  if (!has('ledger.jsonl')) throw damaged('it has no ledger')
  await noteRestore(createStoreFile(join(draft, 'state.db')), manifest)
  const { heads, entries } = verifyLedger(readFileSync(ledgerFile(draft)), key)
  const head = heads.at(-1)
  if (head === undefined || head !== ledger?.head || heads.length !== ledger.revision)
    throw damaged('its ledger is another one than it says')
  writeHead(draft, { revision: heads.length, head }, key)
  const { approvals } = wholeLedgerIn(draft)
  rmSync(join(draft, 'secrets', 'ledger.head'))
  const problems: string[] = []
  const get = (sha256: string): Promise<Buffer | undefined> =>
    Promise.resolve(has(`sealed/${sha256}`) ? readFileSync(join(draft, 'sealed', sha256)) : undefined)
  await fetchSeals(join(draft, 'seal'), approvals, { get }, (_, __, { hook = '' }) => problems.push(hook))
  if (problems.length > 0)
    throw damaged(`a file of an approved hook is missing or another one (${problems.join(', ')})`)
  rmSync(join(draft, 'sealed'), { recursive: true })
  const { owners } = fold(entries).state
  return {
    key,
    heads,
    words: [
      `  ledger: ${plural(heads.length, 'line')}, each verified, head ${shortHead(head)}`,
      `  ${plural(approvals.length, 'approval')} in force, with every sealed file`,
      `  owned by ${[...owners.keys()].join(', ') || 'nobody yet'}`,
      ...(left === 0
        ? []
        : [
            `  left out: what waited then (${left} in all: messages, prompts, questions), since it may have had its turn`,
          ]),
    ],
  }
}

const line = ({ revision, head }: Head): string => `${plural(revision, 'line')}, head ${shortHead(head)}`

const lockdownWords = (known: Head, { ledger }: Manifest): readonly string[] => [
  `⚠ This machine knows a newer ledger (${line(known)}) than the one of the backup${ledger === undefined ? '' : ` (${line(ledger)})`}.`,
  'hookgate starts in LOCKDOWN: no approval counts, gated steps are blocked and messages are held. An owner ends that in a private chat:',
  '  /hooks recover                begins a new ledger: the owners stay, and each hook has to be approved again',
  ...(ledger === undefined
    ? []
    : [
        `  /hooks recover ${shortHead(ledger.head)}   goes on from the backup. What was revoked after it counts as approved again.`,
      ]),
]

const freshWords = ({ ledger }: Manifest): readonly string[] =>
  ledger === undefined
    ? []
    : [
        `hookgate cannot see here whether an owner revoked something after this backup. It compares its ledger (${line(ledger)}) with the checkpoint that is pinned in an owner's chat, and goes into lockdown if that is newer. It also tells the owners. Look through /hooks list.`,
      ]

/**
 * From now on root is the one whose folder it is: what is made belongs to them, and no link in their folder
 * leads root elsewhere. Of a folder that is missing, the folder around it tells, as that of a service does.
 */
const becomeOwnerOf = (home: string): void => {
  if (process.getuid?.() !== 0) return
  const stat = [home, dirname(home)]
    .map((path) => lstatSync(path, { throwIfNoEntry: false }))
    .find((found) => found !== undefined)
  if (stat === undefined || stat.uid === 0) return
  process.setgroups?.([stat.gid])
  process.setgid?.(stat.gid)
  process.setuid?.(stat.uid)
}

/**
 * Puts a backup back into a gate's folder while no gate runs there. Everything is checked before anything is
 * changed. Resolves with what to tell. The process of root becomes the folder's owner.
 */
export const restore = async ({
  home: named,
  isInDatabase,
  file,
  passphrase,
}: RestoreOptions): Promise<string> => {
  // They are loaded and opened first, because the folder's owner may not read them.
  const engines = await loadEngines()
  const backup = openBackup(file)
  try {
    becomeOwnerOf(named)
    const pieces = unseal(backup, passphrase)
    // A foreign, cut or locked file ends here, before a folder is made.
    const first = pieces.next()
    const all = (function* () {
      if (first.done !== true) yield first.value
      yield* pieces
    })()
    const isNew = lstatSync(named, { throwIfNoEntry: false }) === undefined
    const { home } = prepareHome(named)
    const { release } = takeHome(home)
    const draft = join(home, 'restoring')
    let isDone = false
    try {
      rmSync(draft, { recursive: true, force: true })
      const manifest = unpack(all, draft, (found) => {
        checkPlace(found, isInDatabase)
        checkRoom(home, found)
      })
      const { key, heads, words } = await check(draft, manifest, engines)
      const known = newestKnown(home, key)
      const own = manifest.ledger
      // Without the lines nobody can tell which of two ledgers of a database goes on from the other.
      const isNewer =
        known === undefined ||
        (heads === undefined ? (own?.revision ?? 0) >= known.revision : contains(heads, known))
      const aside = join(home, `before-restore-${new Date().toISOString().replaceAll(':', '-')}`)
      putBack(home, draft, aside, key, isNewer ? own : known)
      isDone = true
      const hasAside = lstatSync(aside, { throwIfNoEntry: false }) !== undefined
      return [
        `The gate of ${manifest.at} (hookgate ${manifest.hookgate}) is in ${home} now:`,
        ...words,
        ...(known === undefined ? freshWords(manifest) : isNewer ? [] : lockdownWords(known, manifest)),
        ...(hasAside ? [`What was there before is in ${aside}. Remove that folder when all is well.`] : []),
        isInDatabase || manifest.from === 'database'
          ? 'Put the database back as well, set HOOKGATE_DATABASE, and start hookgate.'
          : 'Start hookgate.',
      ].join('\n')
    } finally {
      rmSync(draft, { recursive: true, force: true })
      release()
      if (isNew && !isDone) rmSync(home, { recursive: true, force: true })
    }
  } finally {
    backup.close()
  }
}
