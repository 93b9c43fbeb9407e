import { beforeAll, describe, expect, test } from 'vitest'
import { forgeries } from '../../src/doctor/attack/table.ts'
import { advisory } from '../../src/doctor/attack/text.ts'
import type { Judged } from '../../src/doctor/attack/judge.ts'
import { canMakeUsers, type ModeName } from './modes.ts'
import { tryAll, type Tried } from './run.ts'

/** `users` needs the right to make them; where the tests must not skip themselves, its absence is a failure. `sandbox` joins when the gate makes one. */
const modes: readonly ModeName[] = canMakeUsers || process.env['CI'] === 'true' ? ['none', 'users'] : ['none']

const line = ({ forgery, why }: Judged): string => `${forgery.name}: ${why}`

describe.each(modes)('a process with the agent’s rights, separation: %s', (mode) => {
  let tried: Tried
  const broken = (): readonly Judged[] => tried.results.filter(({ kind }) => kind === 'broken')

  beforeAll(async () => {
    tried = await tryAll(mode)
    console.log(tried.results.map(({ forgery, kind, why }) => `${kind.padEnd(8)} ${forgery.title}: ${why}`).join('\n'))
  }, 1_200_000)

  test('at least 40 forgeries were tried, none left out', () => {
    expect(tried.results.filter(({ kind }) => kind === 'untried').map(line)).toEqual([])
    expect(tried.results.length).toBe(forgeries.length)
    expect(tried.results.length).toBeGreaterThanOrEqual(40)
  })

  test('nothing got through that is not known to', () => {
    const known = ({ forgery: { knownHole, withoutSeparation } }: Judged): boolean => knownHole !== undefined || (mode === 'none' && withoutSeparation !== undefined)
    expect(broken().filter((one) => !known(one)).map(line)).toEqual([])
  })

  test('what is told to be open is open: no word of it outlives its mending', () => {
    const held = tried.results.filter(({ kind }) => kind === 'held')
    const claims = ({ forgery: { knownHole, withoutSeparation } }: Judged): boolean => (mode === 'none' && withoutSeparation !== undefined ? withoutSeparation.varies !== true : knownHole !== undefined)
    expect(held.filter(claims).map(line)).toEqual([])
  })

  test('the gate is in the end what it was', () => {
    expect(tried.left).toEqual([])
  })

  test.runIf(mode === 'none')('the advisory names each that succeeds for want of separation', () => {
    const text = advisory()
    expect(broken().filter(({ forgery }) => forgery.withoutSeparation !== undefined && !text.includes(`✗ ${forgery.title}\n`)).map(line)).toEqual([])
  })
})

test('every forgery has a name and a title of its own', () => {
  expect(new Set(forgeries.map(({ name }) => name)).size).toBe(forgeries.length)
  expect(new Set(forgeries.map(({ title }) => title)).size).toBe(forgeries.length)
})
