import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import { startProgram } from './program.ts'
import { arm, openPhone, ownedEnv, put, token } from './rig.ts'

const root = resolve(import.meta.dirname, '../..')

let folder: string
/** A copy of this tree: other tests may run what a build here would replace. */
const tree = (): string => join(folder, 'tree')

/** What npm tells the scripts that it runs is about this tree, not about the folders below. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:INIT_CWD$|npm_(?!config_)|npm_config_(?:local_)?prefix$)/.test(name),
  ),
)
const run = async (
  cwd: string,
  file: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<string> =>
  (await promisify(execFile)(file, args, { cwd, env: { ...env, ...more }, maxBuffer: 64 * 1024 * 1024 }))
    .stdout

const jsonIn = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
interface Package {
  readonly name: string
  readonly version: string
}
const { name, version } = jsonIn(join(root, 'package.json')) as Package

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-package-'))
  // As an installed program lies: for every user to read.
  chmodSync(folder, 0o755)
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // What is deleted and not yet committed is listed as well.
  for (const file of files.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))) {
    mkdirSync(dirname(join(tree(), file)), { recursive: true })
    cpSync(join(root, file), join(tree(), file), { force: true })
  }
  symlinkSync(join(root, 'node_modules'), join(tree(), 'node_modules'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))

test('npx hookgate, which the README tells to type in a clone, works after every build', async () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain('In a clone type `npx hookgate`')
  const cache = { npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true' }
  for (const _ of ['the first build', 'the second build']) {
    await run(tree(), 'npm', ['run', '--silent', 'build'])
    // npm gives a program its execute bit where it first links it, and never again.
    expect(await run(tree(), 'npx', ['hookgate', '--version'], cache)).toBe(`${version}\n`)
  }
})

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: true } & Readonly<Record<string, unknown>>>>
}
/**
 * A lock for a folder that depends on the tarball alone. It has the versions of our own lock, which npm has
 * in its cache since it installed them here.
 */
const lockFor = (tarball: string): { readonly manifest: object; readonly lock: object } => {
  const { packages } = jsonIn(join(root, 'package-lock.json')) as Lock
  const { devDependencies: _, ...ours } = packages[''] ?? {}
  const manifest = { private: true, dependencies: { [name]: `file:${tarball}` } }
  const needed = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true)
  return {
    manifest,
    lock: {
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': manifest,
        [`node_modules/${name}`]: { ...ours, resolved: `file:${tarball}` },
        ...Object.fromEntries(needed),
      },
    },
  }
}

test('what npm packs, installed from its tarball without what is optional, starts, and a hook blocks there', async () => {
  // The build of the test before is packed: what `prepack` adds to it are the types.
  await run(tree(), 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder])
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? 'none'
  const { manifest, lock } = lockFor(tarball)
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  await run(folder, 'npm', [
    'ci',
    '--prefer-offline',
    '--omit=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ])

  const api = await startBotApi({ token })
  onTestFinished(() => api.stop())
  const program = await startProgram(ownedEnv(api), join(folder, 'node_modules', name, 'dist/src/cli.js'))
  onTestFinished(() => program.remove())
  const phone = openPhone(api)
  await put(program, 'guard.sh', '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n')
  await arm(program, phone, [{ event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden' }])
  await phone.ask('!echo forbidden', /the guard said no/)
  await phone.ask('!echo fine', /^fine/)
})
