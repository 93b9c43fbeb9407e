import { createHmac, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { doing, type Forgery, type Target, opens, undoes } from '../forgery.ts'
import { read, replace, sha256 } from '../means.ts'

const ledgerOf = ({ home }: Target): string => path.join(home, 'ledger.jsonl')
const headOf = ({ home }: Target): string => path.join(home, 'secrets', 'ledger.head')
const keyOf = ({ home }: Target): string => path.join(home, 'secrets', 'ledger.key')
const linesOf = (target: Target): readonly string[] => read(ledgerOf(target)).toString().trimEnd().split('\n')

/** Returns the line that the gate would have written for a command of an owner. */
const forgedLine = (lines: readonly string[], act: object, key: Uint8Array): string => {
  const prev = lines.length === 0 ? '0'.repeat(64) : sha256(lines.at(-1) ?? '')
  const body = JSON.stringify({ n: lines.length + 1, at: new Date().toISOString(), ...act, prev })
  return `${body.slice(0, -1)},"mac":"${createHmac('sha256', key).update(body).digest('hex')}"}`
}

/** Returns the stored head, as the gate would have written it for these lines. */
const signedHead = (lines: readonly string[], key: Uint8Array): string => {
  const head = `${lines.length} ${sha256(lines.at(-1) ?? '')}`
  return `${head} ${createHmac('sha256', key).update(`head ${head}`).digest('hex')}\n`
}

const strangerOwns = { act: 'owner_add', by: 'telegram:7', data: { id: 'telegram:666', chat_id: '666' } }
const switchedOff = { act: 'off', by: 'telegram:7', data: {} }

/** Appends an act of an owner, signed with this key. */
const append = (target: Target, act: object, key: Uint8Array): void =>
  fs.appendFileSync(ledgerOf(target), `${forgedLine(linesOf(target), act, key)}\n`)
const rewrite = (target: Target, lines: readonly string[]): void =>
  fs.writeFileSync(ledgerOf(target), `${lines.join('\n')}\n`)

const inLockdown = { counts: 'at start', answer: 'lockdown' } as const
const opening = { counts: 'at start', withoutSeparation: opens } as const
const undoing = { counts: 'at start', answer: 'anchor', withoutSeparation: undoes, varies: true } as const
const editing = doing('the ledger was written', inLockdown)
const signing = doing('the ledger was written', opening)
const swapping = doing('the ledger was replaced', inLockdown)
const keying = doing('the key was replaced', inLockdown)
const owning = doing('the key was replaced', opening)
const goingBack = doing('the key was replaced', undoing)

export const ledgerForgeries: readonly Forgery[] = [
  editing('ledger.append_unsigned', 'add an owner to the ledger, without the key', (target) =>
    append(target, strangerOwns, randomBytes(32)),
  ),
  signing('ledger.append_signed', 'add an owner to the ledger, signed with the stolen key', (target) =>
    append(target, strangerOwns, read(keyOf(target))),
  ),
  signing('ledger.off_signed', 'write “off” into the ledger, signed with the stolen key', (target) =>
    append(target, switchedOff, read(keyOf(target))),
  ),
  editing('ledger.prefix', 'remove the ledger’s last line', (target) =>
    rewrite(target, linesOf(target).slice(0, -1)),
  ),
  editing('ledger.empty', 'empty the ledger', (target) => fs.truncateSync(ledgerOf(target), 0)),
  editing('ledger.reorder', 'swap two lines of the ledger', (target) =>
    rewrite(target, linesOf(target).toReversed()),
  ),
  editing('ledger.bit', 'flip one bit of the ledger', (target) => {
    const bytes = Buffer.from(read(ledgerOf(target)))
    bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40)
    fs.writeFileSync(ledgerOf(target), bytes)
  }),
  owning('ledger.own_key', 'replace the ledger, its key and its stored head by its own', (target) => {
    const key = randomBytes(32)
    const genesis = {
      act: 'genesis',
      by: 'adoption',
      data: { owners: [{ id: 'telegram:666', chat_id: '666' }], isOn: false },
    }
    replace(keyOf(target), key)
    const line = forgedLine([], genesis, key)
    replace(ledgerOf(target), `${line}\n`)
    replace(headOf(target), signedHead([line], key))
  }),
  swapping('ledger.link', 'replace the ledger by a link', (target) => {
    const aside = path.join(target.workspace, `.${target.mark}`)
    fs.writeFileSync(aside, `${linesOf(target).slice(0, -1).join('\n')}\n`)
    fs.unlinkSync(ledgerOf(target))
    fs.symlinkSync(aside, ledgerOf(target))
  }),
  swapping('ledger.delete', 'delete the ledger', (target) => fs.unlinkSync(ledgerOf(target))),
  keying('ledger.other_key', 'replace the ledger’s key by another key', (target) =>
    replace(keyOf(target), randomBytes(32)),
  ),
  keying('ledger.no_key', 'delete the ledger’s key', (target) => fs.unlinkSync(keyOf(target))),
  keying('ledger.head', 'remove the ledger’s last line, and delete its stored head', (target) => {
    fs.unlinkSync(headOf(target))
    rewrite(target, linesOf(target).slice(0, -1))
  }),
  goingBack(
    'ledger.head_signed',
    'remove the ledger’s last line, and sign a new head with the stolen key',
    (target) => {
      const lines = linesOf(target).slice(0, -1)
      fs.writeFileSync(headOf(target), signedHead(lines, read(keyOf(target))))
      rewrite(target, lines)
    },
  ),
]
