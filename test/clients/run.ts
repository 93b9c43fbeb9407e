// Installs the real clients and agents at their pinned versions, runs the tests of test/clients with them in
// a network that has nothing but loopback, prints what holds for each and writes it where it is told about:
// `npm run test:clients`. With words behind `--` only the files whose paths have one of them run, and nothing
// is written.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ACP_AGENTS } from './acp-agents.ts'
import { ACP_LAWS, acpLimitOf, type AcpLaw } from './acp-laws.ts'
import { LAWS, limitOf, type Law, type Limit } from './laws.ts'
import { REAL_CLIENTS, type RealClient } from './clients.ts'
import { cacheFolder } from './cache.ts'
import { installPackages } from '../packages.ts'

const root = resolve(import.meta.dirname, '../..')
const report = join(tmpdir(), `hookgate-clients-${process.pid}.json`)

/** One program that is tried. */
type Tried = Pick<RealClient, 'title' | 'version' | 'packages'> & {
  readonly name: string
  readonly folder?: string
}

const installClient = ({ name, folder: own = name, packages }: Tried): void => {
  const folder = join(cacheFolder, own)
  const done = join(folder, 'installed')
  if (packages.length === 0 || (existsSync(done) && readFileSync(done, 'utf8') === packages.join(' '))) return
  process.stdout.write(`installing ${packages.join(' ')}\n`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  const { status } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...packages],
    { cwd: folder, stdio: 'inherit' },
  )
  if (status !== 0) throw new Error(`npm could not install ${packages.join(' ')}.`)
  writeFileSync(done, packages.join(' '))
}

/**
 * As root, or in a user namespace of its own; without either the clients still find nothing but dead proxies.
 */
const isolation = ((): readonly string[] => {
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const ways = [
    ['unshare', '--net', ...inside],
    ['unshare', '--map-root-user', '--net', ...inside],
  ]
  const works = ways.find(([file = '', ...args]) => spawnSync(file, [...args, 'true']).status === 0)
  if (works === undefined)
    process.stdout.write(
      'No network of their own could be made for the clients: they run with dead proxies.\n',
    )
  return works ?? []
})()

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
    }[]
  }[]
}

const matrix = <L extends string>(
  { testResults }: Report,
  columns: readonly Tried[],
  laws: Readonly<Record<L, string>>,
  limit: (column: Tried, law: L) => Limit | undefined,
): string => {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  const cell = (column: Tried, law: L): string => {
    const status = results.find(
      ({ title, ancestorTitles }) => ancestorTitles.includes(column.name) && title === laws[law],
    )?.status
    return status === 'passed' ? (limit(column, law)?.words ?? '✓') : '✗'
  }
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(['', ...columns.map(({ title, version }) => `${title} ${version}`)]),
    row(['---', ...columns.map(() => '---')]),
    ...(Object.keys(laws) as L[]).map((law) =>
      row([laws[law], ...columns.map((column) => cell(column, law))]),
    ),
  ].join('\n')
}

const write = (file: string, marker: string, table: string): void => {
  const path = join(root, file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    text.replace(
      new RegExp(`(<!-- generated: ${marker} -->\n)[^]*?(<!-- /generated: ${marker} -->)`),
      (_, begin: string, end: string) => `${begin}${table}\n${end}`,
    ),
  )
}

const only = process.argv.slice(2)
await installPackages('test/clients')
for (const client of [...REAL_CLIENTS, ...ACP_AGENTS]) installClient(client)
const [file, ...args] = [
  ...isolation,
  process.execPath,
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/clients/vitest.config.ts',
  ...only,
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
]
const { status } = spawnSync(file, args, { cwd: root, stdio: 'inherit' })
const said = JSON.parse(readFileSync(report, 'utf8')) as Report
rmSync(report)
const tables = [
  [
    'src/bridge/README.md',
    'clients',
    matrix<Law>(said, REAL_CLIENTS, LAWS, ({ name }, law) => limitOf(name as RealClient['name'], law)),
  ],
  [
    'src/agents/README.md',
    'acp agents',
    matrix<AcpLaw>(said, ACP_AGENTS, ACP_LAWS, ({ title }, law) => acpLimitOf(title, law)),
  ],
] as const
for (const [place, marker, table] of only.length === 0 ? tables : []) {
  process.stdout.write(`\n${table}\n`)
  if (status === 0) write(place, marker, table)
}
process.exitCode = status ?? 1
