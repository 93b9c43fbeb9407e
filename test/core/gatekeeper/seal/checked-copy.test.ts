import type { RunResult } from '../../../../src/core/model/hooks/run-result.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { HookHost } from '../../../../src/handlers/host/host.ts'
import type { ArmedHook, Entry } from '../../../../src/core/model/hooks/entry.ts'
import { usedWords } from '../../../../src/proposals/program/watched.ts'
import { needs } from '../../../needs.ts'
import { anEntry, approveGuard, createFixture, type Fixture, type FixtureGate } from '../gate-fixture.ts'
import { leaveHost, takeHost } from '../../../hook-host.ts'
import { until } from '../../../until.ts'

let host: HookHost
beforeAll(async () => {
  host = await takeHost()
}, 60_000)
afterAll(() => leaveHost(host))

let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const foreign = (command: string, options: Partial<Entry> = {}): Entry =>
  anEntry({
    command,
    shell: 'sh',
    dialect: { name: 'claude-code', event: 'PreToolUse' },
    origin: '.claude/settings.json',
    ...options,
  })
const arm = async (entry: Entry): Promise<ArmedHook> => {
  const fingerprint = await approveGuard(gate, entry)
  const hook = gate.armed().find((one) => one.fingerprint === fingerprint)
  if (hook === undefined) throw new Error('not armed')
  return hook
}
const guard = (): string => path.join(fixture.workspace, 'hooks/guard.sh')
/** Another file takes its place at once, as a rename does it. */
const exchange = (text: string): void => {
  fs.writeFileSync(`${guard()}.new`, text, { mode: 0o755 })
  fs.renameSync(`${guard()}.new`, guard())
}
/** Joins the guard's name to a folder, in JavaScript. */
const program =
  "const p = require('path'), r = process.cwd(); require('child_process').spawnSync(p.join(r, 'hooks/guard.sh'), { stdio: 'inherit' })"
