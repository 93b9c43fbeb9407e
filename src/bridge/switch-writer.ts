import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { closeSync, fchmodSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SwitchFacts } from '../shared/gate/client.ts'
import { publicKeyPath, switchPath, type SignedSwitch } from './switch-file.ts'

/** Replaces a file atomically. A reader sees the old file or the new one. */
const replace = (path: string, text: string, mode: number): void => {
  const fresh = `${path}.new`
  rmSync(fresh, { force: true })
  const descriptor = openSync(fresh, 'wx', mode)
  try {
    // The mode is set explicitly, because the umask must not apply: other users have to read some of these
    // files.
    fchmodSync(descriptor, mode)
    writeFileSync(descriptor, text)
  } finally {
    closeSync(descriptor)
  }
  renameSync(fresh, path)
}

const privateKey = (home: string): KeyObject => {
  const path = join(home, 'secrets', 'bridge.key')
  try {
    return createPrivateKey(readFileSync(path))
  } catch {
    // The key is missing or damaged. A new key works as well, since every start signs the file again.
    const { privateKey: key } = generateKeyPairSync('ed25519')
    replace(path, key.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600)
    return key
  }
}

/**
 * Returns a function that writes the setting of the owner for bridges. Throws an Error when the keys cannot
 * be written.
 */
export const createSwitchWriter = (home: string): ((facts: SwitchFacts) => void) => {
  const key = privateKey(home)
  replace(publicKeyPath(home), createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(), 0o644)
  return (newFacts) => {
    try {
      const facts = JSON.stringify(newFacts)
      const signed: SignedSwitch = {
        facts,
        signature: sign(null, Buffer.from(facts), key).toString('base64'),
      }
      replace(switchPath(home), `${JSON.stringify(signed)}\n`, 0o644)
    } catch (error) {
      // The old file is out of date. Without it bridges refuse.
      rmSync(switchPath(home), { force: true })
      throw error
    }
  }
}
