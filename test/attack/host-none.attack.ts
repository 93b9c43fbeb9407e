import { expect, test } from 'vitest'
import { forgeries } from '../../src/attack/table.ts'
import { attackFromHost } from './host.ts'

// Where nothing keeps the agent away much gets through and has to be put back, so this is half of them and
// another file the rest.
attackFromHost('none', (place) => place % 2 === 0)

test('every forgery has a name and a title of its own', () => {
  expect(new Set(forgeries.map(({ name }) => name)).size).toBe(forgeries.length)
  expect(new Set(forgeries.map(({ title }) => title)).size).toBe(forgeries.length)
})
