import { expect, test } from 'vitest'
import { readAsked } from './options.ts'
import { compareRows, reportRows } from './report.ts'
import { rows, type Row } from './rows.ts'
import type { Outcome } from './run-row.ts'

const namesOf = (args: readonly string[]): readonly string[] => {
  const asked = readAsked(args)
  return asked.kind === 'rows' ? asked.rows.map(({ name }) => name) : [asked.kind]
}

test('each row of the bench has a name of its own, an aim, and a floor or a reason why there is none', () => {
  const names = rows.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  expect(names.filter((name) => !/^[a-z\d]+(?:-[a-z\d]+)*$/.test(name) || name === 'fleet')).toEqual([])
  const incomplete = rows.filter(
    ({ aims, floor }) =>
      aims.length === 0 ||
      aims.some(({ of, atMost }) => of === '' || !(atMost > 0)) ||
      (typeof floor === 'string' ? floor : floor.none) === '',
  )
  expect(incomplete.map(({ name }) => name)).toEqual([])
  const strange = rows.filter(
    ({ isMemory, aims }) => aims.some(({ unit }) => unit === 'MB') !== (isMemory === true),
  )
  expect(strange.map(({ name }) => name)).toEqual([])
})

test('the bench measures everything, the quick rows, the named rows, or those that are both', () => {
  const quick = rows.filter(({ isQuick }) => isQuick).map(({ name }) => name)
  expect(namesOf([])).toEqual(rows.map(({ name }) => name))
  expect(namesOf(['--quick'])).toEqual(quick)
  expect(quick.length).toBeGreaterThan(0)
  expect(quick.length).toBeLessThan(rows.length)
  expect(namesOf(['trial', 'http'])).toEqual(['http', 'trial'])
  expect(namesOf(['trial', 'http', '--quick'])).toEqual(['http'])
  expect(readAsked(['http', '--against', 'v1'])).toMatchObject({ against: 'v1' })
  expect(readAsked(['fleet'])).toEqual({ kind: 'fleet' })
})

test.each([
  [['nothing'], 'Expected names of rows, got nothing.'],
  [['trial', '--quick'], 'Expected a quick row, got trial.'],
  [['fleet', '--quick'], 'Expected names of rows, got fleet.'],
  [['--slow'], '--slow'],
  [['--against'], '--against'],
])('the bench says what is wrong with %j', (args, words) => {
  const asked = readAsked(args)
  expect(asked.kind === 'wrong' ? asked.words : '').toContain(words)
})

const rowOf = (name: string): Row => ({
  name,
  what: `what ${name} is`,
  floor: 'bare',
  aims: [
    { of: 'gate', over: 'bare', atMost: 2, unit: 'ms' },
    { of: 'gate', atMost: 1.5, unit: '×' },
  ],
  isQuick: true,
  measure: () => Promise.reject(new Error('Expected a process to measure it.')),
})
const three = [rowOf('one'), rowOf('two'), rowOf('three')]

const timed = (name: string, us: number) => ({ name, p10: us, median: us, p95: us })
const measured = (bareUs: number, gateUs: number) =>
  ({ kind: 'measured', times: [timed('bare', bareUs), timed('gate', gateUs)] }) satisfies Outcome

test('a row of the bench that fails is named with its reason, and all others are measured', async () => {
  const told: string[] = []
  const count = await reportRows(
    three,
    (name) =>
      Promise.resolve(
        name === 'two'
          ? { kind: 'failed', why: '✗ ./hook.sh was not tried.\nIt has no sandbox.' }
          : measured(1000, 4000),
      ),
    (words) => told.push(words),
  )
  expect(count).toBe(2)
  const reason = 'two: not measured: ✗ ./hook.sh was not tried. It has no sandbox.'
  expect(told).toContain(reason)
  expect(told.at(-1)).toBe(`\nWithout figures:\n  ${reason}`)
  const text = told.join('\n')
  expect(text).toContain('one: what one is')
  expect(text).toContain('three: what three is')
  expect(text).toContain('missed   three: gate, over bare: 3.00 ms, 50 % above 2 ms')
  expect(text).toContain('missed   three: gate: 4.00 ×, 167 % above 1.5 ×')
})

test('two revisions are measured by turns, and a row that one of them cannot measure is named', async () => {
  const told: string[] = []
  const ran: string[] = []
  const count = await compareRows(
    three,
    {
      here: (name) => {
        ran.push(`${name} here`)
        return Promise.resolve(measured(1000, ran.length > 4 ? 3000 : 2000))
      },
      there: (name) => {
        ran.push(`${name} there`)
        return Promise.resolve(
          name === 'one' ? measured(1000, 1000) : { kind: 'failed', why: 'fire is not a function' },
        )
      },
    },
    'abc1234',
    (words) => told.push(words),
  )
  expect(count).toBe(1)
  expect(ran.slice(0, 6)).toEqual(
    ['here', 'there', 'there', 'here', 'here', 'there'].map((at) => `one ${at}`),
  )
  expect(ran.slice(6)).toEqual(['two here', 'two there', 'three here', 'three there'])
  expect(told[1]).toMatch(/one: what one is\n {2}bare \(floor\) .* 1\.00 × {3}1\.00–1\.00\n/)
  expect(told[1]).toMatch(/gate .* 1000 µs {4}2000 µs {5}2\.00 × {3}2\.00–3\.00$/)
  expect(told.at(-1)).toBe(
    '\nWithout figures:\n' +
      '  two: cannot be measured at abc1234: fire is not a function\n' +
      '  three: cannot be measured at abc1234: fire is not a function',
  )
})

test('what only this tree can measure has no figure of the other revision', async () => {
  const told: string[] = []
  const here = measured(1000, 2000)
  await compareRows(
    three.slice(0, 1),
    {
      here: () => Promise.resolve(here),
      there: () => Promise.resolve({ ...here, times: here.times.slice(0, 1) }),
    },
    'abc1234',
    (words) => told.push(words),
  )
  expect(told[1]).toMatch(/gate +– +2000 µs +– {3}–$/)
})
