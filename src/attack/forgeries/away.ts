import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { done, type Forgery, type Target } from '../forgery.ts'
import { carryOut, read, readAll, replace } from '../means.ts'
import { alone } from '../meanings.ts'

/** The files that say how the owner left the gate while it is away, and the key that signs them. */
const runOf = ({ home }: Target): string => path.join(home, 'run')
const switchOf = (target: Target): string => path.join(runOf(target), 'switch.json')
const publicKeyOf = (target: Target): string => path.join(runOf(target), 'bridge.pub')
const keyOf = ({ home }: Target): string => path.join(home, 'secrets', 'bridge.key')

/** Bridges ignore a file that the gate did not sign, and refuse. */
const stops = 'It could stop agents at your desk while the gate is away.'

const off = JSON.stringify({ isArmed: false, unreachable: 'owner' })

/** Returns the file that the gate would have written after its owner had switched off. */
const signedOff = (key: KeyObject): string =>
  `${JSON.stringify({ facts: off, signature: sign(null, Buffer.from(off), key).toString('base64') })}\n`

const swapped = carryOut('the file was replaced')

export const awayForgeries: readonly Forgery[] = [
  {
    name: 'away.key',
    title: 'read the key that signs the switch file that bridges read without the gate',
    withoutSeparation: { meaning: alone },
    attempt: (target) => readAll([keyOf(target)]),
  },
  {
    name: 'away.edit',
    title: 'write “off” into the switch file, which bridges read while the gate is away',
    withoutSeparation: { meaning: stops },
    attempt: carryOut('it says off')((target) => {
      const signed: unknown = JSON.parse(read(switchOf(target)).toString())
      fs.writeFileSync(switchOf(target), JSON.stringify({ ...Object(signed), facts: off }))
    }),
  },
  {
    name: 'away.own_key',
    title: 'sign a switch file that says “off” with a key of its own',
    withoutSeparation: { meaning: alone },
    attempt: swapped((target) => {
      const { privateKey } = generateKeyPairSync('ed25519')
      replace(publicKeyOf(target), createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }), 0o644)
      replace(switchOf(target), signedOff(privateKey), 0o644)
    }),
  },
  {
    name: 'away.signed',
    title: 'sign a switch file that says “off” with the gate’s key',
    withoutSeparation: { meaning: alone },
    attempt: swapped((target) =>
      replace(switchOf(target), signedOff(createPrivateKey(read(keyOf(target)))), 0o644),
    ),
  },
  {
    name: 'away.older',
    title: 'restore the switch file from before you switched on',
    needs: ['older'],
    withoutSeparation: { meaning: alone },
    attempt: swapped((target) =>
      replace(switchOf(target), read(path.join(target.older ?? '', 'run', 'switch.json')), 0o644),
    ),
  },
  {
    name: 'away.delete',
    title: 'delete the switch file, which bridges read while the gate is away',
    withoutSeparation: { meaning: stops },
    attempt: swapped((target) => fs.rmSync(switchOf(target))),
  },
  {
    name: 'away.link',
    title: 'put a link where the gate writes the switch file',
    waitsForOwner: true,
    timeoutMs: 8000,
    attempt: (target) => {
      fs.symlinkSync(path.join(target.home, 'gate.yaml'), `${switchOf(target)}.new`)
      return done('the link was made')
    },
  },
]