const run = ({ argv, cwd }: ArmedHook): Promise<RunResult> =>
  host.run({
    argv,
    cwd,
    env: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` },
    stdin: '',
    timeoutMs: 20_000,
  })

describe('what was checked is what runs', () => {
  test.each([
    ['named in a text', 'cat | ./hooks/guard.sh'],
    ['in quotes, by the folder of its project', 'cat | "$CLAUDE_PROJECT_DIR"/hooks/guard.sh'],
    ['behind a change of folder', 'cd hooks && ./guard.sh'],
    ['given to an interpreter', 'cat | sh hooks/guard.sh'],
    ['sourced', 'cat; . ./hooks/guard.sh'],
    ['kept in a variable', 'S=hooks/guard.sh; cat | sh "$S"'],
    ['in the text of another shell', "sh -c 'cat | timeout 10 hooks/guard.sh'"],
  ])(
    '%s: a file that is exchanged between its check and the start of the hook does not run',
    async (_, command) => {
      const hook = await arm(foreign(command))
      expect(hook.checkSeal()).toBeUndefined()
      exchange('#!/bin/sh\necho evil\n')
      expect(await run(hook)).toMatchObject({ exitCode: 0, stdout: 'guard\n' })
      expect(hook.checkSeal()).toContain('changed since approval')
    },
  )

  const joins = '#!/bin/sh\ncat; exec "$PWD/$1"\n'
  test.each([
    ['by a variable', 'S=hooks/guard.sh; cat | "$PWD/$S"'],
    ['by a variable, beside itself', 'S=hooks/guard.sh; cat | "$PWD/$S" && sh hooks/guard.sh >/dev/null'],
    ['out of a list', 'for S in hooks/guard.sh; do cat | "$PWD"/"$S"; done'],
    ['by a script that it is given to', './hooks/run.sh hooks/guard.sh'],
    ['by a script that a shell gives it to', 'cat | "$CLAUDE_PROJECT_DIR/hooks/run.sh" hooks/guard.sh x'],
    ['by a program of another language', `node -e "${program}"`],
    ['by one that is written below it', `node - <<'E'\n${program}\nE`],
  ])('a name that is joined to a folder %s stays, and its file is held to its bytes', async (_, command) => {
    fixture.write('hooks/run.sh', joins)
    const entry = foreign(command)
    expect(gate.propose(entry).unsealed).toContain(usedWords('hooks/guard.sh'))
    const hook = await arm(entry)
    const after = await hook.watch?.()
    expect(hook.checkSeal()).toBeUndefined()
    expect(await run(hook)).toMatchObject({ exitCode: 0, stdout: 'guard\n' })
    exchange('#!/bin/sh\necho evil\n')
    expect(await (typeof after === 'function' ? after() : after)).toBe(
      './hooks/guard.sh changed while the hook ran',
    )
  })

  test('its neighbours are found by its own path, as they are then; one that comes later is not', async () => {
    exchange('#!/bin/sh\nd=$(dirname "$0")\ncat "$d"/*.txt "$d/../top.txt"\nls "$d"\n')
    fixture.write('hooks/rules.txt', 'rules\n')
    fixture.write('top.txt', 'top\n')
    const hook = await arm(foreign('cat | ./hooks/guard.sh'))
    fixture.write('hooks/json.py', 'evil\n')
    expect(hook.checkSeal()).toBeUndefined()
    expect((await run(hook)).stdout).toBe('rules\ntop\nguard.sh\nrules.txt\n')
    fs.renameSync(
      path.join(fixture.workspace, 'hooks/rules.txt'),
      path.join(fixture.workspace, 'hooks/old.txt'),
    )
    fixture.write('hooks/rules.txt', 'new rules\n')
    expect(hook.checkSeal()).toBeUndefined()
    expect((await run(hook)).stdout).toBe('new rules\ntop\nguard.sh\nrules.txt\n')
  })

  test('what it sources beside itself is held to its bytes, and what was checked of that runs, too', async () => {
    exchange('#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
    fixture.write('hooks/lib.sh', 'echo lib\n')
    const hook = await arm(foreign('cat | ./hooks/guard.sh'))
    expect(hook.checkSeal()).toBeUndefined()
    const lib = path.join(fixture.workspace, 'hooks/lib.sh')
    fs.writeFileSync(`${lib}.new`, 'echo evil\n')
    fs.renameSync(`${lib}.new`, lib)
    expect(await run(hook)).toMatchObject({ exitCode: 0, stdout: 'lib\n' })
    expect(hook.checkSeal()).toBe('./hooks/lib.sh changed since approval; approve it again')
  })

  test('what lay beside it stays so across restarts, until it is approved anew', async () => {
    exchange('#!/bin/sh\nls "$(dirname "$0")"\n')
    const entry = foreign('cat | ./hooks/guard.sh')
    const { fingerprint } = await arm(entry)
    fixture.write('hooks/later.txt', 'later\n')
    gate = await fixture.open()
    const [again] = gate.armed()
    if (again === undefined) throw new Error('not armed')
    expect(again.checkSeal()).toBeUndefined()
    expect((await run(again)).stdout).toBe('guard.sh\n')
    await gate.revoke(fingerprint, 'telegram:7')
    const anew = await arm(entry)
    expect(anew.checkSeal()).toBeUndefined()
    expect((await run(anew)).stdout).toBe('guard.sh\nlater.txt\n')
  })

  test('a file is as executable as it was at approval, and another mode is a change', async () => {
    fs.chmodSync(guard(), 0o644)
    const hook = await arm(foreign('cat | ./hooks/guard.sh'))
    expect(hook.checkSeal()).toBeUndefined()
    expect(await run(hook)).toMatchObject({ exitCode: 126, stdout: '' })
    fs.chmodSync(guard(), 0o755)
    expect(hook.checkSeal()).toBe('./hooks/guard.sh changed since approval; approve it again')
  })

  test('a copy that somebody changed or took away is made anew', async () => {
    const hook = await arm(foreign('cat | ./hooks/guard.sh'))
    expect(hook.checkSeal()).toBeUndefined()
    const copy = path.join(fixture.home, 'seal', `${hook.fingerprint}.checked`, 'hooks/guard.sh')
    fs.chmodSync(copy, 0o755)
    fs.writeFileSync(copy, '#!/bin/sh\necho evil\n')
    expect(hook.checkSeal()).toBeUndefined()
    expect((await run(hook)).stdout).toBe('guard\n')
    fs.rmSync(copy)
    expect(hook.checkSeal()).toBeUndefined()
    expect((await run(hook)).stdout).toBe('guard\n')
  })
})

describe('code that a sealed script sources by its path', () => {
  const at = (name: string): string => path.join(fixture.workspace, name)
  const armed = async (): Promise<ArmedHook> => {
    fixture.write('lib/a.sh', 'exit 2 # approved\n')
    exchange('#!/bin/sh\n. ./lib/a.sh\n')
    return await arm(anEntry())
  }
  const before = async ({ watch }: ArmedHook): Promise<string | (() => Promise<string | undefined>)> => {
    if (watch === undefined) throw new Error('nothing is watched')
    return watch()
  }
  const look = async (hook: ArmedHook): Promise<() => Promise<string | undefined>> => {
    const after = await before(hook)
    if (typeof after === 'string') throw new Error(after)
    expect(hook.checkSeal()).toBeUndefined()
    return after
  }
  const moved =
    './lib changed while the hook ran: a file was created, renamed or deleted there, and the hook uses ./lib/a.sh. Let hooks and agents write to another folder'

  test('lies there after the run as before it, or the answer is a fault', async () => {
    const hook = await armed()
    fixture.write('other.txt', 'what else comes is none of it\n')
    const quiet = await look(hook)
    fixture.write('another.txt', '')
    expect(await quiet()).toBeUndefined()
    const after = await look(hook)
    fs.renameSync(at('lib/a.sh'), at('old.sh'))
    fs.writeFileSync(at('lib/a.sh'), 'exit 0 # evil....\n')
    fs.renameSync(at('old.sh'), at('lib/a.sh'))
    expect(await after()).toBe('./lib/a.sh changed while the hook ran')
  })

  test('is noticed when its folder was exchanged and put back', async () => {
    const hook = await armed()
    fixture.write('evil/a.sh', 'exit 0 # evil....\n')
    const after = await look(hook)
    fs.renameSync(at('lib'), at('aside'))
    fs.renameSync(at('evil'), at('lib'))
    expect((await run(hook)).exitCode).toBe(0)
    fs.renameSync(at('lib'), at('evil'))
    fs.renameSync(at('aside'), at('lib'))
    expect(await after()).toBe(moved)
    expect((await run(hook)).exitCode).toBe(2)
    expect(await (await look(hook))()).toBeUndefined()
  })

  test('may not lie where things come and go meanwhile: what to do is said', async () => {
    const hook = await armed()
    const after = await look(hook)
    fixture.write('lib/state', '')
    fs.rmSync(at('lib/state'))
    expect(await after()).toBe(moved)
  })

  test('that comes where nothing was, and goes before the run is over, is noticed', async () => {
    exchange('#!/bin/sh\n[ ! -e ./more.sh ] || . ./more.sh\n')
    const hook = await arm(anEntry())
    const after = await look(hook)
    fs.rmSync(fixture.write('more.sh', 'exit 0\n'))
    expect(await after()).toContain('The workspace changed while the hook ran: a file was created')
  })

  test('in a folder that never rests does not run', async () => {
    const hook = await armed()
    const lstat = fs.lstatSync
    const look = vi.spyOn(fs, 'lstatSync').mockImplementation((...args: Parameters<typeof lstat>) => {
      fs.unlinkSync(fixture.write('lib/state', ''))
      return lstat(...args)
    })
    try {
      expect(await before(hook)).toBe(moved.replace('changed while the hook ran', 'keeps changing'))
    } finally {
      look.mockRestore()
    }
  })

  test("that was touched is read off the gate's own thread", async () => {
    const hook = await armed()
    const open = vi.spyOn(fs, 'openSync')
    try {
      // The stamps of a fresh seal are not trusted yet.
      await until('no file to be opened', async () => {
        open.mockClear()
        await look(hook)
        return open.mock.calls.length === 0
      })
      fs.utimesSync(at('lib/a.sh'), 1, 1)
      await look(hook)
      expect(open).not.toHaveBeenCalled()
    } finally {
      open.mockRestore()
    }
  })

  test(
    'is compared byte for byte: a writer that has it mapped moves no stamp',
    needs('python3'),
    async () => {
      const hook = await armed()
      const writer = spawn(
        'python3',
        [
          '-c',
          [
            'import mmap, sys',
            'file = open(sys.argv[1], "r+b")',
            'held = mmap.mmap(file.fileno(), 0)',
            'held[0:1] = held[0:1]',
            'for line in sys.stdin:',
            '    held[5:6] = line.strip().encode()',
            '    print("written", flush=True)',
          ].join('\n'),
          at('lib/a.sh'),
        ],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      )
      const write = async (char: string): Promise<void> => {
        writer.stdin.write(`${char}\n`)
        await once(writer.stdout, 'data')
      }
      try {
        // The same byte as before: now its page is open to writes that nothing stamps.
        await write('2')
        const after = await look(hook)
        await write('0')
        expect(fs.readFileSync(at('lib/a.sh'), 'utf8')).toContain('exit 0')
        expect(await after()).toBe('./lib/a.sh changed while the hook ran')
        expect(await before(hook)).toBe('./lib/a.sh changed since approval; approve it again')
        await write('2')
        expect(typeof (await before(hook))).toBe('function')
      } finally {
        writer.kill('SIGKILL')
      }
    },
  )
})

describe('a file on which somebody holds a lease', needs('python3'), () => {
  const hold = [
    'import fcntl, os, sys, time, signal',
    'signal.signal(signal.SIGIO, signal.SIG_IGN)',
    'fd = os.open(sys.argv[1], os.O_RDWR)',
    'fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)',
    'print("held", flush=True)',
    'time.sleep(60)',
  ].join('\n')

  test('is not waited for: what was checked before runs at once, and a check of it ends at once', async () => {
    fs.utimesSync(guard(), 1, 1)
    const hook = await arm(foreign('cat | ./hooks/guard.sh'))
    expect(hook.checkSeal()).toBeUndefined()
    const holder = spawn('python3', ['-c', hold, guard()], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(holder.stdout, 'data')
      const startedAtMs = performance.now()
      const result = await run(hook)
      expect(result).toMatchObject({ exitCode: 0, stdout: 'guard\n' })
      // Touched, it would have to be read again, which nobody can while the lease is held.
      fs.utimesSync(guard(), 2, 2)
      expect(hook.checkSeal()).toMatch(/guard\.sh/)
      expect(performance.now() - startedAtMs).toBeLessThan(15_000)
    } finally {
      holder.kill('SIGKILL')
    }
  })
})

test('how Node reads a sealed script is not decided by a package.json above the seals', async () => {
  fs.writeFileSync(path.join(path.dirname(fixture.home), 'package.json'), '{"type": "module"}')
  fixture.write('hooks/guard.js', "console.log(typeof require('node:fs').readFileSync)\n")
  const hook = await arm(anEntry({ files: ['hooks/guard.js'] }))
  const sealed = path.join(fixture.home, 'seal', hook.fingerprint, 'hooks/guard.js')
  expect(await run({ ...hook, argv: [process.execPath, sealed] })).toMatchObject({
    exitCode: 0,
    stdout: 'function\n',
  })
})
