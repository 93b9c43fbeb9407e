import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookInside } from '../../../src/proposals/program/inside.ts'
import type { ArmedHook, Entry } from '../../../src/core/model/hooks/entry.ts'
import {
  anEntry,
  approveGuard,
  createFixture,
  type Fixture,
  type FixtureGate,
} from '../../core/gatekeeper/gate-fixture.ts'
import { measureProcessor } from '../../processor-time.ts'

let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const arm = async (options: Partial<Entry> = {}): Promise<ArmedHook> => {
  const fingerprint = await approveGuard(gate, anEntry(options))
  const hook = gate.armed().find((one) => one.fingerprint === fingerprint)
  if (hook === undefined) throw new Error('not armed')
  return hook
}
/** What it prints, or the last line of what it says went wrong. */
const run = ({ argv: [program = '', ...words], cwd }: ArmedHook): string => {
  try {
    return execFileSync(program, words, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
  }
}

describe('a file that a script looks for beside itself', () => {
  test.each<[string, string, string]>([
    ['python', '#!/usr/bin/env python3\nimport json, lib as l\n', 'lib.py'],
    ['python, from', '#!/usr/bin/env python3\n  from lib.deep import x\n', 'lib/__init__.py'],
    [
      'python, data',
      '#!/usr/bin/env python3\nopen(os.path.join(os.path.dirname(__file__), "rules.json"))\n',
      'rules.json',
    ],
    ['shell', '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n', 'lib.sh'],
    ['bash', '#!/bin/bash\nHERE=${BASH_SOURCE%/*}; source "$HERE/lib.sh"\n', 'lib.sh'],
    ['node', '#!/usr/bin/env node\nconst x = require("./lib")\n', 'lib.js'],
    ['node, modules', "#!/usr/bin/env node\nimport { x } from './lib/main.mjs'\n", 'lib/main.mjs'],
    [
      'shell, from a folder above',
      '#!/bin/sh\nROOT=$(cd "$(dirname "$0")/.." && pwd)\n. "$ROOT/lib/words.sh"\n',
      '../lib/words.sh',
    ],
    [
      'shell, from a folder by a name that only it knows',
      '#!/bin/sh\nPARTS="$(dirname "$0")/parts"\n. "$PARTS/$1.sh"\n',
      'parts/a.sh',
    ],
    ['node, above', "#!/usr/bin/env node\nimport { x } from '../shared/main.mjs'\n", '../shared/main.mjs'],
  ])('in %s is sealed with it', (_, content, name) => {
    fixture.write('hooks/guard.sh', content)
    const command = 'sh hooks/guard.sh'
    const sealed = () => gate.propose(anEntry({ command })).files.map((file) => file.path)
    expect(sealed()).toEqual(['hooks/guard.sh'])
    fixture.write(`hooks/${name}`, 'x')
    expect(sealed()).toEqual(['hooks/guard.sh', path.join('hooks', name)])
  })

  test('brings with it what it looks for itself', async () => {
    fixture.write('hooks/guard.sh', '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
    fixture.write('hooks/lib.sh', '. "${0%/*}/more.sh"\n')
    fixture.write('hooks/more.sh', 'echo approved\n')
    const hook = await arm()
    fixture.write('hooks/more.sh', 'echo evil\n')
    expect(run(hook)).toBe('approved')
  })

  test('that cannot be sealed is named on the card', () => {
    fixture.write('hooks/guard.sh', '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
    fs.symlinkSync('/etc/hosts', path.join(fixture.workspace, 'hooks/lib.sh'))
    expect(gate.propose(anEntry()).missing?.join()).toContain(
      './hooks/lib.sh is not sealed, but guard.sh seems to look for it in its own folder',
    )
  })

  test('is no part of the project that lies above it, nor anything outside the workspace', () => {
    fixture.write(
      'hooks/guard.sh',
      '#!/bin/sh\ncd "$(dirname "$0")/.." && cat "$PWD/package.json" "$PWD/src/app.sh" "../../../etc/x.sh"\n',
    )
    fixture.write('package.json', '{}', 0o644)
    fixture.write('src/other.sh', 'x')
    fs.writeFileSync(path.join(fixture.root, 'x.sh'), 'x')
    const { files, missing } = gate.propose(anEntry())
    expect(files.map((file) => file.path)).toEqual(['hooks/guard.sh'])
    expect(missing).toEqual([
      'guard.sh seems to look for files relative to its own path. Its sealed copy has another path, with links to what lies there at approval. What comes later is not found. Let it look in its working folder, which is in the project.',
    ])
  })

  test('and that is sealed with it is found in the seal; one that comes to the workspace later takes no part', async () => {
    fixture.write(
      'hooks/guard.sh',
      '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n[ ! -e "$(dirname "$0")/more.sh" ] || . "$(dirname "$0")/more.sh"\n',
    )
    fixture.write('hooks/lib.sh', 'echo approved\n')
    const hook = await arm()
    fixture.write('hooks/lib.sh', 'echo evil\n')
    fixture.write('hooks/more.sh', 'echo evil\n')
    expect(hook.checkSeal()).toBeUndefined()
    expect(run(hook)).toBe('approved')
  })

  test('names without end are read in a moment, and few are said', () => {
    const many = Array.from({ length: 40_000 }, (_, index) => `import lib${index}`).join('\n')
    const tookMs = measureProcessor()
    for (const content of [
      many,
      'import '.repeat(60_000),
      `from ${'a,'.repeat(100_000)}`,
      '"./'.repeat(90_000),
      `__file__${'"x.py'.repeat(60_000)}`,
    ]) {
      expect(
        lookInside({ content: Buffer.from(content) }, '/w/guard.py', '/w').beside.length,
      ).toBeLessThanOrEqual(50)
      expect(
        lookInside({ content: Buffer.from(content) }, '/w/guard.sh', '/w').code.parts.length,
      ).toBeLessThanOrEqual(64)
      expect(
        lookInside({ content: Buffer.from(content) }, '/w/guard.js', '/w').beside.length,
      ).toBeLessThanOrEqual(50)
    }
    expect(tookMs()).toBeLessThan(10_000)
    fixture.write('hooks/guard.sh', `#!/usr/bin/env python3\n${many}`)
    for (let index = 0; index < 25; index++) {
      fixture.write(
        `hooks/lib${index}.py`,
        Array.from({ length: 9 }, (_, inner) => `import part${index}x${inner}`).join('\n'),
      )
      for (let inner = 0; inner < 9; inner++) fixture.write(`hooks/part${index}x${inner}.py`, '')
    }
    const { files, missing } = gate.propose(anEntry({ command: 'sh hooks/guard.sh' }))
    expect(files).toHaveLength(65)
    expect(missing).toHaveLength(5)
  })
})

describe('what a sealed shell script takes from its working folder', () => {
  test('as a part of itself is held to its bytes, and nothing may come where nothing was', async () => {
    fixture.write('lib.sh', 'echo approved\n')
    fixture.write('hooks/guard.sh', '#!/bin/sh\n. ./lib.sh\n[ -r ./more.sh ] && . ./more.sh\nexit 0\n')
    expect(gate.propose(anEntry())).toMatchObject({ watched: [{ path: 'lib.sh' }], absent: ['more.sh'] })
    const hook = await arm()
    expect(run(hook)).toBe('approved')
    const more = fixture.write('more.sh', 'echo evil\n')
    expect(hook.checkSeal()).toBe('./more.sh was not there at approval; approve it again')
    fs.rmSync(more)
    expect(hook.checkSeal()).toBeUndefined()
    fixture.write('lib.sh', 'echo evil!!!\n')
    expect(hook.checkSeal()).toBe('./lib.sh changed since approval; approve it again')
  })

  test('from its original folder, which it is told, is held to its bytes too', () => {
    fixture.write('hooks/lib.sh', 'echo approved\n')
    fixture.write('hooks/guard.sh', '#!/bin/sh\n. "$HOOKGATE_HOOK_DIR/lib.sh"\n')
    expect(gate.propose(anEntry()).watched).toMatchObject([{ path: 'hooks/lib.sh' }])
  })

  test("to run it is the workspace's own, and said", async () => {
    fixture.write(
      'hooks/guard.sh',
      '#!/bin/sh\n./run-tests.sh || exit 2\nbash scripts/more.sh\n/bin/echo done\n',
    )
    const { watched, unsealed } = gate.propose(anEntry())
    expect({ watched, unsealed }).toEqual({
      watched: undefined,
      unsealed: [
        './run-tests.sh is run at its own path and may change without notice',
        './scripts/more.sh is run at its own path and may change without notice',
      ],
    })
    const hook = await arm()
    fixture.write('run-tests.sh', '#!/bin/sh\n')
    expect(hook.checkSeal()).toBeUndefined()
  })
})

test('a hook that writes beside itself finds its seal as it was at its next run', async () => {
  fixture.write(
    'hooks/guard.sh',
    '#!/bin/sh\necho x > "$(dirname "$0")/state"; mkdir -p "$(dirname "$0")/cache"; ls "$(dirname "$0")"\n',
  )
  const hook = await arm()
  for (let round = 0; round < 2; round++) {
    expect(hook.checkSeal()).toBeUndefined()
    run(hook)
  }
  expect(hook.checkSeal()).toBeUndefined()
  expect(gate.state().lockdown).toBeUndefined()
  expect(fs.readdirSync(path.join(fixture.home, 'seal', hook.fingerprint, 'hooks'))).toEqual(['guard.sh'])
})
