import fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { askGitVersion } from '../../../src/handlers/host/git/git-version.ts'
import { git, repository } from '../../agents/hostile-repository.ts'
import { path, useGitHooks } from './git-hooks.ts'
import { needs } from '../../needs.ts'

const { host, run, said, put, folder: newFolder } = useGitHooks()
let folder = ''
beforeEach(() => {
  folder = newFolder()
})

describe('hooks as people write them, in reduced form', () => {
  beforeEach(() => {
    repository(folder)
    git(folder, 'config', 'user.email', 'a@example.org')
  })

  test('"cannot edit on main" refuses on main alone', async () => {
    const guard =
      '[ "$(git branch --show-current)" != "main" ] || { echo "{\\"message\\": \\"Cannot edit on main\\"}" >&2; exit 2; }'
    expect(await run(guard)).toMatchObject({ exitCode: 2, stderr: '{"message": "Cannot edit on main"}\n' })
    git(folder, 'checkout', '--quiet', '-b', 'topic')
    expect(await run(guard)).toMatchObject({ exitCode: 0 })
  })

  test('a program that adds to its environment and calls git by its path finds the branch', async () => {
    const guard = join(folder, 'guard.mjs')
    const lines = [
      "import { execFileSync } from 'node:child_process'",
      "const env = { ...process.env, LC_ALL: 'C' }",
      "const git = execFileSync('sh', ['-c', 'command -v git'], { env, encoding: 'utf8' }).trim()",
      "const branch = execFileSync(git, ['rev-parse', '--abbrev-ref', 'HEAD'], { env, encoding: 'utf8' }).trim()",
      "if (branch === 'main') { console.error('Direct push to ' + branch); process.exit(2) }",
    ]
    fs.writeFileSync(guard, lines.join('\n'))
    expect(await run(`'${process.execPath}' '${guard}'`)).toMatchObject({
      exitCode: 2,
      stderr: 'Direct push to main\n',
    })
  })

  test('a guard in Python against a direct push finds the branch', needs('python3'), async () => {
    const lines = [
      '#!/usr/bin/env python3',
      'import json, subprocess, sys',
      'json.load(sys.stdin)',
      'words = ["git", "rev-parse", "--abbrev-ref", "HEAD"]',
      'branch = subprocess.run(words, capture_output=True, text=True).stdout.strip()',
      'if branch in ("main", "master"):',
      '    print("Direct push to " + branch, file=sys.stderr)',
      '    sys.exit(2)',
    ]
    fs.writeFileSync(join(folder, 'guard.py'), lines.join('\n'))
    expect(await run('/usr/bin/env python3 guard.py')).toMatchObject({
      exitCode: 2,
      stderr: 'Direct push to main\n',
    })
    git(folder, 'checkout', '--quiet', '-b', 'topic')
    expect(await run('/usr/bin/env python3 guard.py')).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('a secret scanner reads what is staged, not what lies there', async () => {
    put('key.txt', 'AKIAIOSFODNN7EXAMPLE\n')
    git(folder, 'add', 'key.txt')
    put('key.txt', 'nothing\n')
    const scan = `for file in $(git diff --cached --name-only --diff-filter=ACM); do
      git show ":$file" | grep -q "AKIA[0-9A-Z]\\{16\\}" && { echo "secret in $file" >&2; exit 2; }
    done; exit 0`
    expect(await run(scan)).toMatchObject({ exitCode: 2, stderr: 'secret in key.txt\n' })
    git(folder, 'reset', '--quiet')
    expect(await run(scan)).toMatchObject({ exitCode: 0 })
  })

  test('a check for tests compares the files that changed', async () => {
    put('src/a.ts', 'export {}\n')
    const check = `changed=$(git status --porcelain | cut -c4-)
      echo "$changed" | grep -q "^src/" && ! echo "$changed" | grep -q test && { echo "no test" >&2; exit 2; }
      exit 0`
    expect(await run(check)).toMatchObject({ exitCode: 2, stderr: 'no test\n' })
    put('test/a.ts', 'export {}\n')
    expect(await run(check)).toMatchObject({ exitCode: 0 })
  })

  test("a program that is named by the repository's top level is found from a folder inside", async () => {
    put('.codex/hooks/x.mjs', 'console.log("found")\n')
    put('deep/b.txt', '')
    const named = `'${process.execPath}' "$(git rev-parse --show-toplevel)/.codex/hooks/x.mjs"`
    expect(await said(named, join(folder, 'deep'))).toBe('found')
  })

  test("a session's first words tell branch, last commit and what is open", async () => {
    put('a.txt', 'two\n')
    const words = `echo "On $(git branch --show-current), last: $(git log -1 --format=%s)"
      echo "by $(git config user.email), $(git status --porcelain | wc -l | tr -d ' ') open"`
    expect(await said(words)).toBe('On main, last: first\nby a@example.org, 1 open')
  })
})

test('the version of the git that hooks find is asked where hooks run; without one there is nothing to say', async () => {
  expect(await askGitVersion(host(), path)).toMatch(/^git version \d/)
  fs.writeFileSync(join(folder, 'git'), '#!/bin/sh\necho git version 2.30.2\n', { mode: 0o755 })
  expect(await askGitVersion(host(), `${folder}:/usr/bin:/bin`)).toBe('git version 2.30.2\n')
  expect(await askGitVersion(host(), '/nonexistent')).toBeUndefined()
})
