import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectGenerated } from './config-docs/generated.ts'
import { tableOf } from './config-docs/table.ts'
import { tiers } from './tiers.ts'

const page = new URL('../.github/CONTRIBUTING.md', import.meta.url)
const text = readFileSync(page, 'utf8')

test('the page for contributors names each tier as the table of tiers does', () => {
  const rows = Object.entries(tiers).map(([name, { include, proves }]) => [
    name === 'quick' ? '`npm test`' : `\`npm run test:${name}\``,
    include.map((pattern) => `\`${pattern.replace('test/**/', '')}\``).join(', '),
    proves,
  ])
  expectGenerated(page, 'tiers', tableOf(['Command', 'Files', 'What it proves'], rows))
})

test('the page for contributors names scripts that the package has, and files that are there', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  const named = [...text.matchAll(/`npm run ([\w:]+)`/g)].map(([, script = '']) => script)
  expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([])
  const untold = Object.keys(scripts).filter(
    (script) => script.startsWith('test:') && !named.includes(script),
  )
  expect(untold).toEqual([])
  const files = [...text.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, file = '']) => `../${file}`)
  expect(files.filter((file) => !existsSync(new URL(file, page)))).toEqual([])
})
