// Installs the real clients at their pinned versions, runs the tests of test/clients with them in a network that has
// nothing but loopback, prints what holds for each and writes it into the README: `npm run test:clients`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { LAWS, limitOf } from './laws.ts'
import { REAL_CLIENTS, type RealClient } from './clients.ts'
import { cacheFolder } from './cache.ts'

const root = resolve(import.meta.dirname, '../..')
const report = join(tmpdir(), `hookgate-clients-${process.pid}.json`)

const installClient = ({ name, packages }: RealClient): void => {
  const folder = join(cacheFolder, name)
  const done = join(folder, 'installed')
  if (packages.length === 0 || (existsSync(done) && readFileSync(done, 'utf8') === packages.join(' '))) return
  process.stdout.write(`installing ${packages.join(' ')}\n`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...packages], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm could not install ${packages.join(' ')}.`)
  writeFileSync(done, packages.join(' '))
}

/** As root, or in a user namespace of its own; without either the clients still find nothing but dead proxies. */
const isolation = ((): readonly string[] => {
  const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const ways = [['unshare', '--net', ...inside], ['unshare', '--map-root-user', '--net', ...inside]]
  const works = ways.find(([file = '', ...args]) => spawnSync(file, [...args, 'true']).status === 0)
  if (works === undefined) process.stdout.write('No network of their own could be made for the clients: they run with dead proxies.\n')
  return works ?? []
})()

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly { readonly ancestorTitles: readonly string[]; readonly title: string; readonly status: string }[] }[]
}

const matrix = ({ testResults }: Report): string => {
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  const cell = (client: RealClient, law: keyof typeof LAWS): string => {
    const status = results.find(({ title, ancestorTitles }) => ancestorTitles.includes(client.name) && title === LAWS[law])?.status
    return status === 'passed' ? (limitOf(client.name, law)?.words ?? '✓') : '✗'
  }
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(['', ...REAL_CLIENTS.map(({ title, version }) => `${title} ${version}`)]),
    row(['---', ...REAL_CLIENTS.map(() => '---')]),
    ...(Object.keys(LAWS) as (keyof typeof LAWS)[]).map((law) => row([LAWS[law], ...REAL_CLIENTS.map((client) => cell(client, law))])),
  ].join('\n')
}

for (const client of REAL_CLIENTS) installClient(client)
const [file, ...args] = [...isolation, process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--config', 'test/clients/vitest.config.ts', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const { status } = spawnSync(file, args, { cwd: root, stdio: 'inherit' })
const table = matrix(JSON.parse(readFileSync(report, 'utf8')) as Report)
rmSync(report)
process.stdout.write(`\n${table}\n`)
if (status === 0) {
  const readme = join(root, 'README.md')
  const text = readFileSync(readme, 'utf8')
  writeFileSync(readme, text.replace(/(<!-- generated: clients -->\n)[^]*?(<!-- \/generated: clients -->)/, (_, begin: string, end: string) => `${begin}${table}\n${end}`))
}
process.exitCode = status ?? 1
