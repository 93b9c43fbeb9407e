import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { syncFolder, writeNew } from './durable.ts'

const keyBytes = 32
const fileOf = (home: string): string => path.join(home, 'secrets', 'ledger.key')

/** The ledger's key, or words that say why there is none. */
export const readKey = (home: string): Buffer | string => {
  try {
    const fd = fs.openSync(fileOf(home), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      const key = Buffer.alloc(keyBytes + 1)
      if (fs.readSync(fd, key) !== keyBytes) return 'its key is damaged'
      // Whoever could read the key can forge the ledger: the mode is put right before it is used.
      fs.fchmodSync(fd, 0o600)
      return key.subarray(0, keyBytes)
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return code === 'ENOENT' ? 'its key is gone' : `its key cannot be read (${code})`
  }
}

/** Makes a new key. A damaged one is kept under another name: it may still be of use to whoever looks into it. */
export const createKey = (home: string): Buffer => {
  const key = randomBytes(keyBytes)
  const fresh = `${fileOf(home)}.new`
  fs.rmSync(fresh, { force: true })
  writeNew(fresh, key, 0o600)
  if (fs.existsSync(fileOf(home))) fs.renameSync(fileOf(home), `${fileOf(home)}.damaged-${Date.now()}`)
  fs.renameSync(fresh, fileOf(home))
  syncFolder(path.dirname(fileOf(home)))
  return key
}
