import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ACP_AGENTS } from './acp-agents.ts'
import { ACP_LAWS } from './acp-laws.ts'
import { REAL_CLIENTS } from './clients.ts'
import { LAWS } from './laws.ts'
import { SESSION_FORMATS } from '../../src/history/sessions/table.ts'

/** The cells of a generated table. Only a run with the real programs can fill them. */
const tableIn = (file: string, marker: string): readonly (readonly string[])[] => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  const [, table = ''] =
    new RegExp(`<!-- generated: ${marker} -->\n([^]*?)\n<!-- /generated: ${marker} -->`).exec(text) ?? []
  return table.split('\n').map((line) =>
    line
      .slice(2, -2)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

test.each([
  { file: 'src/bridge/README.md', marker: 'clients', tried: REAL_CLIENTS, laws: LAWS },
  { file: 'src/agents/README.md', marker: 'acp agents', tried: ACP_AGENTS, laws: ACP_LAWS },
])(
  'the table in $file names each program in its pinned version and each law',
  ({ file, marker, tried, laws }) => {
    const [head = [], , ...rows] = tableIn(file, marker)
    expect(head.slice(1)).toEqual(tried.map(({ title, version }) => `${title} ${version}`))
    expect(rows.map(([law]) => law)).toEqual(Object.values(laws))
    expect(rows.filter((cells) => cells.length !== head.length || cells.includes('✗'))).toEqual([])
  },
)

test('the sessions of each client are read as its pinned version writes them', () => {
  expect(
    Object.entries(SESSION_FORMATS)
      .map(([name, { seen }]) => `${name} ${seen}`)
      .toSorted(),
  ).toEqual(REAL_CLIENTS.map(({ name, version }) => `${name} ${version}`).toSorted())
})
