// Packs what would be published, installs it in a bare folder and runs end-to-end tests against it: `npm run
// test:packed`.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * These two show whatever a package can lack: `web` opens the page in a browser and approves what was shipped
 * as an example, and `separation` starts the hosts and threads as users who may read nothing but what was
 * installed. All others would show the same sources once more.
 */
const asked = ['separation', 'web']

/** Without what is optional it had 89 MB when this was written. */
const maxSlimMb = 110

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'hookgate-packed-'))
// As an installed program lies: for every user to read.
chmodSync(folder, 0o755)

const run = (
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): void => {
  const ran = spawnSync(program, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
  if (ran.status !== 0)
    throw new Error(`"${program} ${args.join(' ')}" ended with ${ran.status ?? ran.signal}.`)
}

try {
  run('npm', ['pack', '--silent', '--pack-destination', folder], root)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('npm pack made no tarball.')
  // As config/service/README.md says it for a small installation.
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefix', folder, '--omit=optional', `./${tarball}`],
    folder,
    { npm_config_loglevel: 'error' },
  )
  const sizeMb = Number(
    /^\d+/.exec(execFileSync('du', ['-sm', 'node_modules'], { cwd: folder, encoding: 'utf8' }))?.[0],
  )
  console.log(`Installed without what is optional it has ${sizeMb} MB.`)
  if (!(sizeMb <= maxSlimMb)) throw new Error(`Expected at most ${maxSlimMb} MB, got ${sizeMb} MB.`)
  const cli = join(folder, 'node_modules/hookgate/dist/src/cli.js')
  run(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.ts',
      '--project',
      'e2e',
      ...asked.map((name) => `test/e2e/${name}.e2e.ts`),
    ],
    root,
    { HOOKGATE_CLI: cli },
  )
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
