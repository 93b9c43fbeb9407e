import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProposer } from '../../../../src/proposals/proposal.ts'
import type { ArmedHook, Entry } from '../../../../src/core/model/hooks/entry.ts'
import { needs } from '../../../needs.ts'
import { anEntry, approveGuard, createFixture, type Fixture, type FixtureGate } from '../gate-fixture.ts'

const hookPath = `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`

let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  fixture.write('.locked', 'ledger\n', 0o644)
  gate = await fixture.open({ path: hookPath })
})
afterEach(() => fixture.remove())

const foreign = (name: string): Entry =>
  anEntry({
    command: `"$CLAUDE_PROJECT_DIR"/.claude/hooks/${name}`,
    shell: 'sh',
    dialect: { name: 'claude-code', event: 'PreToolUse' },
    origin: '.claude/settings.json',
  })
const armed = (fingerprint: string): ArmedHook => {
  const hook = gate.armed().find((one) => one.fingerprint === fingerprint)
  if (hook === undefined) throw new Error('not armed')
  return hook
}
const arm = async (name: string, text: string): Promise<ArmedHook> => {
  fixture.write(`.claude/hooks/${name}`, text)
  return armed(await approveGuard(gate, foreign(name)))
}
const sealOf = ({ fingerprint }: ArmedHook, name = '.'): string =>
  path.join(fixture.home, 'seal', fingerprint, name)
