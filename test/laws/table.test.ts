import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { countOf } from './place.ts'
import { plantedFaults } from './planted-faults.ts'

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, file), 'utf8')
const table = read('../laws.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const rows = table.filter(([, law = '']) => /^\d/.test(law))

test('the table of laws names each law once, with a test that exists and the fault that is planted', () => {
  const titles = [...read('laws.test.ts').matchAll(/^test\('(Law \d+, [^']+)'/gm)].map(
    ([, title]) => title ?? '',
  )
  expect(rows.map(([, law]) => Number(law))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12])
  for (const [, law, , title = '', fault] of rows) {
    expect(
      titles.filter((candidate) => candidate.startsWith(title) && candidate.startsWith(`Law ${law},`)),
    ).toHaveLength(1)
    expect(plantedFaults.filter((planted) => planted.law === Number(law)).map(({ what }) => what)).toEqual([
      fault,
    ])
  }
})

test('the table of readers names each fault that is planted against another test file, with that file', () => {
  const named = table.flatMap(([, whose = '', test = '', fault = '']) => {
    const file = /\]\(([^)]+\.(?:test|property|smoke|e2e|attack|fleet)\.ts)\)/.exec(test)?.[1]
    return file === undefined ? [] : [`test/${file}: ${whose}: ${fault}`]
  })
  expect(named).toEqual(
    plantedFaults.flatMap(({ test, what }) => (test === undefined ? [] : [`${test}: ${what}`])),
  )
  for (const { law, test } of plantedFaults) expect(law === undefined).toBe(test !== undefined)
})

test('every file that the table of laws names is there', () => {
  for (const [, file = ''] of read('../laws.md').matchAll(/\]\(([^)]+)\)/g))
    expect(existsSync(resolve(import.meta.dirname, '..', file)), file).toBe(true)
})

test('each fault has exactly one line where it can be planted', () => {
  for (const { what, file, find } of plantedFaults)
    expect(countOf(read(`../../${file}`), find), `${what}: "${find}" in ${file}`).toBe(1)
})
