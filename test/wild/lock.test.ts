import { expect, it } from 'vitest'
import { contractOf } from '../../src/core/model/events/event.ts'
import { readLock } from './lock.ts'

const { repositories } = readLock()
const sets = Object.values(repositories).flatMap((repository) => repository.sets)
const cases = sets.flatMap((set) => set.cases)

it('the hooks of others that are tried are at least 120, of 25 repositories and 9 systems', () => {
  expect(cases.length).toBeGreaterThanOrEqual(120)
  expect(Object.keys(repositories).length).toBeGreaterThanOrEqual(25)
  expect(new Set(sets.map(({ system }) => system)).size).toBeGreaterThanOrEqual(9)
})

it('a refusal is only expected of an event that can be refused', () => {
  for (const { expect: outcome, event, hook } of cases)
    if (outcome === 'block') expect(contractOf(event).gate, hook).toContain('block')
})

it('nothing is placed outside the workspace and the home of the test', () => {
  for (const path of sets.flatMap(({ place, config }) => [...Object.values(place), config]))
    expect(path).not.toMatch(/^\/|\.\.(\/|$)/)
})
