import { writeNew } from '../../src/core/model/disk/durable.ts'
import { createHmac, createSecretKey, hash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fold } from '../../src/core/gatekeeper/ledger/fold.ts'
import { prepareHome } from '../../src/core/gatekeeper/home.ts'
import { chainOf, formatLine, noLine, type Act } from '../../src/core/gatekeeper/ledger/lines.ts'
import { ledgerFile, surveyLedger } from '../../src/core/gatekeeper/ledger/read.ts'
import type * as LedgerFile from '../../src/core/gatekeeper/ledger/file.ts'
import { anEntry, createFixture, type Fixture } from '../core/gatekeeper/gate-fixture.ts'
import { inTurn, measure, type Measured } from './measure.ts'

const entries = 100_000
const by = 'telegram:7'

/** Approvals, revokes and turns of the switch, as owners would make them in some centuries. */
const actAt = (index: number): Act => {
  if (index === 0) return { act: 'genesis', by: 'adoption', data: { owners: [{ id: by }], isOn: true } }
  const fingerprint = hash('sha256', String(index >> 2))
  if (index % 4 === 1)
    return {
      act: 'approve',
      by,
      data: {
        fingerprint,
        entry: anEntry(),
        words: [{ sealed: 'hooks/guard.sh' }],
        unsealed: [],
        hookDir: 'hooks',
        files: [{ path: 'hooks/guard.sh', sha256: fingerprint, bytes: 21, isExecutable: true }],
      },
    }
  if (index % 4 === 3) return { act: 'revoke', by, data: { fingerprint } }
  return { act: index % 4 === 2 ? 'off' : 'on', by, data: {} }
}

/** Writes a ledger of so many lines, of which no approval is left, and its key. */
export const writeLong = (home: string, count: number): Buffer => {
  prepareHome(home)
  const key = randomBytes(32)
  writeNew(path.join(home, 'secrets/ledger.key'), key, 0o600)
  let prev = noLine
  const lines = Array.from({ length: count }, (_, index) => {
    const line = formatLine(index + 1, '2026-01-02T03:04:05.000Z', actAt(index), prev, key)
    prev = chainOf(line)
    return `${line}\n`
  })
  fs.writeFileSync(ledgerFile(home), lines.join(''), { mode: 0o600 })
  return key
}

type Open = ReturnType<typeof LedgerFile.fileLedger>['open']
/** Some days before the first release it was opened by a function of its own. */
interface Openers {
  readonly fileLedger: typeof LedgerFile.fileLedger
  readonly openLedger?: (home: string, ports: Parameters<Open>[0]) => ReturnType<Open>
}

/** What no verification can do without: each byte read, signed and chained once. */
const bareVerify = (home: string, key: Buffer): string => {
  const bytes = fs.readFileSync(ledgerFile(home))
  const keyObject = createSecretKey(key)
  let last = ''
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(10, start)
    const line = bytes.subarray(start, end)
    createHmac('sha256', keyObject).update(line).digest('hex')
    last = hash('sha256', line)
    start = end + 1
  }
  return last
}

const inFixture = async (measured: (fixture: Fixture) => Promise<Measured>): Promise<Measured> => {
  const fixture = createFixture()
  try {
    return await measured(fixture)
  } finally {
    fixture.remove()
  }
}

/** A long ledger at a start. */
export const measureLedgerStart = (): Promise<Measured> =>
  inFixture(async ({ home }) => {
    const key = writeLong(home, entries)
    const times = await measure(
      [
        inTurn('read, HMAC and SHA-256 of each line', 1, () => bareVerify(home, key)),
        inTurn('verified and folded', 1, () => {
          const survey = surveyLedger(home)
          if (
            survey.kind !== 'read' ||
            survey.problem !== undefined ||
            fold(survey.found.entries).state.revision !== entries
          )
            throw new Error('Expected a good ledger.')
        }),
      ],
      { rounds: 6, burst: 1, warmUps: 1 },
    )
    return { times }
  })

/** The same ledger before and at a change. */
export const measureLedgerChange = (): Promise<Measured> =>
  inFixture(async ({ home, root }) => {
    const key = writeLong(home, entries)
    const ports = { now: Date.now, onDamage: (why: string) => process.stderr.write(`${why}\n`) }
    const { fileLedger, openLedger = (at, given) => fileLedger(at).open(given) }: Openers =
      await import('../../src/core/gatekeeper/ledger/file.ts')
    const opened = await openLedger(home, ports)
    if (opened.kind !== 'good') throw new Error(`Expected a good ledger, got ${opened.kind}.`)
    const { ledger } = opened
    const fd = fs.openSync(path.join(root, 'bare'), 'a')
    const line = `${formatLine(1, '2026-01-02T03:04:05.000Z', actAt(2), noLine, key)}\n`
    const times = await measure(
      [
        inTurn('append and fsync of a line', 1, () => {
          fs.writeSync(fd, line)
          fs.fsyncSync(fd)
        }),
        inTurn('verified before it', 1, () => ledger.verify()),
        inTurn('verified, written, its head kept', 1, () => ledger.append([actAt(2)])),
      ],
      { rounds: 20, burst: 5, warmUps: 5 },
    )
    fs.closeSync(fd)
    return { times }
  })

/** The check of an untouched seal. */
export const measureSeal = (): Promise<Measured> =>
  inFixture(async (fixture) => {
    const gate = await fixture.open()
    const approved = await gate.approve(anEntry(), by)
    const [hook, ...others] = gate.armed()
    if (!approved.ok || hook === undefined || others.length > 0)
      throw new Error('Expected one approved hook.')
    // Fresh stamps are not trusted yet.
    await delay(300)
    const sealed = hook.argv[0] ?? ''
    const times = await measure(
      [
        inTurn('one stat', 100, () => fs.lstatSync(sealed, { bigint: true })),
        inTurn('seal check', 100, () => hook.checkSeal()),
      ],
      { rounds: 20, burst: 5, warmUps: 20 },
    )
    return { times }
  })
