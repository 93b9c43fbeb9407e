import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { HookHost } from '../../../src/handlers/host/host.ts'
import {
  git,
  hollowRepository,
  hostileRepository,
  markNames,
  repository,
} from '../../agents/hostile-repository.ts'
import { needs } from '../../needs.ts'
import { leaveHost, takeHost } from '../../hook-host.ts'

let host: HookHost
beforeAll(async () => {
  host = await takeHost()
})
afterAll(() => leaveHost(host))

let above: string
let [folder, marks] = ['', '']
beforeEach(() => {
  above = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'hookgate-planted-')))
  ;[folder, marks] = [join(above, 'workspace'), join(above, 'marks')]
  fs.mkdirSync(marks)
})
afterEach(() => fs.rmSync(above, { recursive: true, force: true }))

const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/nonexistent', LC_ALL: 'C' }
const run = (script: string, cwd = folder, timeoutMs = 15_000) =>
  host.run({ argv: ['/bin/sh', '-c', script], cwd, env, stdin: '', timeoutMs })
/** As the same script would run at home, where the repository is the person's own. */
const atHome = (script: string, cwd = folder): void =>
  void spawnSync('/bin/sh', ['-c', script], {
    cwd,
    env: { ...env, GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true' },
    stdio: 'ignore',
    timeout: 15_000,
  })
/** What stands first on the PATH decides by the folder that git is called in: a hook can go past it. */
const pastWrapper = 'PATH=${PATH#*:}; '
/** A program that leaves a file of that name. */
const mark = (name: string, then = 'cat'): string => `sh -c 'touch ${join(marks, name)}; ${then}'`

const looking = [
  'status',
  'status --short --ignore-submodules=none',
  'diff',
  'diff a.txt',
  'diff b.bin',
  'diff --submodule=diff',
  'diff --cached',
  'diff HEAD~1',
  'diff --ext-diff --textconv HEAD',
  'log -p',
  'log --show-signature -1',
  'log --submodule=diff -p',
  'show HEAD',
  'show --textconv HEAD:b.bin',
  'blame --show-stats b.bin',
  'grep one',
  'grep --recurse-submodules one',
  'grep --textconv one',
  'ls-files --recurse-submodules',
  'check-attr -a b.bin',
  'check-ignore a.txt',
  'cat-file --filters HEAD:c.flt',
  'cat-file --textconv HEAD:b.bin',
  'hash-object c.flt d.prc',
  'archive --format=tar HEAD',
  'describe --always --dirty',
  'verify-commit HEAD',
  'rev-parse HEAD',
  'submodule status',
  'submodule foreach git status',
  'submodule summary',
  'diff-files',
  'diff-index -p HEAD',
  'range-diff HEAD~1 HEAD~1 HEAD',
]
const writing = [
  'add a.txt',
  'add --all',
  'commit --all --message=x',
  'commit --gpg-sign --allow-empty --message=x',
  'stash',
  'checkout -- .',
  'checkout HEAD~1',
  'reset --hard',
  'merge HEAD~1',
  'rebase HEAD~1',
  'tag --sign x --message=x',
  'submodule update --init',
  'update-index --refresh',
  'gc --auto',
  'fetch',
  'pull',
  'push',
  'ls-remote',
  'worktree add ../more',
  'am --abort',
  'rebase --continue',
  'bisect start',
  'notes add --message=x',
]

describe('what the agent wrote into its repository', () => {
  test('names programs that plain git runs, so that the next laws mean something', () => {
    hostileRepository(folder, marks)
    // First while the index has not heard of the monitor, which says that nothing changed.
    atHome(['diff a.txt', 'add a.txt', ...looking, ...writing].map((words) => `git ${words}`).join('\n'))
    expect(markNames(marks)).toEqual(
      expect.arrayContaining([
        'clean',
        'external',
        'fsmonitor',
        'gpg',
        'inner-clean',
        'inner-fsmonitor',
        'process',
        'textconv',
      ]),
    )
  })

  test.each([
    ['only looks', looking],
    ['would write', writing],
  ])('never runs in a hook whose git %s', async (_, words) => {
    hostileRepository(folder, marks)
    await run(words.map((each) => `git ${each} > /dev/null 2>&1`).join('\n'))
    expect(markNames(marks)).toEqual([])
  })

  test('never runs in a hook that names the repository itself, or looks at another one', async () => {
    hostileRepository(folder, marks)
    const other = join(folder, 'inner')
    const ways = [
      `git --git-dir=.git status`,
      `git --git-dir='${folder}/.git' --work-tree=. status`,
      `GIT_DIR=.git git status`,
      `git -C inner status`,
      `git -C inner --git-dir=.git status`,
      `cd inner && git status; cd ..`,
      `env -u GIT_DIR -u GIT_WORK_TREE git status`,
      `env -u GIT_DIR -u GIT_WORK_TREE git -C '${other}' status`,
      `unset $(git rev-parse --local-env-vars); git status; git -C inner status; git -C inner diff`,
      `GIT_WORK_TREE='${other}' GIT_DIR='${other}/.git' git status`,
    ]
    const script = ways.map((each) => `(${each}) > /dev/null 2>&1`).join('\n')
    await run(script)
    expect(markNames(marks)).toEqual([])
    await run(`${pastWrapper}${script}`)
    expect(markNames(marks)).toEqual([])
    const { stderr } = await run(`${pastWrapper}unset $(git rev-parse --local-env-vars); git status`)
    expect(stderr).toMatch(/dubious ownership/)
    expect((await run('git --git-dir=.git status')).stderr).toMatch(
      /the repository of the hook’s own folder only/,
    )
  })

  test.each([
    ['a file that leads to it', (at: string) => fs.writeFileSync(at, 'gitdir: ../.git\n')],
    ['a link to it', (at: string) => fs.symlinkSync('../.git', at)],
  ])('never runs by a submodule whose .git is %s', async (_, plant) => {
    repository(join(folder, 'inner'))
    repository(folder)
    fs.writeFileSync(
      join(folder, '.gitmodules'),
      '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = untracked\n',
    )
    git(folder, 'add', '.')
    git(folder, 'commit', '--quiet', '--message=inner')
    fs.rmSync(join(folder, 'inner', '.git'), { recursive: true })
    plant(join(folder, 'inner', '.git'))
    git(folder, 'config', 'core.fsmonitor', mark('fsmonitor', 'true'))
    git(folder, 'config', 'diff.ignoreSubmodules', 'none')
    await run(
      'git status --ignore-submodules=none; git diff --submodule=diff; git submodule foreach git status',
    )
    expect(markNames(marks)).toEqual([])
    atHome('git status --ignore-submodules=none')
    expect(markNames(marks)).toEqual(['fsmonitor'])
  })

  test('never runs by the way to a missing object, to a remote or to what lends objects', async () => {
    hollowRepository(folder, marks)
    const lender = join(above, 'lender')
    hollowRepository(lender, marks)
    fs.writeFileSync(join(folder, '.git', 'objects', 'info', 'alternates'), `${lender}/.git/objects\n`)
    git(folder, 'config', 'remote.local.url', lender)
    git(folder, 'config', 'remote.ext.url', `ext::touch ${join(marks, 'ext')}`)
    git(folder, 'config', 'remote.origin.uploadpack', mark('uploadpack'))
    git(folder, 'config', 'core.alternateRefsCommand', mark('alternates'))
    git(folder, 'config', 'core.sshCommand', mark('ssh', 'false'))
    git(folder, 'config', 'credential.helper', `!${mark('credential')}`)
    git(lender, 'config', 'uploadpack.packObjectsHook', mark('pack'))
    const words = [
      'diff',
      'log -p',
      'fetch',
      'fetch local',
      'fetch ext',
      'ls-remote ext',
      'fetch ssh://127.0.0.1:1/x',
      'fetch http://127.0.0.1:1/x',
      'credential fill',
      `clone '${lender}' ../copy`,
      'fsck',
      'show HEAD:a.txt',
    ]
    const script = words
      .map((each) => `echo 'url=http://127.0.0.1:1/' | git ${each} > /dev/null 2>&1`)
      .join('\n')
    await run(script)
    expect(markNames(marks)).toEqual([])
    expect((await run('git fetch local; git ls-remote ext')).stderr).toMatch(
      /transport 'file' not allowed[^]*transport 'ext' not allowed/,
    )
    atHome(script)
    expect(markNames(marks)).toEqual(expect.arrayContaining(['credential', 'remote']))
  })

  test('never runs by what it includes, by its hooks, or by the files beside it', async () => {
    repository(folder)
    const planted = join(folder, 'planted.config')
    fs.writeFileSync(
      planted,
      `[core]\n\tfsmonitor = "${mark('included', 'true').replaceAll('"', '\\"')}"\n[alias]\n\tst = "!${mark('alias')}"\n`,
    )
    git(folder, 'config', 'include.path', planted)
    git(folder, 'config', `includeIf.gitdir:/.path`, planted)
    git(folder, 'config', 'extensions.worktreeConfig', 'true')
    fs.copyFileSync(planted, join(folder, '.git', 'config.worktree'))
    git(folder, 'config', 'core.worktree', above)
    for (const name of [
      'post-checkout',
      'post-index-change',
      'pre-commit',
      'reference-transaction',
      'fsmonitor-watchman',
    ]) {
      fs.writeFileSync(join(folder, '.git', 'hooks', name), `#!/bin/sh\ntouch '${join(marks, name)}'\n`, {
        mode: 0o755,
      })
    }
    fs.writeFileSync(join(folder, 'git'), `#!/bin/sh\ntouch '${join(marks, 'git')}'\n`, { mode: 0o755 })
    const script =
      'git status; git st; git update-ref refs/heads/x HEAD; git branch y; git add .; git commit -m x; git rev-parse --show-toplevel'
    expect((await run(script)).stdout.trim().split('\n').at(-1)).toBe(folder)
    expect(markNames(marks)).toEqual([])
    fs.rmSync(join(folder, 'git'))
    atHome('git -c core.worktree=. status; git branch z')
    expect(markNames(marks)).toEqual(expect.arrayContaining(['included', 'reference-transaction']))
  })

  test('never runs by the steps of a rebase that it left open', async () => {
    repository(folder)
    const author = {
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a@b',
    }
    git(folder, 'commit', '--quiet', '--allow-empty', '--message=second')
    const words = ['rebase', '--quiet', '--interactive', '--exec', `touch '${join(marks, 'todo')}'`, 'HEAD~1']
    execFileSync('git', words, {
      cwd: folder,
      env: { ...env, ...author, GIT_SEQUENCE_EDITOR: 'sed -i.old 1ibreak' },
      stdio: 'ignore',
    })
    await run('git rebase --continue; git rebase --skip; git rebase --edit-todo')
    expect(markNames(marks)).toEqual([])
    atHome('git rebase --continue')
    expect(markNames(marks)).toEqual(['todo'])
  })

  test('never runs for what is left of a hook that lies in another repository', async () => {
    repository(folder)
    hostileRepository(join(folder, 'project'), marks)
    for (const before of ['', pastWrapper])
      await run(
        before +
          'git status; cd project && git status; git diff; unset GIT_DIR GIT_WORK_TREE; git status; git diff',
        folder,
      )
    await run('git status; git diff; git status --ignore-submodules=none', join(folder, 'project'))
    expect(markNames(marks)).toEqual([])
  })
})

describe('a repository that is no repository', () => {
  const fifo = (...names: readonly string[]): void => void execFileSync('mkfifo', [join(folder, ...names)])
  const replaced = (name: string): void => {
    fs.rmSync(join(folder, '.git', name), { recursive: true, force: true })
    fifo('.git', name)
  }

  test.each(['config', 'HEAD', 'index', 'commondir', 'packed-refs', 'refs/heads/main'])(
    'with a FIFO as its %s keeps one hook waiting at most, for its own time',
    async (name) => {
      repository(folder)
      replaced(name)
      const [held, free] = await Promise.all([run('git status', folder, 1000), run('echo free', above)])
      expect(held.failure?.kind === 'timeout' || held.exitCode !== null).toBe(true)
      expect(free).toMatchObject({ exitCode: 0, stdout: 'free\n' })
      expect(free.durationMs).toBeLessThan(900)
    },
  )

  test("with a FIFO, a socket's place or a loop as its .git holds nothing up", async () => {
    fs.mkdirSync(folder)
    fifo('.git')
    expect((await run('git status', folder, 1000)).exitCode).not.toBe(0)
    fs.rmSync(join(folder, '.git'))
    fs.symlinkSync('.git', join(folder, '.git'))
    expect((await run('git status', folder, 1000)).exitCode).not.toBe(0)
    expect(await run('echo on')).toMatchObject({ stdout: 'on\n' })
  })

  test('with a configuration of a gigabyte, or ten thousand remotes, costs its hook a moment', async () => {
    repository(folder)
    fs.appendFileSync(
      join(folder, '.git', 'config'),
      Array.from(
        { length: 10_000 },
        (_, index) => `[remote "r${index}"]\n\turl = https://example.org/${index}\n`,
      ).join(''),
    )
    const many = await run('git remote | wc -l; git branch --show-current')
    expect(many.stdout).toMatch(/^\s*2000\nmain\n$/)
    fs.truncateSync(join(folder, '.git', 'config'), 2 ** 30)
    const huge = await run('git branch --show-current')
    expect(huge.stdout).toBe('main\n')
    expect(huge.durationMs).toBeLessThan(2000)
  })

  test("that leads to what is another user's is told to nobody", needs('root'), async () => {
    const theirs = join(above, 'theirs')
    repository(theirs)
    fs.mkdirSync(folder)
    fs.writeFileSync(join(folder, '.git'), `gitdir: ${theirs}/.git\n`)
    expect((await run('git log -1 --format=%s')).stdout).toBe('first\n')
    execFileSync('chown', ['-R', '65534:65534', theirs])
    expect(await run('git log -1 --format=%s')).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/dubious ownership/),
    })
  })

  test('that a .git file finds in the folder of the hooks is given to nobody as its own', async () => {
    repository(folder)
    const ours = (await run('git rev-parse --git-dir')).stdout.trim()
    const thief = join(above, 'thief')
    fs.mkdirSync(thief)
    fs.writeFileSync(join(thief, '.git'), `gitdir: ${ours}\n`)
    expect((await run('git rev-parse --git-dir', thief)).stdout.trim()).not.toBe(ours)
    expect((await run('git log -1 --format=%s', thief)).stdout).toBe('')
  })
})
