import fs from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exportLedger, verifyExport } from '../../../src/compose/verbs/audit/export.ts'
import { createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'
import { writeStory } from '../../core/gatekeeper/ledger-fixture.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const exported = async (): Promise<string> => (await exportLedger(fixture.home)).text
const verify = (text: string) => verifyExport(text, fixture.home)
interface Said {
  readonly when: string
  readonly who: string
  readonly what: string
  readonly over?: string
  readonly about?: string
  readonly files?: readonly { readonly path: string; readonly sha256: string }[]
}

const decisions = (text: string): readonly Said[] => text.split('\n').map((line) => JSON.parse(line) as Said)

test('an export says who decided what, when, and over which bytes, and is verified later', async () => {
  const { standing, revoked } = await writeStory(fixture)
  const text = await exported()
  const all = decisions(text)
  expect(all.map(({ what }) => what)).toEqual([
    'genesis',
    'owner_add',
    'approve',
    'approve',
    'off',
    'on',
    'revoke',
    'owner_add',
    'owner_remove',
  ])
  expect(all[2]).toMatchObject({
    who: 'telegram:7',
    over: standing,
    about: 'pre_tool_call ./hooks/guard.sh',
    files: [{ path: 'hooks/guard.sh', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  })
  expect(all[6]).toMatchObject({ what: 'revoke', over: revoked })
  expect(all[8]).toMatchObject({ about: 'telegram:9' })
  expect(await verify(`${text}\n`)).toMatchObject({
    code: 0,
    text: expect.stringMatching(
      /^The export is good: 9 decisions.*\nIt ends with revision 9 · head .*\nThe ledger has no later one\.$/,
    ),
  })
})

test('an older export is the beginning of the ledger, also after later decisions', async () => {
  await writeStory(fixture)
  const first = (await exported()).split('\n').slice(0, 4).join('\n')
  expect(await verify(first)).toMatchObject({ code: 0, text: expect.stringContaining('5 later ones') })
})

test.each([
  [
    'a decision that says somebody else decided',
    (text: string) => text.replace('"who":"telegram:7"', '"who":"telegram:8"'),
  ],
  ['another digest', (text: string) => text.replace(/"sha256":"[0-9a-f]{4}/, '"sha256":"0000')],
  ['a changed signed line', (text: string) => text.replace('\\"act\\":\\"off\\"', '\\"act\\":\\"on\\"')],
  ['a decision that was taken out', (text: string) => text.split('\n').toSpliced(3, 1).join('\n')],
  ['two decisions in another order', (text: string) => text.split('\n').toSorted().join('\n')],
  ['a field that was added', (text: string) => text.replace('{"when"', '{"note":"x","when"')],
  ['a line that is none', (text: string) => `${text}\nx`],
  ['nothing', () => ''],
])('%s in an export is found', async (_, change) => {
  await writeStory(fixture)
  const text = await exported()
  expect(change(text)).not.toBe(text)
  expect(await verify(change(text))).toMatchObject({ code: 3, text: expect.stringMatching(/^DAMAGED: /) })
})

test('the export of another ledger with the same key is found', async () => {
  await writeStory(fixture)
  const other = createFixture()
  try {
    fs.cpSync(fixture.home, other.home, { recursive: true })
    const gate = await other.open()
    await gate.setSwitch(false, 'telegram:7')
    const text = (await exportLedger(other.home)).text
    expect(await verify(text)).toMatchObject({ code: 3, text: expect.stringContaining('not the beginning') })
  } finally {
    other.remove()
  }
})

test('a damaged ledger is not exported, and neither is none', async () => {
  expect(await exportLedger(fixture.home)).toMatchObject({ code: 2 })
  await writeStory(fixture)
  fs.writeFileSync(
    fixture.ledger,
    fs.readFileSync(fixture.ledger, 'utf8').replace('"act":"off"', '"act":"on"'),
  )
  expect(await exportLedger(fixture.home)).toMatchObject({
    code: 3,
    text: expect.stringContaining('Nothing was exported: the ledger is damaged'),
  })
})