/** What a folder of the seal has after a check of it. */
const namesIn = (hook: ArmedHook, folder = '.'): readonly string[] => {
  expect(hook.checkSeal()).toBeUndefined()
  return fs.readdirSync(sealOf(hook, folder)).toSorted()
}
/** What the hook prints in an environment of its own, or the last line of what it says went wrong. */
const run = ({ argv: [program = '', ...words], checkSeal, cwd }: ArmedHook): string => {
  expect(checkSeal()).toBeUndefined()
  try {
    return execFileSync(program, words, {
      cwd,
      env: { PATH: hookPath },
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
  }
}

const [sh, py, js] = ['#!/bin/sh\n', '#!/usr/bin/env python3\n', '#!/usr/bin/env node\n']
const root = 'ROOT="$(cd "$(dirname "$0")/../.." && pwd)"\n'

describe('a script that finds its project by its own path sees it as it is at each run', () => {
  const seesIt = async (name: string, text: string): Promise<void> => {
    const hook = await arm(name, text)
    fixture.write('.locked', 'ledger and more\n')
    expect(run(hook)).toBe('ledger and more')
    expect(gate.state().lockdown).toBeUndefined()
  }

  test('in a shell', () => seesIt('list.sh', `${sh}${root}cat "$ROOT/.locked"\n`))

  test('in Node', () =>
    seesIt(
      'list.js',
      `${js}const p = require('path')\nconsole.log(require('fs').readFileSync(p.join(__dirname, '../../.locked'), 'utf8').trim())\n`,
    ))

  test('in Python', needs('python3'), () =>
    seesIt(
      'list.py',
      `${py}from pathlib import Path\nprint((Path(__file__).resolve().parents[2] / ".locked").read_text())\n`,
    ),
  )

  test('by a part that is sealed beside it, and in a folder of the project', async () => {
    fixture.write('docs/rules.txt', 'rules\n', 0o644)
    fixture.write('.claude/hooks/part.sh', `${root}cat "$ROOT/docs/rules.txt" "$ROOT/.claude/list.txt"\n`)
    fixture.write('.claude/list.txt', 'list\n', 0o644)
    expect(run(await arm('guard.sh', `${sh}. "$(dirname "$0")/part.sh"\n`))).toBe('rules\nlist')
  })
})

test('what comes to the project later is not found, and the card says so', async () => {
  const hook = await arm('guard.sh', `${sh}${root}cat "$ROOT/.locked"\n`)
  expect(gate.propose(hook.entry).missing).toContainEqual(
    expect.stringContaining('with links to what lies there at approval. What comes later is not found.'),
  )
  fixture.write('later.txt', 'later\n')
  gate = await fixture.open()
  expect(namesIn(armed(hook.fingerprint))).toEqual(['.claude', '.locked', 'hooks'])
})

describe('no code comes into a sealed program by a link', () => {
  /** The names that no link may have; undefined when there are no links at all. */
  const unlinked = (name: string, text: string): readonly string[] | undefined => {
    fixture.write(`.claude/hooks/${name}`, text)
    const options = { workspace: fixture.workspace, home: fixture.home, path: hookPath }
    const prepared = createProposer(options).prepare(foreign(name))
    if ('problem' in prepared) throw new Error(prepared.problem.message)
    return prepared.record.unlinked
  }
  const reads = `${sh}${root}cat "$ROOT/.locked"\n`
  const [readsJs, readsPy] = [
    `${js}const data = __dirname + '/../../.locked'\nexecSync('git status', { cwd: __dirname + '/..' })\n`,
    'import sys, os\nROOT = Path(__file__).parent.parent.parent\nsubprocess.run(["git", "-C", str(ROOT), "log"])\n',
  ]

  test.each([
    ['sources by a variable', 'g.sh', `${reads}. "$ROOT/docs/$1.sh"\n`],
    ['puts a folder on the PATH', 'g.sh', `${reads}PATH="$ROOT/docs:$PATH"\ntool\n`],
    ['has a part that does', 'g.sh', `${reads}. "$(dirname "$0")/open.sh"\n`],
    ['evaluates what it reads', 'g.sh', `${reads}eval "$(cat "$ROOT/docs/x")"\n`],
    ['gives what it reads to a shell', 'g.sh', `${reads}cat "$ROOT/docs/x" | sh\n`],
    ['gives what it reads to a shell as its text', 'g.sh', `${reads}sh -c "$(cat "$ROOT/docs/x")"\n`],
    ['names a program of awk', 'g.sh', `${reads}awk -f "$ROOT/docs/x.awk"\n`],
    ['requires in a text of its own', 'g.sh', `${reads}node -e "require('$ROOT/docs/x')"\n`],
    ['executes in a text below', 'g.sh', `${reads}python3 <<E\nexec(open("$ROOT/docs/x").read())\nE\n`],
    ['starts a program by another one', 'g.sh', `${reads}setsid "$ROOT/docs/x"\n`],
    ['becomes a path', 'g.js', `${readsJs}execFileSync(require('path').join(__dirname, '../x'))\n`],
    ['is partly in another language', 'g.sh', `${reads}ruby "$(dirname "$0")/x.rb"\n`],
    ['requires a path', 'g.js', `${readsJs}require(require('path').join(__dirname, '../../docs/x'))\n`],
    ['imports a path', 'g.mjs', `${readsJs}import(new URL('../../docs/x.mjs', import.meta.url))\n`],
    [
      'starts a path',
      'g.js',
      `${readsJs}require('child_process').execFileSync('sh', [__dirname + '/../x'])\n`,
    ],
  ])('where a script %s, its seal has no links', (_, name, text) => {
    fixture.write('.claude/hooks/open.sh', `${root}. "$ROOT/docs/$1"\n`)
    fixture.write('.claude/hooks/x.rb', "require_relative '../../docs/x'\n")
    expect(unlinked(name, name.endsWith('.sh') ? reads : readsJs)).toBeDefined()
    expect(unlinked(name, text)).toBeUndefined()
  })

  test.each([
    ['imports from a folder', 'sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../.."))\n'],
    ['imports from a folder in a variable', 'sys.path[:0] = [str(ROOT)]\n'],
    ['runs a path', 'import runpy\nrunpy.run_path(str(Path(__file__).parents[2] / "docs/x"))\n'],
    ['starts its own path', 'subprocess.run([str(ROOT / "docs/x")])\n'],
    ['starts a path that it puts together', 'os.system("%s/docs/x" % ROOT)\n'],
    ['becomes a path', 'os.execv(str(ROOT / "docs/x"), [])\n'],
    ['starts a path', 'subprocess.run([sys.executable, str(ROOT / "docs/x")])\n'],
  ])('where a script in Python %s, its seal has no links', needs('python3'), (_, text) => {
    expect(unlinked('g.py', `${py}${readsPy}`)).toBeDefined()
    expect(unlinked('g.py', `${py}${readsPy}${text}`)).toBeUndefined()
  })

  test.each([
    ['sources a file', 'g.sh', `${reads}. "$ROOT/docs/common"\n`],
    ['sources what is not there yet', 'g.sh', `${reads}[ ! -r "$ROOT/docs/x.sh" ] || . "$ROOT/docs/x.sh"\n`],
    ['runs a file', 'g.sh', `${reads}"$ROOT/docs/tool"\n`],
    ['runs a file in a folder that it goes to', 'g.sh', `${reads}cd "$ROOT" && docs/tool\n`],
    ['requires a module', 'g.js', `${readsJs}try { require('../../docs/x') } catch {}\n`],
    ['requires a module by a part of its name', 'g.js', `${readsJs}try { require('../../docs') } catch {}\n`],
    [
      'imports a module',
      'g.mjs',
      `${readsJs}const url = import.meta.url\nimport('../../docs/x.mjs').catch(() => url)\n`,
    ],
  ])('where a script %s, no link has a name on the way to it', async (_, name, text) => {
    fixture.write('docs/rules.txt', '', 0o644)
    fixture.write('Docs.js', '', 0o644)
    const hook = await arm(name, text)
    expect(namesIn(hook)).toEqual(['.claude', '.locked', 'hooks'])
    fs.symlinkSync(path.join(fixture.workspace, 'docs'), sealOf(hook, 'docs'))
    expect(namesIn(hook)).toEqual(['.claude', '.locked', 'hooks'])
  })

  test(
    'a folder below sealed files has no links, where Python would find more of a package',
    needs('python3'),
    async () => {
      fixture.write('hooks/parts/deep/mod.py', '')
      fixture.write('hooks/parts/late.py', '')
      fixture.write(
        'hooks/guard.sh',
        `${py}import parts.deep.mod\nprint(open(__file__ + "/../../.locked"))\n`,
      )
      const hook = armed(await approveGuard(gate, anEntry()))
      expect(namesIn(hook)).toEqual(['.locked', 'hooks'])
      expect(namesIn(hook, 'hooks/parts')).toEqual(['deep'])
    },
  )

  test('a text that goes to a sealed folder has none', async () => {
    fixture.write('.claude/hooks/g.sh', `${sh}${root}cat "$ROOT/.locked"\n`)
    fixture.write('docs/rules.txt', '')
    const entry = {
      ...foreign('g.sh'),
      command: 'cd "$CLAUDE_PROJECT_DIR/.claude/hooks" && . ../../docs/$1.sh',
    }
    const hook = armed(await approveGuard(gate, entry))
    expect(namesIn(hook)).toEqual(['.claude'])
  })

  test('Node finds no module and no package.json of the project above a script', async () => {
    fixture.write('package.json', '{}', 0o644)
    fixture.write('Package.JSON', '{}', 0o644)
    fixture.write('node_modules/tool/index.js', '')
    fixture.write('.claude/tsconfig.json', '{}', 0o644)
    const hook = await arm(
      'g.js',
      `${js}console.log(typeof require, require('fs').readFileSync(__dirname + '/../../.locked', 'utf8').trim())\ntry { require('tool') } catch (error) { console.log(error.code) }\n`,
    )
    fixture.write('package.json', '{"type": "module", "imports": {"#x": "./evil.js"}}', 0o644)
    fixture.write('node_modules/tool/index.js', 'console.log("evil")')
    expect(run(hook)).toBe('function ledger\nMODULE_NOT_FOUND')
    expect(namesIn(hook)).toEqual(['.claude', '.locked', 'hooks'])
    expect(namesIn(hook, '.claude')).toEqual(['hooks'])
  })

  test('a shell script may read the package.json of the project', async () => {
    fixture.write('package.json', '{}', 0o644)
    expect(namesIn(await arm('g.sh', `${sh}${root}cat "$ROOT/package.json"\n`))).toContain('package.json')
  })

  test('Python finds no module beside a script, nor in the folders above', needs('python3'), async () => {
    for (const folder of ['.', '.claude']) fixture.write(`${folder}/colorsys.py`, 'print("evil")\n')
    const hook = await arm(
      'g.py',
      `${py}import colorsys\nprint(open(__file__ + "/../../../.locked").read())\n`,
    )
    fixture.write('.claude/hooks/colorsys.py', 'print("evil")\n')
    expect(run(hook)).not.toContain('evil')
  })
})

describe('links in a seal', () => {
  const text = `${sh}${root}cat "$ROOT/.locked"\n`

  test('stay when they lead to the same place of the project, and all else is removed and told', async () => {
    fixture.write('docs/rules.txt', '', 0o644)
    const hook = await arm('g.sh', text)
    fs.rmSync(sealOf(hook, 'docs'))
    for (const name of ['docs', '.claude/docs', '.claude/hooks/docs', 'node_modules', 'other'])
      fs.symlinkSync(path.join(fixture.workspace, name === 'other' ? '.locked' : 'docs'), sealOf(hook, name))
    fs.writeFileSync(sealOf(hook, 'new.txt'), '')
    expect(namesIn(hook)).toEqual(['.claude', '.locked', 'docs', 'hooks'])
    expect(namesIn(hook, '.claude')).toEqual(['hooks'])
    expect(namesIn(hook, '.claude/hooks')).toEqual(['g.sh'])
    expect(fixture.logged.filter((line) => line.includes('not sealed'))).toHaveLength(5)
  })

  test('stay in a restart, and come to a seal that has none', async () => {
    const { fingerprint } = await arm('g.sh', text)
    const isThere = async (): Promise<void> => {
      gate = await fixture.open()
      expect(namesIn(armed(fingerprint))).toEqual(['.claude', '.locked', 'hooks'])
      expect(fixture.logged.filter((line) => line.includes('not sealed'))).toEqual([])
    }
    await isThere()
    for (const name of ['.locked', 'hooks']) fs.rmSync(path.join(fixture.home, 'seal', fingerprint, name))
    await isThere()
  })

  test('that cannot be made stop the hook until they can', async () => {
    const link = vi.spyOn(fs, 'symlinkSync').mockImplementation(() => {
      throw new Error('no room')
    })
    const hook = await arm('g.sh', text)
    expect(hook.checkSeal()).toBe('its seal could not be linked to the project (no room)')
    link.mockRestore()
    expect(namesIn(hook)).toContain('.locked')
  })

  test('are few, however many names the project has', async () => {
    for (let at = 0; at < 300; at++) fixture.write(`${at}.txt`, '', 0o644)
    expect(fs.readdirSync(sealOf(await arm('g.sh', text))).length).toBeLessThanOrEqual(201)
  })

  test('are not made in a folder with sealed files, nor to a place outside of the project', async () => {
    fixture.write('hooks/rules.txt', '', 0o644)
    fixture.write('hooks/guard.sh', `${sh}cat "$(dirname "$0")/../.locked"\n`)
    const hook = armed(await approveGuard(gate, anEntry()))
    expect(namesIn(hook)).toEqual(['.locked', 'hooks'])
    expect(namesIn(hook, 'hooks')).toEqual(['guard.sh'])
    const outside = path.join(fixture.root, 'guard.sh')
    fs.writeFileSync(outside, `${sh}cat "$(dirname "$0")/../.locked"\n`, { mode: 0o755 })
    const other = armed(await approveGuard(gate, anEntry({ command: outside })))
    expect(namesIn(other)).toEqual(['_outside'])
  })
})
