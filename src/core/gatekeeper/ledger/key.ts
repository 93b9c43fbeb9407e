import { syncFolder, withFile, writeNew } from '../../model/disk/durable.ts'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf } from '../../model/gate/problem.ts'

const keyBytes = 32
const fileOf = (home: string): string => path.join(home, 'secrets', 'ledger.key')

/** The ledger's key, or a text with the reason why there is none. Changes nothing. */
export const readKey = (home: string): Buffer | string => {
  try {
    const key = Buffer.alloc(keyBytes + 1)
    return withFile(fileOf(home), (fd) => fs.readSync(fd, key)) === keyBytes
      ? key.subarray(0, keyBytes)
      : 'its key is damaged'
  } catch (error) {
    const code = codeOf(error) ?? 'unknown'
    return code === 'ENOENT' ? 'its key is missing' : `its key cannot be read (${code})`
  }
}

/**
 * Sets the key's file mode before the key is used, because anybody who reads the key can forge the ledger.
 */
export const closeKey = (home: string): void => {
  try {
    withFile(fileOf(home), (fd) => fs.fchmodSync(fd, 0o600))
  } catch {
    // The file is missing or belongs to another user. Reading it reports that.
  }
}

/** Creates a new key. A damaged key is kept under another name for an investigation. */
const createKey = (home: string): Buffer => {
  const key = randomBytes(keyBytes)
  const fresh = `${fileOf(home)}.new`
  fs.rmSync(fresh, { force: true })
  writeNew(fresh, key, 0o600)
  if (fs.existsSync(fileOf(home))) fs.renameSync(fileOf(home), `${fileOf(home)}.damaged-${Date.now()}`)
  fs.renameSync(fresh, fileOf(home))
  syncFolder(path.dirname(fileOf(home)))
  return key
}

/**
 * The key for a ledger that begins. `trusted`: the only key that may be used again. A new key is made before
 * anything is signed with it, and no good ledger with another key exists then.
 */
export const keyOrNew = (home: string, trusted: Buffer | undefined): Buffer => {
  const there = readKey(home)
  const isUsable = Buffer.isBuffer(there) && (trusted === undefined || there.equals(trusted))
  return isUsable ? there : createKey(home)
}
