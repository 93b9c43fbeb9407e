import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { doing, forging, type Forgery, type Target, alone } from '../forgery.ts'
import { read, readAll, replace } from '../means.ts'

/** The files that say how the owner left the gate while it is away, and the key that signs them. */
const switchOf = ({ home }: Target): string => path.join(home, 'run', 'switch.json')
const publicKeyOf = ({ home }: Target): string => path.join(home, 'run', 'bridge.pub')
const keyOf = ({ home }: Target): string => path.join(home, 'secrets', 'bridge.key')

/** Bridges ignore a file that the gate did not sign, and refuse. */
const stops = 'It could stop agents at your desk while the gate is away.'

const off = JSON.stringify({ isArmed: false, unreachable: 'owner' })

/** Returns the file that the gate would have written after its owner had switched off. */
const signedOff = (key: KeyObject): string =>
  `${JSON.stringify({ facts: off, signature: sign(null, Buffer.from(off), key).toString('base64') })}\n`

const reading = forging({ withoutSeparation: alone })
const editing = doing('it says off', { withoutSeparation: stops })
const swapping = doing('the file was replaced', { withoutSeparation: alone })
const goingBack = doing('the file was replaced', { needs: ['older'], withoutSeparation: alone })
const removing = doing('the file was replaced', { withoutSeparation: stops })
const linking = doing('the link was made', { waitsForOwner: true })

export const awayForgeries: readonly Forgery[] = [
  reading(
    'away.key',
    'read the key that signs the switch file that bridges read without the gate',
    (target) => readAll([keyOf(target)]),
  ),
  editing(
    'away.edit',
    'write “off” into the switch file, which bridges read while the gate is away',
    (target) => {
      const signed: unknown = JSON.parse(read(switchOf(target)).toString())
      fs.writeFileSync(switchOf(target), JSON.stringify({ ...Object(signed), facts: off }))
    },
  ),
  swapping('away.own_key', 'sign a switch file that says “off” with a key of its own', (target) => {
    const { privateKey } = generateKeyPairSync('ed25519')
    replace(publicKeyOf(target), createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }), 0o644)
    replace(switchOf(target), signedOff(privateKey), 0o644)
  }),
  swapping('away.signed', 'sign a switch file that says “off” with the gate’s key', (target) =>
    replace(switchOf(target), signedOff(createPrivateKey(read(keyOf(target)))), 0o644),
  ),
  goingBack('away.older', 'restore the switch file from before you switched on', (target) =>
    replace(switchOf(target), read(path.join(target.older ?? '', 'run', 'switch.json')), 0o644),
  ),
  removing('away.delete', 'delete the switch file, which bridges read while the gate is away', (target) =>
    fs.rmSync(switchOf(target)),
  ),
  linking('away.link', 'put a link where the gate writes the switch file', (target) =>
    fs.symlinkSync(path.join(target.home, 'gate.yaml'), `${switchOf(target)}.new`),
  ),
]
