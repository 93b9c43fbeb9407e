import { createHash, createHmac, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Forgery, Target } from '../forgery.ts'
import { carryOut, read, replace } from '../means.ts'
import { opens, undoes } from '../meanings.ts'

const ledgerOf = ({ home }: Target): string => path.join(home, 'ledger.jsonl')
const headOf = ({ home }: Target): string => path.join(home, 'secrets', 'ledger.head')
const keyOf = ({ home }: Target): string => path.join(home, 'secrets', 'ledger.key')
const linesOf = (target: Target): readonly string[] => read(ledgerOf(target)).toString().trimEnd().split('\n')

/** Returns the line that the gate would have written for a command of an owner. */
const forgedLine = (lines: readonly string[], act: object, key: Uint8Array): string => {
  const prev =
    lines.length === 0
      ? '0'.repeat(64)
      : createHash('sha256')
          .update(lines.at(-1) ?? '')
          .digest('hex')
  const body = JSON.stringify({ n: lines.length + 1, at: new Date().toISOString(), ...act, prev })
  return `${body.slice(0, -1)},"mac":"${createHmac('sha256', key).update(body).digest('hex')}"}`
}

/** Returns the stored head, as the gate would have written it for these lines. */
const signedHead = (lines: readonly string[], key: Uint8Array): string => {
  const [revision, head] = [
    lines.length,
    createHash('sha256')
      .update(lines.at(-1) ?? '')
      .digest('hex'),
  ]
  return `${revision} ${head} ${createHmac('sha256', key).update(`head ${revision} ${head}`).digest('hex')}\n`
}

const strangerOwns = { act: 'owner_add', by: 'telegram:7', data: { id: 'telegram:666', chat_id: '666' } }
const switchedOff = { act: 'off', by: 'telegram:7', data: {} }

const edited = carryOut('the ledger was written')
const swapped = carryOut('the ledger was replaced')
const keyed = carryOut('the key was replaced')

const append = (target: Target, ...lines: readonly string[]): void =>
  fs.appendFileSync(ledgerOf(target), lines.map((line) => `${line}\n`).join(''))

export const ledgerForgeries: readonly Forgery[] = [
  {
    name: 'ledger.append_unsigned',
    title: 'add an owner to the ledger, without the key',
    counts: 'at start',
    answer: 'lockdown',
    attempt: edited((target) => append(target, forgedLine(linesOf(target), strangerOwns, randomBytes(32)))),
  },
  {
    name: 'ledger.append_signed',
    title: 'add an owner to the ledger, signed with the stolen key',
    counts: 'at start',
    withoutSeparation: { meaning: opens },
    attempt: edited((target) =>
      append(target, forgedLine(linesOf(target), strangerOwns, read(keyOf(target)))),
    ),
  },
  {
    name: 'ledger.off_signed',
    title: 'write “off” into the ledger, signed with the stolen key',
    counts: 'at start',
    withoutSeparation: { meaning: opens },
    attempt: edited((target) =>
      append(target, forgedLine(linesOf(target), switchedOff, read(keyOf(target)))),
    ),
  },
  {
    name: 'ledger.prefix',
    title: 'remove the ledger’s last line',
    counts: 'at start',
    answer: 'lockdown',
    attempt: edited((target) =>
      fs.writeFileSync(ledgerOf(target), `${linesOf(target).slice(0, -1).join('\n')}\n`),
    ),
  },
  {
    name: 'ledger.empty',
    title: 'empty the ledger',
    counts: 'at start',
    answer: 'lockdown',
    attempt: edited((target) => fs.truncateSync(ledgerOf(target), 0)),
  },
  {
    name: 'ledger.reorder',
    title: 'swap two lines of the ledger',
    counts: 'at start',
    answer: 'lockdown',
    attempt: edited((target) =>
      fs.writeFileSync(ledgerOf(target), `${linesOf(target).toReversed().join('\n')}\n`),
    ),
  },
  {
    name: 'ledger.bit',
    title: 'flip one bit of the ledger',
    counts: 'at start',
    answer: 'lockdown',
    attempt: edited((target) => {
      const bytes = Buffer.from(read(ledgerOf(target)))
      bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40)
      fs.writeFileSync(ledgerOf(target), bytes)
    }),
  },
  {
    name: 'ledger.own_key',
    title: 'replace the ledger, its key and its stored head by its own',
    counts: 'at start',
    withoutSeparation: { meaning: opens },
    attempt: keyed((target) => {
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
  },
  {
    name: 'ledger.link',
    title: 'replace the ledger by a link',
    counts: 'at start',
    answer: 'lockdown',
    attempt: swapped((target) => {
      const aside = path.join(target.workspace, `.${target.mark}`)
      fs.writeFileSync(aside, `${linesOf(target).slice(0, -1).join('\n')}\n`)
      fs.unlinkSync(ledgerOf(target))
      fs.symlinkSync(aside, ledgerOf(target))
    }),
  },
  {
    name: 'ledger.delete',
    title: 'delete the ledger',
    counts: 'at start',
    answer: 'lockdown',
    attempt: swapped((target) => fs.unlinkSync(ledgerOf(target))),
  },
  {
    name: 'ledger.other_key',
    title: 'replace the ledger’s key by another key',
    counts: 'at start',
    answer: 'lockdown',
    attempt: keyed((target) => replace(keyOf(target), randomBytes(32))),
  },
  {
    name: 'ledger.no_key',
    title: 'delete the ledger’s key',
    counts: 'at start',
    answer: 'lockdown',
    attempt: keyed((target) => fs.unlinkSync(keyOf(target))),
  },
  {
    name: 'ledger.head',
    title: 'remove the ledger’s last line, and delete its stored head',
    counts: 'at start',
    answer: 'lockdown',
    attempt: keyed((target) => {
      fs.unlinkSync(headOf(target))
      fs.writeFileSync(ledgerOf(target), `${linesOf(target).slice(0, -1).join('\n')}\n`)
    }),
  },
  {
    name: 'ledger.head_signed',
    title: 'remove the ledger’s last line, and sign a new head with the stolen key',
    counts: 'at start',
    answer: 'anchor',
    withoutSeparation: { meaning: undoes, varies: true },
    attempt: keyed((target) => {
      const lines = linesOf(target).slice(0, -1)
      fs.writeFileSync(headOf(target), signedHead(lines, read(keyOf(target))))
      fs.writeFileSync(ledgerOf(target), `${lines.join('\n')}\n`)
    }),
  },
]
