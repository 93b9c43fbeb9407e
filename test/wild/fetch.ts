// Brings about the folder that `npm run test:wild` wants in WILD, with git from github.com:
// node test/wild/fetch.ts <folder>
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readLock } from './lock.ts'

const [given] = process.argv.slice(2)
if (given === undefined) {
  process.stderr.write(
    'Expected a folder to bring the repositories to, got nothing. Run: node test/wild/fetch.ts <folder>\n',
  )
  process.exit(1)
}

const git = (cwd: string, ...args: readonly string[]): void =>
  void execFileSync('git', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })

for (const [repository, { commit }] of Object.entries(readLock().repositories)) {
  const checkout = resolve(given, repository)
  process.stdout.write(`${repository} ${commit}\n`)
  if (!existsSync(join(checkout, '.git'))) {
    mkdirSync(checkout, { recursive: true })
    git(checkout, 'init', '--quiet')
    git(checkout, 'remote', 'add', 'origin', `https://github.com/${repository}.git`)
  }
  git(checkout, 'fetch', '--quiet', '--depth=1', 'origin', commit)
  // Nothing of theirs runs while it is written: no hooks of the repository, no filters that need a program.
  git(
    checkout,
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'filter.lfs.smudge=cat',
    '-c',
    'filter.lfs.required=false',
    'checkout',
    '--quiet',
    '--detach',
    '--force',
    commit,
  )
}
