import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { WildCase, WildSet } from './lock.ts'

/** What stands in every workspace beside what the hook's repository brings. */
const files: Readonly<Record<string, string>> = {
  'README.md': '# A project\n',
  'package.json': '{"name": "a-project", "version": "1.0.0", "scripts": {"test": "true"}}\n',
  'src/app.js': 'export const one = 1\n',
  'src/app.ts': 'export const one: number = 1\n',
  'src/app.py': 'one = 1\n',
  'notes.txt': 'hello\n',
}

/** Programs that many hooks are started with, as a person has them. They hand on to python3 and node. */
const programs: Readonly<Record<string, string>> = {
  uv: `#!/bin/sh
[ "$1" = run ] || exit 0
shift
while :; do case $1 in
  --script|-s|--quiet|-q|--no-project|python|python3) shift ;;
  --with|--project|--python) shift 2 ;;
  *) break ;;
esac; done
exec python3 "$@"
`,
  bun: '#!/bin/sh\n[ "$1" = run ] && shift\nexec node "$@"\n',
}

const git = (cwd: string, ...args: readonly string[]): void => {
  const who = [
    '-c',
    'user.name=A Person',
    '-c',
    'user.email=person@example.com',
    '-c',
    'commit.gpgsign=false',
  ]
  execFileSync('git', [...who, ...args], { cwd, stdio: 'pipe' })
}

const write = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode })
}

/** A home with the programs of a person, and nothing else. */
export const makeHome = (home: string): void => {
  rmSync(home, { recursive: true, force: true })
  for (const [name, text] of Object.entries(programs)) write(join(home, '.local/bin', name), text, 0o755)
  write(
    join(home, '.gitconfig'),
    '[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n',
  )
}

export const prepare = (workspace: string, text: string | undefined): void => {
  if (text !== undefined) execFileSync('sh', ['-c', text], { cwd: workspace, stdio: 'pipe' })
}

/** A git repository on branch main with a small project, and what the set takes from its own repository. */
export const makeWorkspace = (
  workspace: string,
  home: string,
  checkout: string,
  { place, install }: Pick<WildSet, 'place' | 'install'>,
): void => {
  for (const [path, text] of Object.entries(files))
    if (!existsSync(join(workspace, path))) write(join(workspace, path), text)
  for (const [from, to] of Object.entries(place)) {
    const target = to.startsWith('~/') ? join(home, to.slice(2)) : join(workspace, to)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(join(checkout, from), target, {
      recursive: true,
      filter: (path) => !path.includes('/.git/') && !path.endsWith('/.git'),
    })
  }
  prepare(workspace, install)
  git(workspace, 'init', '--quiet', '--initial-branch=main')
  // What the gate itself has there is no part of the project, and stays when a case is cleaned away.
  writeFileSync(join(workspace, '.git/info/exclude'), 'config/\n.hookgate*/\n')
  git(workspace, 'add', '--all', '--force', ':!config', ':!.hookgate*')
  git(workspace, 'commit', '--quiet', '--message', 'feat: begin')
}

/** Takes back what a case changed in the workspace. */
export const clean = (workspace: string): void => {
  git(workspace, 'reset', '--quiet', '--hard', 'main')
  git(workspace, 'checkout', '--quiet', 'main')
  git(workspace, 'clean', '--quiet', '-fdx', '--exclude=config', '--exclude=.hookgate*')
}

/** The file that one of a set's hooks stands in. */
export const configPath = (
  workspace: string,
  { system, source, config }: Pick<WildSet, 'system' | 'source' | 'config'>,
  { hook }: WildCase,
): string => {
  const place = join(workspace, config)
  if ((source ?? system) === 'claude-plugin') return join(place, 'hooks/hooks.json')
  if (system === 'agent-hooks') return join(place, hook.split(' ')[1] ?? '', 'HOOK.md')
  if (place.endsWith('.json') || !system.startsWith('copilot')) return place
  const files = execFileSync('ls', [place], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => name.endsWith('.json'))
  return join(
    place,
    files.length === 1
      ? (files[0] ?? '')
      : (files.find((name) =>
          readFileSync(join(place, name), 'utf8').includes(`"${hook.split(' ')[0] ?? ''}"`),
        ) ?? ''),
  )
}
