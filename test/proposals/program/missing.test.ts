import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { anEntry, createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'
import { shellFault } from '../../../src/shared/base/shell-text.ts'

let fixture: Fixture
/** The only folder of the hooks' PATH: a system that has a shell and nothing else. */
let bin: string
beforeEach(() => {
  fixture = createFixture()
  bin = path.join(fixture.root, 'bin')
  fs.mkdirSync(bin)
})
afterEach(() => fixture.remove())

const install = (name: string): void => fs.writeFileSync(path.join(bin, name), '#!/bin/sh\n', { mode: 0o755 })
const propose = async (options: Partial<Entry> = {}) =>
  (await fixture.open({ path: bin })).propose(anEntry(options))

describe('before an approval', () => {
  test('a script that at once hands over to a program that is not there can only fail: it says so, and what to do', async () => {
    fixture.write('hooks/guard.sh', '#!/bin/sh\nexec python3 -I /dev/fd/3 3<<PY\nPY\n')
    expect((await propose()).problem).toEqual({
      code: 'program.interpreter',
      message: `Expected "python3", which runs "hooks/guard.sh", to be a program on the hooks' PATH, got nothing there.`,
      fix: 'Install it for all users. The script cannot work without it.',
      lacks: 'python3',
    })
    install('python3')
    expect(await propose()).toMatchObject({ fingerprint: expect.any(String) })
  })

  test.each([
    ['if true; then\n  echo x\n', "expected 'fi' to close 'if' in line 4"],
    ["cat <<END > x\nit's\nEND\nfor x in 1; do echo $((x << 1)); done", undefined],
    ['echo x\nfi\n', "unexpected token 'fi' in line 3"],
    ['cat <<END\nit\'s (\nEND\necho "x\n', 'unterminated double quote in line 5'],
    ['X=$(case $1 in a) echo b;; esac\n', 'unterminated command substitution in line 2'],
    [
      "[[ $1 =~ ^(a|b)$ ]] && f() { echo $'it\\'s'; }; case $1 in if) echo fi ;; (x) echo done;; esac\n",
      undefined,
    ],
  ])('a shell script that no shell can read is a remark: %j', async (text, fault) => {
    for (const name of ['cat', 'sh']) install(name)
    fixture.write('hooks/guard.sh', `#!/bin/sh\n${text}`)
    const told = `./hooks/guard.sh has a syntax error: ${fault}. So it fails at each event, and a failure can block the step.`
    expect((await propose()).missing).toEqual(fault === undefined ? undefined : [told])
  })

  test.each([
    ['#!/bin/sh\n# It reads JSON.\n\nexec own-tool -IS /dev/fd/3 3<<X\nX\n', 'own-tool'],
    ['#!/bin/sh\nread line\nexec own-tool x.py\n', undefined],
    ['#!/bin/sh\nexec "$PROGRAM"\n', undefined],
    ['#!/bin/sh\nexec 3<&0\n', undefined],
  ])(
    'the program in whose place a script puts itself is the one of its first command: %j',
    async (text, lacks) => {
      fixture.write('hooks/guard.sh', text)
      expect((await propose()).problem?.lacks).toBe(lacks)
    },
  )

  test('what a program in another language may need besides files is not guessed', async () => {
    install('python3')
    fixture.write(
      'hooks/guard.sh',
      '#!/usr/bin/env python3\nimport os, requests\nprint(os.environ["TOKEN"])\n',
    )
    expect((await propose()).missing).toBeUndefined()
  })

  test('a text that is nested too deeply to be judged is no remark', () => {
    for (const part of ['if ', 'f() ']) expect(shellFault(part.repeat(15_000), 'sh')).toBeUndefined()
    expect(shellFault('echo "', 'zsh')).toBeUndefined()
    expect(shellFault('echo "', 'sh')).toBe('unterminated double quote in line 1')
  })
})

describe('an example named where Starchild keeps it', () => {
  const command = './extensions/shell_hooks/examples/guard.sh --fast'
  const filesOf = async (options: Partial<Entry>): Promise<readonly string[]> =>
    (await propose(options)).files.map((file) => file.path)

  test('is ours where nothing lies there, and the card names the file that runs', async () => {
    for (const name of ['examples/guard.sh', '.hookgate-examples/guard.sh']) {
      fixture.write(name, '#!/bin/sh\n')
      expect(await filesOf({ command })).toEqual([name])
    }
    fixture.write('extensions/shell_hooks/examples/guard.sh', '#!/bin/sh\n')
    expect(await filesOf({ command })).toEqual(['extensions/shell_hooks/examples/guard.sh'])
  })

  test('is missing by its own name where there is neither', async () => {
    expect((await propose({ command })).problem?.message).toContain(
      '"extensions/shell_hooks/examples/guard.sh"',
    )
    expect(
      (await propose({ command: './extensions/shell_hooks/examples/../../../hooks/guard.sh' })).files.map(
        (file) => file.path,
      ),
    ).toEqual(['hooks/guard.sh'])
  })
})
