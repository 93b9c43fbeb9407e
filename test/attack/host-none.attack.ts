import { expect, test } from 'vitest'
import { forgeries } from '../../src/attack/table.ts'
import { attackFromHost } from './host.ts'

attackFromHost('none')

test('every forgery has a name and a title of its own', () => {
  expect(new Set(forgeries.map(({ name }) => name)).size).toBe(forgeries.length)
  expect(new Set(forgeries.map(({ title }) => title)).size).toBe(forgeries.length)
})
