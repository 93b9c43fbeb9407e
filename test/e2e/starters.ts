import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { Starter } from './program.ts'

interface Account {
  readonly uid: number
  readonly gid: number
}

/**
 * Prepares a home that others may pass through, with this gate.yaml, owned by whoever runs the gate. `own`:
 * files of the person in it.
 */
export const homeWith =
  (yaml: string, owner?: Account, own: readonly string[] = ['notes.txt']) =>
  (home: string): void => {
    fs.chmodSync(home, 0o755)
    fs.mkdirSync(path.join(home, '.hookgate'))
    fs.writeFileSync(path.join(home, '.hookgate', 'gate.yaml'), yaml)
    for (const name of own) {
      fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
      fs.writeFileSync(path.join(home, name), 'the person’s own', { mode: 0o600 })
    }
    if (owner !== undefined) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, home])
  }

const rights = '+chown,+kill,+setgid,+setuid'

/** Starts the gate as our service does: as its own user, with the rights to change users. */
export const asService = ({ uid, gid }: Account): Pick<Starter, 'prefix'> => ({
  prefix: [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    `--inh-caps=${rights}`,
    `--ambient-caps=${rights}`,
    `--bounding-set=-all,${rights}`,
  ],
})
