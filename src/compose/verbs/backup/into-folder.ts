import { syncFolder, writeNew } from '../../../core/model/disk/durable.ts'
import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../../../core/model/gate/problem.ts'
import type { SharedFiles } from '../../../core/model/gate/shared.ts'
import { writeHead } from '../../../core/gatekeeper/ledger/head.ts'
import { verifyLedger } from '../../../core/gatekeeper/ledger/lines.ts'
import { ledgerFile } from '../../../core/gatekeeper/ledger/read.ts'
import { fetchSeals } from '../../../core/gatekeeper/seal/fetch-seals.ts'
import type { WholeLedger } from './whole-ledger.ts'

const draftOf = (home: string): string => path.join(home, 'moving')
const storeFile = (home: string): string => path.join(home, 'state.db')

/** What a gate without a database would go on from. */
const ownFiles = (home: string): readonly string[] => [
  ledgerFile(home),
  path.join(home, 'ledger.new'),
  storeFile(home),
]

const exists = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined

/**
 * Removes what an interrupted move has left. A store without a ledger is part of it: a move begins only where
 * there is neither.
 */
const clearInterrupted = (home: string): void => {
  if (!exists(draftOf(home))) return
  if (!exists(ledgerFile(home)))
    for (const side of ['', '-wal', '-shm']) fs.rmSync(`${storeFile(home)}${side}`, { force: true })
  fs.rmSync(draftOf(home), { recursive: true })
}

/** Throws when a gate of its own has begun in this folder. */
const checkUnused = (home: string): void => {
  const found = ownFiles(home).filter(exists)
  if (found.length === 0) return
  throw new ProblemError({
    code: 'move.used',
    message: `Expected a folder without a ledger and without a history, got ${found.map((file) => path.basename(file)).join(' and ')} in ${home}.`,
    fix: 'Nothing was changed. Name another folder with HOOKGATE_HOME, and copy secrets/ledger.key and gate.yaml into it. Or move these files elsewhere.',
  })
}

/** A gate's folder that is filled. Everything is prepared beside, and put in place at the end. */
export interface FolderDraft {
  /** Where the store is prepared. */
  readonly store: string
  /** Writes the ledger and the seals of its approvals. Rejects when a sealed file is not the approved one. */
  write(ledger: WholeLedger, files: Pick<SharedFiles, 'get'>): Promise<void>
  /** Puts everything in place, the ledger last. When it throws, the folder is as it was. */
  place(ledger: WholeLedger): void
  /** Removes what was prepared. */
  remove(): void
}

/** Puts the seals that the folder does not have yet in place, and returns their paths. */
const placeSeals = (home: string, onPlaced: (seal: string) => void): void => {
  const from = path.join(draftOf(home), 'seal')
  const to = path.join(home, 'seal')
  for (const name of fs.readdirSync(from)) {
    const seal = path.join(to, name)
    if (exists(seal)) continue
    fs.renameSync(path.join(from, name), seal)
    onPlaced(seal)
  }
  syncFolder(to)
}

/** Throws when a gate of its own has begun in this folder. The caller has locked it. */
export const draftFolder = (home: string): FolderDraft => {
  clearInterrupted(home)
  checkUnused(home)
  const draft = draftOf(home)
  fs.mkdirSync(path.join(draft, 'seal'), { recursive: true, mode: 0o700 })
  const inDraft = (file: string): string => path.join(draft, path.basename(file))
  const head = path.join(home, 'secrets', 'ledger.head')
  return {
    store: inDraft(storeFile(home)),
    write: async ({ lines, head: last, key, approvals }, files) => {
      const file = inDraft(ledgerFile(home))
      writeNew(file, lines.map((line) => `${line}\n`).join(''), 0o600)
      const written = verifyLedger(fs.readFileSync(file), key)
      if (written.problem !== undefined || written.tornBytes > 0 || written.heads.at(-1) !== last)
        throw new ProblemError({
          code: 'move.written',
          message: 'Expected the ledger on the disk to be the one that was written, got another one.',
          fix: 'Nothing was carried over. Check the disk, and try again.',
        })
      const problems: string[] = []
      await fetchSeals(path.join(draft, 'seal'), approvals, files, (_, __, { why = '' }) =>
        problems.push(why),
      )
      if (problems.length > 0)
        throw new ProblemError({
          code: 'move.seal',
          message: `Expected every file of the approved hooks, but ${problems.join(', and ')}.`,
          fix: 'Nothing was carried over. Revoke that hook in the chat and approve it again, or put the database back.',
        })
    },
    place: ({ lines, head: last, key }) => {
      const undo: (() => void)[] = []
      const removing = (file: string) => (): void => fs.rmSync(file, { recursive: true, force: true })
      try {
        placeSeals(home, (seal) => undo.push(removing(seal)))
        fs.renameSync(inDraft(storeFile(home)), storeFile(home))
        undo.push(removing(storeFile(home)))
        const before = exists(head) ? fs.readFileSync(head) : undefined
        undo.push(() => {
          removing(head)()
          if (before !== undefined) writeNew(head, before, 0o600)
        })
        writeHead(home, { revision: lines.length, head: last }, key)
        fs.renameSync(inDraft(ledgerFile(home)), ledgerFile(home))
        syncFolder(home)
      } catch (error) {
        for (const step of undo.toReversed()) step()
        throw error
      }
    },
    remove: () => fs.rmSync(draft, { recursive: true, force: true }),
  }
}
