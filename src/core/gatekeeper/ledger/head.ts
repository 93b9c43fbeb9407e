import { withFile, writeNew } from '../../model/disk/durable.ts'
import { createHmac } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf } from '../../model/gate/problem.ts'

/** The ledger's last line when a change was last acknowledged. */
export interface Head {
  /** How often a ledger was begun anew, where several gates share it. */
  readonly generation?: number
  readonly revision: number
  /** The chain hash of line `revision`. */
  readonly head: string
}

const fileOf = (home: string): string => path.join(home, 'secrets', 'ledger.head')
const maxBytes = 1000

/** The text begins like no line of the ledger, so a signature of one is never valid for the other. */
const macOf = (words: string, key: Uint8Array): string =>
  createHmac('sha256', key).update(`head ${words}`).digest('hex')

const format = ({ generation, revision, head }: Head, key: Uint8Array): string => {
  const words = `${generation === undefined ? '' : `${generation}/`}${revision} ${head}`
  return `${words} ${macOf(words, key)}\n`
}

/**
 * Reads the stored head. It distinguishes a line that was never acknowledged from a missing line, and a first
 * start from a deleted ledger. Undefined: no head was ever stored. `false`: the file is not signed with this
 * key.
 */
export const readHead = (home: string, key: Uint8Array): Head | undefined | false => {
  let text: string
  try {
    const bytes = Buffer.alloc(maxBytes)
    text = bytes.toString(
      'latin1',
      0,
      withFile(fileOf(home), (fd) => fs.readSync(fd, bytes)),
    )
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : false
  }
  const [, generation, revision = '', head = ''] =
    /^(?:(\d{1,15})\/)?(\d{1,15}) ([0-9a-f]{64}) /.exec(text) ?? []
  const found: Head = {
    ...(generation === undefined ? {} : { generation: Number(generation) }),
    revision: Number(revision),
    head,
  }
  return text === format(found, key) ? found : false
}

/** True when a ledger was begun in this folder once, or when that cannot be determined. */
export const hadLedger = (home: string): boolean => {
  try {
    return fs.lstatSync(fileOf(home), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/**
 * Replaces the stored head atomically. After a power cut it may be an older head, but never newer than the
 * ledger.
 */
export const writeHead = (home: string, head: Head, key: Uint8Array): void => {
  const fresh = `${fileOf(home)}.new`
  fs.rmSync(fresh, { force: true })
  writeNew(fresh, format(head, key), 0o600)
  fs.renameSync(fresh, fileOf(home))
}
