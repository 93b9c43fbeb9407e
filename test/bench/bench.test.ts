import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectGenerated } from '../config-docs/generated.ts'
import { tableOf } from '../config-docs/table.ts'
import { subjectOf } from './judge.ts'
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

const page = new URL('README.md', import.meta.url)

test('the page of the bench lists each row with its floor and its aims', () => {
  const lines = rows.map(({ name, what, floor, aims }) => [
    `\`${name}\``,
    what,
    typeof floor === 'string' ? floor : `none: ${floor.none}`,
    aims
      .map(
        (aim) =>
          `${subjectOf(aim)}: ${aim.atMost} ${aim.unit}${aim.isAsMeasured === true ? ', as measured' : ''}`,
      )
      .join('<br>'),
  ])
  expectGenerated(page, 'rows', tableOf(['Row', 'What it is', 'Floor', 'At most'], lines))
})

test('the page of the bench says of each row once how it is measured, and of nothing else', () => {
  const items = [...readFileSync(page, 'utf8').matchAll(/^- ((?:`[\w-]+`(?:, | and )?)+):/gm)]
  const told = items.flatMap(([, names = '']) => names.split(/, | and /).map((name) => name.slice(1, -1)))
  expect(told.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

test('the bench measures everything, the quick rows, the named rows, or those that are both', () => {
  const quick = rows.filter(({ isQuick }) => isQuick).map(({ name }) => name)
  const isOfFleet = (name: string): boolean => name.startsWith('fleet-')
  const names = rows.map(({ name }) => name)
  expect(namesOf([])).toEqual(names.filter((name) => !isOfFleet(name)))
  expect(namesOf(['fleet'])).toEqual(names.filter(isOfFleet))
  expect(namesOf(['fleet-off', 'http'])).toEqual(['http', 'fleet-off'])
  expect(namesOf(['--quick'])).toEqual(quick)
  expect(quick.length).toBeGreaterThan(0)
  expect(quick.length).toBeLessThan(rows.length)
  expect(namesOf(['trial', 'http'])).toEqual(['http', 'trial'])
  expect(namesOf(['trial', 'http', '--quick'])).toEqual(['http'])
})

test.each([
  [['http'], undefined],
  [['http', '--against', 'v1'], 'v1'],
  [['http', '--against'], 'release'],
  [['--against', '--quick', 'http'], 'release'],
])('%j asks for a comparison with %s', (args, against) => {
  expect(readAsked(args)).toMatchObject({ rows: [{ name: 'http' }], against })
})

test.each([
  [['nothing'], 'Expected names of rows, got nothing.'],
  [['trial', '--quick'], 'Expected a quick row, got trial.'],
  [['fleet', '--quick'], 'Expected a quick row, got fleet.'],
  [['--slow'], '--slow'],
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
    { of: 'gate', atMost: 1.5, unit: '×', isAsMeasured: true },
  ],
  isQuick: true,
  measure: () => Promise.reject(new Error('Expected a process to measure it.')),
})
const three = [rowOf('one'), rowOf('two'), rowOf('three')]

const timed = (name: string, us: number) => ({ name, samples: 7, p10: us, median: us, p95: us })
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
  expect(text).toContain('one: what one is (7 samples)')
  expect(text).toContain('three: what three is (7 samples)')
  expect(text).toContain('missed   three: gate, over bare: 3.00 ms, 50 % above 2 ms')
  expect(text).toContain('missed   three: gate: 4.00 ×, 167 % above 1.5 × as measured')
})

/** What is told of a row whose floor and gate take so many microseconds in each turn, here and there. */
const compared = async (
  turns: readonly (readonly [here: readonly [number, number], there: readonly [number, number]])[],
  aims: Row['aims'] = [{ of: 'gate', atMost: 100, unit: 'µs' }],
) => {
  const told: string[] = []
  const ran: ('here' | 'there')[] = []
  const run = (where: 'here' | 'there') => (): Promise<Outcome> => {
    const turn = turns[ran.length >> 1]
    ran.push(where)
    return Promise.resolve(measured(...(turn?.[where === 'here' ? 0 : 1] ?? [0, 0])))
  }
  const runs = { here: run('here'), there: run('there') }
  const outcome = await compareRows([{ ...rowOf('one'), aims }], runs, 'abc1234', (words) => told.push(words))
  return { ...outcome, ran, text: told.join('\n') }
}
const slower = [
  [10, 50],
  [10, 40],
] as const

