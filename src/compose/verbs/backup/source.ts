import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { roomFor } from '../../../backup/members.ts'
import { ProblemError } from '../../../core/model/gate/problem.ts'

/** One file for a backup. Its bytes are read while they are written, so memory holds only a part of them. */
export interface BackupSource {
  readonly name: string
  readonly bytes: number
  read(): Iterable<Buffer>
}

export const sourceOf = (name: string, content: Buffer): BackupSource => ({
  name,
  bytes: content.length,
  read: () => [content],
})

const atOnce = 1024 * 1024

export const changed = (path: string): ProblemError =>
  new ProblemError({
    code: 'backup.changed',
    message: 'Expected a file that stays as it is while it is read, got one that changed.',
    fix: 'Nothing was written. Try again.',
    file: path,
  })

const readBytes = function* (path: string, bytes: number): Generator<Buffer> {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (fstatSync(descriptor).size !== bytes) throw changed(path)
    for (let at = 0; at < bytes;) {
      const part = Buffer.alloc(Math.min(atOnce, bytes - at))
      const length = readSync(descriptor, part, 0, part.length, at)
      if (length === 0) throw changed(path)
      yield part.subarray(0, length)
      at += length
    }
  } finally {
    closeSync(descriptor)
  }
}

/** A regular file. Undefined: there is none. */
export const sourceAt = (name: string, path: string): BackupSource | undefined => {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() !== true) return undefined
  const bytes = stat.size
  return { name, bytes, read: () => readBytes(path, bytes) }
}

/** The files of the gate's folder that a backup takes as they are. */
export const plainSources = (home: string): readonly BackupSource[] =>
  ['', 'secrets']
    .flatMap((folder) => readdirSync(join(home, folder)).map((name) => join(folder, name)))
    .filter((name) => name !== 'ledger.jsonl' && !name.endsWith('.db') && roomFor(name) !== undefined)
    .flatMap((name) => sourceAt(name, join(home, name)) ?? [])
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
