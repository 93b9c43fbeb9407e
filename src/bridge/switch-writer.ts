import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { closeSync, fchmodSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicKeyPath, switchPath, type SignedSwitch, type SwitchFacts } from './switch-file.ts'

/** Replaces a file as a whole: whoever reads it meanwhile reads the old one. */
const replace = (path: string, text: string, mode: number): void => {
  const fresh = `${path}.new`
  rmSync(fresh, { force: true })
  const descriptor = openSync(fresh, 'wx', mode)
  try {
    // Whatever the umask: others have to read some of them.
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
    // Missing or damaged: a new one is as good, since what it signs is written anew at each start.
    const { privateKey: key } = generateKeyPairSync('ed25519')
    replace(path, key.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600)
    return key
  }
}

/** Keeps what the owner last set where bridges find it while the gate is away. Throws where the keys cannot be written. */
export const createSwitchWriter = (home: string): ((facts: SwitchFacts) => void) => {
  const key = privateKey(home)
  replace(publicKeyPath(home), createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(), 0o644)
  return (said) => {
    try {
      const facts = JSON.stringify(said)
      const signed: SignedSwitch = {
        facts,
        signature: sign(null, Buffer.from(facts), key).toString('base64'),
      }
      replace(switchPath(home), `${JSON.stringify(signed)}\n`, 0o644)
    } catch (error) {
      // What stands there is no longer so. Without it bridges refuse.
      rmSync(switchPath(home), { force: true })
      throw error
    }
  }
}