test('a figure that is worse in each of five turns has worsened, and a revision never always runs first', async () => {
  const { measured: count, worsened, ran, text } = await compared([slower, slower, slower, slower, slower])
  expect([count, worsened]).toEqual([1, 1])
  expect(ran.map((where) => where[0]).join('')).toBe('thhtthhtth')
  expect(text).toMatch(/bare \(floor\) +10\.0 µs +10\.0 µs +1\.00 × {3}1\.00–1\.00\n/)
  expect(text).toMatch(/gate +40\.0 µs +50\.0 µs +1\.25 × {3}1\.25–1\.25\n/)
  expect(text).toContain('reached  one: gate: 50.00 µs, 50 % below 100 µs')
  expect(text).toContain('\nAgainst abc1234, worsened:\n  one: gate: 1.25 × (1.25–1.25)')
  expect(text).not.toContain('Within chance')
})

test('a figure that is better is told as such', async () => {
  const faster = [slower[1], slower[0]] as const
  const { worsened, text } = await compared([faster, faster, faster, faster, faster])
  expect(worsened).toBe(0)
  expect(text).toContain('Against abc1234, worsened:\n  nothing\n\nBetter:\n  one: gate: 0.80 × (0.80–0.80)')
})

const same = [slower[1], slower[1]] as const
/** The floor takes so many microseconds here and there, and the gate 50 and 40. */
const withFloors = (here: number, there: number) =>
  [
    [here, 50],
    [there, 40],
  ] as const
test.each([
  ['one turn of three tells otherwise', [slower, same, slower], 3],
  ['a fourth or fifth turn tells otherwise', [slower, slower, slower, slower, same], 5],
  ['the floor of one turn is as much slower', [slower, withFloors(13, 10), slower], 3],
  ['the floor of one turn is as much faster', [slower, withFloors(10, 13), slower], 3],
  ['it is less than 5 %', Array.from({ length: 3 }, () => [[10, 41], slower[1]] as const), 3],
])('a figure is within chance when %s', async (_, turns, count) => {
  const { worsened, ran, text } = await compared(turns)
  expect(worsened).toBe(0)
  expect(ran).toHaveLength(2 * count)
  expect(text).toContain('Within chance:\n  one: gate: ')
})

test('a floor that takes next to no time hides no figure that is worse', async () => {
  const turn = withFloors(0.14, 0.08)
  const { worsened } = await compared([turn, turn, turn, turn, turn])
  expect(worsened).toBe(1)
})

test('a figure against the floor is compared as that', async () => {
  const both = [
    [20, 80],
    [10, 40],
  ] as const
  const { text } = await compared([both, both, both], [{ of: 'gate', atMost: 9, unit: '×' }])
  expect(text).toContain('Within chance:\n  one: gate: 1.00 × (1.00–1.00)')
})

test('a row that another revision cannot measure is named, and is not measured here', async () => {
  const told: string[] = []
  const ran: string[] = []
  const outcome = await compareRows(
    three,
    {
      here: (name) => {
        ran.push(`${name} here`)
        return Promise.resolve(measured(1000, 2000))
      },
      there: (name) =>
        Promise.resolve(
          name === 'one' ? measured(1000, 2000) : { kind: 'failed', why: 'fire is not a function' },
        ),
    },
    'abc1234',
    (words) => told.push(words),
  )
  expect(outcome).toEqual({ measured: 1, worsened: 0 })
  expect(ran).toEqual(['one here', 'one here', 'one here'])
  expect(told).toContain(
    '\nWithout figures:\n' +
      '  two: cannot be measured at abc1234: fire is not a function\n' +
      '  three: cannot be measured at abc1234: fire is not a function',
  )
})

test('a comparison that is stopped tells what it has found until then', async () => {
  const told: string[] = []
  const run = (name: string): Promise<Outcome> =>
    name === 'one' ? Promise.resolve(measured(1000, 2000)) : Promise.reject(new Error('SIGINT'))
  const comparing = compareRows(three, { here: run, there: run }, 'abc1234', (words) => told.push(words))
  await expect(comparing).rejects.toThrow('SIGINT')
  expect(told.at(-1)).toContain('Within chance:\n  one: gate, over bare: 1.00 ×')
})

test('nothing is said to be no worse where no row could be compared', async () => {
  const told: string[] = []
  const run = (): Promise<Outcome> => Promise.resolve({ kind: 'failed', why: 'It ended.' })
  const runs = { here: run, there: run }
  expect(await compareRows(three, runs, 'abc1234', (words) => told.push(words))).toEqual({
    measured: 0,
    worsened: 0,
  })
  expect(told.at(-1)).toContain('Without figures:')
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
