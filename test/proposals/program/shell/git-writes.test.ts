import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeIn } from '../../../../src/proposals/program/code/script-code.ts'
import type { CodeLanguage } from '../../../../src/proposals/program/code/code-finds.ts'
import { anEntry, createFixture, type Fixture } from '../../../core/gatekeeper/gate-fixture.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

let fixture: Fixture
beforeEach(() => {
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const verbsIn = (text: string, language: CodeLanguage = 'shell'): readonly string[] =>
  codeIn(text, language, { project: '/project', origin: '/project' }, []).names.git

test.each([
  ['git add -A && git commit -m "auto"', ['add', 'commit']],
  ['cd "$CLAUDE_PROJECT_DIR" || exit\n  git -C "$DIR" --no-pager stash push', ['stash']],
  ['if ! git diff --quiet; then git -c user.name=bot commit -am wip; fi', ['commit']],
  ['out=$(git checkout main 2>&1); [ -n "$x" ] && { git reset --hard; }', ['checkout', 'reset']],
])('shell text by which git would write is told: %s', (text, verbs) => {
  expect(verbsIn(text)).toEqual(verbs)
})

test.each([
  'git status --porcelain; git diff --cached --name-only; git show :file; git rev-parse --show-toplevel',
  'git log -1; git merge-base HEAD main; git stash list; git stash show -p; git config user.name; git branch --show-current',
  'echo "$CMD" | grep -qE "git (push|commit|reset --hard)" && echo "no git commit here" >&2',
  '# git commit is refused here\ncase "$CMD" in *"git add"*) exit 2;; esac; legit add; git-add x',
])('what only reads, or only speaks of it, is not: %s', (text) => {
  expect(verbsIn(text)).toEqual([])
})

test('a program that has git write is told, whatever its language; one that looks for such words is not', () => {
  expect(
    verbsIn(
      'subprocess.run(["git", "add", "."])\nsubprocess.check_output(\'git commit -m x\', shell=True)',
      'python',
    ),
  ).toEqual(['add', 'commit'])
  expect(
    verbsIn("execFileSync('git', ['stash', 'push'])\nexecSync(`git checkout ${branch}`)", 'node'),
  ).toEqual(['stash', 'checkout'])
  expect(
    verbsIn(
      're.search(r"git commit", text)\nif "git add" in text: pass\nsubprocess.run(["git", "stash", "list"])\nmatch(/git reset/)',
      'python',
    ),
  ).toEqual([])
})

test('reading it takes linear time', () => {
  const tookMs = measureProcessor()
  for (const piece of [';git ', 'git -C ', ';git -c a', ' -a', '["git",', 'run("git -C "', '\t']) {
    for (const language of ['shell', 'python', 'other'] as const)
      verbsIn(piece.repeat((256 * 1024) / piece.length), language)
  }
  expect(tookMs()).toBeLessThan(stretched(2000))
})

test('before an approval the owner reads it, of a script as of shell text', async () => {
  const words =
    'It calls "git commit", but in a hook git can only read, so that call will fail. Let the agent or a person do it.'
  fixture.write('hooks/guard.sh', '#!/bin/sh\ngit commit --all --message=auto\n')
  expect((await fixture.open({})).propose(anEntry()).missing).toContain(words)
  expect(
    (await fixture.open({})).propose(anEntry({ command: 'git commit -am x', shell: 'sh' })).missing,
  ).toContain(words)
})
