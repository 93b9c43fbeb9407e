import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { startHookHost } from '../../../../src/handlers/host/host.ts'
import { createGitWorld } from '../../../../src/handlers/host/git/git-world.ts'
import { prepareGit } from '../../../../src/handlers/host/git/git-wrapper.ts'
import { git, repository } from '../../../agents/hostile-repository.ts'
import { path, useGitHooks } from '../git-hooks.ts'

const { host, run, said, put, folder: newFolder } = useGitHooks()
let folder = ''
beforeEach(() => {
  folder = newFolder()
})

describe("a hook's git", () => {
  test('tells where it is, what is there and what is new, from any folder of the repository', async () => {
    repository(folder)
    put('deep/b.txt', 'staged\n')
    git(folder, 'add', 'deep/b.txt')
    put('a.txt', 'two\n')
    put('new.txt', 'new\n')
    for (const cwd of [folder, join(folder, 'deep')]) {
      expect(await said('git rev-parse --show-toplevel', cwd)).toBe(folder)
      expect(
        await said(
          'git rev-parse --is-inside-work-tree; git branch --show-current; git rev-parse --abbrev-ref HEAD',
          cwd,
        ),
      ).toBe('true\nmain\nmain')
      expect(await said('git status --porcelain', cwd)).toBe('M a.txt\nA  deep/b.txt\n?? new.txt')
    }
    expect(await said('git rev-parse --show-prefix', join(folder, 'deep'))).toBe('deep/')
    expect(await said('git log -1 --format=%s; git diff --cached --name-only; git show :deep/b.txt')).toBe(
      'first\ndeep/b.txt\nstaged',
    )
    expect(
      await said('git diff --stat; git blame -s a.txt; git ls-files; git describe --always --dirty'),
    ).toMatch(/1 insertion.*\n.*two\n.*a\.txt[^]*-dirty$/)
    expect(
      await said(
        `/usr/bin/env git -C '${folder}/deep' rev-parse --show-toplevel; cd deep && git branch --show-current`,
      ),
    ).toBe(`${folder}\nmain`)
  })

  test('sees what changed since the run before: another branch, another name, another remote', async () => {
    repository(folder)
    expect(await said('git branch --show-current; git config user.name; git remote get-url origin')).toBe(
      'main',
    )
    git(folder, 'checkout', '--quiet', '-b', 'topic')
    git(folder, 'config', 'user.name', 'Ada "the first" \\ # Lovelace')
    git(folder, 'remote', 'add', 'origin', 'https://example.org/a.git')
    expect(await said('git branch --show-current; git config user.name; git remote get-url origin')).toBe(
      'topic\nAda "the first" \\ # Lovelace\nhttps://example.org/a.git',
    )
    git(folder, 'checkout', '--quiet', '--detach')
    git(folder, 'pack-refs', '--all')
    expect(await said('git rev-parse --abbrev-ref HEAD; git for-each-ref --format="%(refname)"')).toBe(
      'HEAD\nrefs/heads/main\nrefs/heads/topic',
    )
  })

  test.each([
    [
      'a repository without a commit',
      () => void git(folder, 'init', '--quiet', '--initial-branch=main'),
      '',
      'main',
    ],
    [
      'SHA-256',
      () => {
        git(folder, 'init', '--quiet', '--initial-branch=main', '--object-format=sha256')
        git(folder, 'commit', '--quiet', '--allow-empty', '--message=first')
      },
      '',
      'main',
    ],
    [
      'a second work tree',
      () => {
        repository(join(folder, 'first'))
        git(join(folder, 'first'), 'worktree', 'add', '--quiet', '../second', '-b', 'topic')
      },
      'second',
      'topic',
    ],
    [
      'a submodule',
      () => {
        repository(join(folder, 'source'))
        repository(join(folder, 'outer'))
        git(
          join(folder, 'outer'),
          '-c',
          'protocol.file.allow=always',
          'submodule',
          '--quiet',
          'add',
          '../source',
          'inner',
        )
        git(join(folder, 'outer', 'inner'), 'checkout', '--quiet', '-b', 'topic')
      },
      'outer/inner',
      'topic',
    ],
    [
      'a .git that is a link',
      () => {
        repository(join(folder, 'real'))
        fs.mkdirSync(join(folder, 'linked'))
        fs.symlinkSync('../real/.git', join(folder, 'linked', '.git'))
      },
      'linked',
      'main',
    ],
    [
      'a repository inside another one',
      () => {
        repository(folder)
        git(folder, 'checkout', '--quiet', '-b', 'outer')
        repository(join(folder, 'inner'))
      },
      'inner',
      'main',
    ],
    [
      'an empty .git below the real one',
      () => {
        repository(folder)
        fs.mkdirSync(join(folder, 'inner', '.git'), { recursive: true })
      },
      'inner',
      'main',
    ],
  ])('works in %s', async (_, make, inner, branch) => {
    make()
    const cwd = join(folder, inner)
    expect(await said('git branch --show-current', cwd)).toBe(branch)
    expect(await run('git status --porcelain && git rev-parse --show-toplevel', cwd)).toMatchObject({
      exitCode: 0,
      stdout: `${git(cwd, 'status', '--porcelain')}${git(cwd, 'rev-parse', '--show-toplevel')}`,
    })
  })

  test('answers for the repository of the folder that it is called in, or is told', async () => {
    repository(folder)
    const other = join(folder, 'projects', "it's another")
    repository(other)
    git(other, 'checkout', '--quiet', '-b', 'topic')
    const there = `'${other.replace("'", `'\\''`)}'`
    const ways = [`cd ${there} && git branch --show-current`, `git -C ${there} branch --show-current`]
    for (const cwd of [folder, join(folder, 'projects')])
      for (const way of ways)
        expect(await run(way, cwd)).toMatchObject({ exitCode: 0, stdout: 'topic\n', stderr: '' })
    expect(
      await said(`cd ${there} && git -C ../.. branch --show-current; echo x | git hash-object --stdin`),
    ).toBe('main\n587be6b4c3f93f93c489c0111bba5596147a26cb')
    const failing = await run(`cd ${there} && git rm a.txt; git nothing; echo $?`)
    expect(failing).toMatchObject({
      stdout: '1\n',
      stderr: expect.stringMatching(/only-read[^]*'nothing' is not a git/),
    })
    const moved = 'PATH=/nonexistent:$PATH:/nonexistent:${PATH%%:*}:; git branch --show-current'
    expect(await run(moved)).toMatchObject({ exitCode: 0, stdout: 'main\n' })
    expect((await run('cd / && git status')).stderr).toMatch(/^fatal: not a git repository/)
    expect((await run('git -C /nonexistent status')).stderr).toMatch(/cannot change to '\/nonexistent'/)
  })

  test('answers for the project where a link leads to its repository, as in a seal', async () => {
    repository(folder)
    put('a.txt', 'two\n')
    const seal = join(folder, 'seal')
    fs.mkdirSync(seal)
    fs.symlinkSync(join(folder, '.git'), join(seal, '.git'))
    for (const way of [`cd '${seal}' && git`, `git -C '${seal}'`])
      expect(
        await said(`${way} status --porcelain; ${way} diff --name-only; ${way} rev-parse --show-toplevel`),
      ).toBe(`M a.txt\n?? seal/\na.txt\n${folder}`)
  })

  test('knows whether a merge is open', async () => {
    repository(folder)
    const isOpen =
      'git rev-parse -q --verify MERGE_HEAD > /dev/null && echo open; git status | grep -c "still merging"'
    expect(await said(isOpen)).toBe('0')
    git(folder, 'checkout', '--quiet', '-b', 'topic')
    git(folder, 'commit', '--quiet', '--allow-empty', '--message=more')
    git(folder, 'checkout', '--quiet', 'main')
    git(folder, 'merge', '--quiet', '--no-ff', '--no-commit', 'topic')
    expect(await said(isOpen)).toBe('open\n1')
    git(folder, 'merge', '--abort')
    expect(await said(isOpen)).toBe('0')
  })

  test('tells a second work tree from the first, as git does', async () => {
    repository(join(folder, 'first'))
    git(join(folder, 'first'), 'worktree', 'add', '--quiet', '../second', '-b', 'topic')
    const isSecond = 'test "$(git rev-parse --git-dir)" != "$(git rev-parse --git-common-dir)" && echo second'
    expect(await said(isSecond, join(folder, 'second'))).toBe('second')
    expect(await said(isSecond, join(folder, 'first'))).toBe('')
  })

  test('says that there is no repository where none encloses the folder or its .git leads nowhere', async () => {
    expect((await run('git status')).stderr).toMatch(/^fatal: not a git repository/)
    put('lost/.git', 'gitdir: /nonexistent\n')
    expect((await run('git status', join(folder, 'lost'))).stderr).toMatch(
      /^fatal: not a git repository: \/nonexistent/,
    )
    expect((await run('git diff --no-index /dev/null lost/.git')).stdout).toContain('+gitdir: /nonexistent')
    expect(await run('git --version')).toMatchObject({ exitCode: 0 })
  })

  test.each([
    'add new.txt',
    'commit --quiet --all --message=x',
    'stash',
    'checkout topic',
    'checkout -- a.txt',
    'switch -c more',
    'reset --hard HEAD',
    'merge topic',
    'rm a.txt',
    'config a.b c',
    'symbolic-ref HEAD refs/heads/topic',
    'rebase topic',
    'cherry-pick topic',
  ])('only reads: git %s fails and leaves files, index and HEAD as they were', async (words) => {
    repository(folder)
    git(folder, 'checkout', '--quiet', '-b', 'topic')
    git(folder, 'commit', '--quiet', '--allow-empty', '--message=more')
    git(folder, 'checkout', '--quiet', 'main')
    put('a.txt', 'two\n')
    put('new.txt', 'new\n')
    const state = () =>
      ['index', 'HEAD', 'config']
        .map((name) => fs.readFileSync(join(folder, '.git', name), 'latin1'))
        .concat(
          git(folder, '--no-optional-locks', 'status', '--porcelain'),
          git(folder, 'rev-parse', 'main', 'topic'),
        )
    const before = state()
    const { exitCode, stderr } = await run(`git ${words}`)
    expect(exitCode).not.toBe(0)
    expect(stderr).toMatch(
      words === 'stash' || words.startsWith('rebase') ? /(?:)/ : /git-is-only-read-in-hooks/,
    )
    expect(state()).toEqual(before)
  })
})

test('a hook runs where there is no git', async () => {
  repository(folder)
  const { exitCode, stdout } = await host().run({
    argv: ['/bin/sh', '-c', 'command -v git || echo none'],
    cwd: folder,
    env: { PATH: '/nonexistent' },
    stdin: '',
    timeoutMs: 10_000,
  })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'none\n' })
})

test('a program that waits for its payload sees the branch that is there when it is asked', async () => {
  repository(folder)
  const request = {
    argv: ['/bin/sh', '-c', 'read -r _; git branch --show-current'],
    cwd: folder,
    env: { PATH: path },
    stdin: 'x\n',
    timeoutMs: 10_000,
    fingerprint: 'warm',
    waits: 'program',
  } as const
  expect((await host().run(request)).stdout).toBe('main\n')
  git(folder, 'checkout', '--quiet', '-b', 'topic')
  expect((await host().run(request)).stdout).toBe('topic\n')
})

test('the folders that were made go with the host', async () => {
  const other = await startHookHost({ log: () => undefined })
  repository(folder)
  const { stdout } = await other.run({
    argv: ['/bin/sh', '-c', 'git rev-parse --git-dir'],
    cwd: folder,
    env: { PATH: path },
    stdin: '',
    timeoutMs: 10_000,
  })
  expect(fs.existsSync(stdout.trim())).toBe(true)
  await other.stop()
  expect(fs.existsSync(stdout.trim())).toBe(false)
})

test('what stands before the PATH of hooks is what the gate made, outside of their HOME', () => {
  const home = join(folder, 'hooks')
  fs.mkdirSync(home)
  repository(join(folder, 'work'))
  const prepared = prepareGit(join(folder, 'gate'), home)
  const { PATH: found = '', ...env } = createGitWorld(home, prepared).env(join(folder, 'work'), path)
  expect(found).toBe(`${join(prepared, 'bin')}:${path}`)
  expect(Object.values(env).filter((value) => value.startsWith(home))).toEqual([env['GIT_DIR']])
  expect(fs.existsSync(join(home, '.hookgate', 'git-is-only-read-in-hooks', 'bin'))).toBe(false)
  expect(
    execFileSync('sh', ['-c', 'git rev-parse --show-toplevel; git -C .. rev-parse 2>&1 || true'], {
      cwd: join(folder, 'work'),
      env: { PATH: found, ...env },
      encoding: 'utf8',
    }),
  ).toMatch(new RegExp(`^${join(folder, 'work')}\nfatal: not a git repository`))
})

describe('the folder of git in the HOME of hooks', () => {
  const placesIn = (home: string): readonly string[] =>
    fs
      .readdirSync(join(home, '.hookgate', 'git-is-only-read-in-hooks'))
      .filter((name) => name !== 'cure' && name !== 'bin')
  /** What git takes for a repository, without the time to make one. */
  const shell = (at: string): void => {
    for (const name of ['objects', 'refs']) fs.mkdirSync(join(at, '.git', name), { recursive: true })
    fs.writeFileSync(join(at, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  }
  const branchIn = (cwd: string, env: Readonly<Record<string, string>>): string =>
    execFileSync('sh', ['-c', 'git status --porcelain && git symbolic-ref HEAD'], {
      cwd,
      env: { PATH: path, ...env },
      encoding: 'utf8',
    })

  test('stays, is used again, and is made again when a hook took it away or wrote into it', () => {
    const [home, cwd] = [join(folder, 'home'), join(folder, 'work')]
    fs.mkdirSync(home)
    shell(cwd)
    const prepared = prepareGit(join(folder, 'gate'), home)
    const first = createGitWorld(home, prepared)
    const env = first.env(cwd)
    first.end()
    const second = createGitWorld(home, prepared)
    expect(second.env(cwd)).toEqual(env)
    expect(placesIn(home)).toHaveLength(1)
    fs.writeFileSync(join(env['GIT_DIR'] ?? '', 'config'), '[alias]\n\tx = !touch evil\n')
    expect(branchIn(cwd, second.env(cwd))).toBe('refs/heads/main\n')
    expect(fs.readFileSync(join(env['GIT_DIR'] ?? '', 'config'), 'utf8')).not.toContain('alias')
    fs.rmSync(join(home, '.hookgate'), { recursive: true })
    expect(branchIn(cwd, second.env(cwd))).toBe('refs/heads/main\n')
  })

  test('holds a bounded number of repositories, however many the agent makes', () => {
    fs.mkdirSync(join(folder, 'home'))
    const world = createGitWorld(join(folder, 'home'))
    for (let index = 0; index < 34; index++) {
      shell(join(folder, `work${index}`))
      expect(world.env(join(folder, `work${index}`))['GIT_DIR']).toBeDefined()
    }
    expect(placesIn(join(folder, 'home')).length).toBeLessThanOrEqual(32)
    expect(branchIn(join(folder, 'work0'), world.env(join(folder, 'work0')))).toBe('refs/heads/main\n')
  })

  test('may lie in a folder whose name git would take for a pattern', () => {
    const home = join(folder, 'h[a]*?\\me')
    fs.mkdirSync(home)
    repository(join(folder, 'work'))
    const env = createGitWorld(home).env(join(folder, 'work'))
    expect(
      execFileSync('git', ['status', '--porcelain'], {
        cwd: join(folder, 'work'),
        env: { PATH: path, ...env },
        encoding: 'utf8',
      }),
    ).toBe('')
  })
})
