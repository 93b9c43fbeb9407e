import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Gatekeeper } from '../../src/gatekeeper/gatekeeper.ts'
import type { HookHost } from '../../src/hooks/host/host.ts'
import type { RunResult } from '../../src/hooks/host/protocol.ts'
import type { ArmedHook, Entry } from '../../src/model/entry.ts'
import { needs } from '../needs.ts'
import { anEntry, approveGuard, createFixture, type Fixture } from './gate-fixture.ts'
import { leaveHost, takeHost } from '../hook-host.ts'

let host: HookHost
beforeAll(async () => {
  host = await takeHost()
}, 60_000)
afterAll(() => leaveHost(host))

let fixture: Fixture
let gate: Gatekeeper
beforeEach(() => {
  fixture = createFixture()
  gate = fixture.open()
})
afterEach(() => fixture.remove())

const foreign = (command: string, options: Partial<Entry> = {}): Entry => anEntry({
  command, shell: 'sh', dialect: { name: 'claude-code', event: 'PreToolUse' }, origin: '.claude/settings.json', ...options,
})
const arm = (entry: Entry): ArmedHook => {
  const fingerprint = approveGuard(gate, entry)
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
const run = ({ argv, cwd }: ArmedHook): Promise<RunResult> =>
  host.run({ argv, cwd, env: { PATH: '/usr/bin:/bin' }, stdin: '', timeoutMs: 20_000 })

describe('what was checked is what runs', () => {
  test.each([
    ['named in a text', 'cat | ./hooks/guard.sh'],
    ['in quotes, by the folder of its project', 'cat | "$CLAUDE_PROJECT_DIR"/hooks/guard.sh'],
    ['behind a change of folder', 'cd hooks && ./guard.sh'],
    ['given to an interpreter', 'cat | sh hooks/guard.sh'],
    ['sourced', 'cat; . ./hooks/guard.sh'],
  ])('%s: a file that is exchanged between its check and the start of the hook does not run', async (_, command) => {
    const hook = arm(foreign(command))
    expect(hook.checkSeal()).toBeUndefined()
    exchange('#!/bin/sh\necho evil\n')
    expect(await run(hook)).toMatchObject({ exitCode: 0, stdout: 'guard\n' })
    expect(hook.checkSeal()).toContain('changed since approval')
  })

  test('its neighbours are found by its own path, as they are then; one that comes later is not', async () => {
    exchange('#!/bin/sh\nd=$(dirname "$0")\ncat "$d"/*.txt "$d/../top.txt"\nls "$d"\n')
    fixture.write('hooks/rules.txt', 'rules\n')
    fixture.write('top.txt', 'top\n')
    const hook = arm(foreign('cat | ./hooks/guard.sh'))
    fixture.write('hooks/json.py', 'evil\n')
    expect(hook.checkSeal()).toBeUndefined()
    expect((await run(hook)).stdout).toBe('rules\ntop\nguard.sh\nrules.txt\n')
    fs.renameSync(path.join(fixture.workspace, 'hooks/rules.txt'), path.join(fixture.workspace, 'hooks/old.txt'))
    fixture.write('hooks/rules.txt', 'new rules\n')
    expect(hook.checkSeal()).toBeUndefined()
    expect((await run(hook)).stdout).toBe('new rules\ntop\nguard.sh\nrules.txt\n')
  })

  test('what it sources beside itself is held to its bytes, and what was checked of that runs, too', async () => {
    exchange('#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
    fixture.write('hooks/lib.sh', 'echo lib\n')
    const hook = arm(foreign('cat | ./hooks/guard.sh'))
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
    const { fingerprint } = arm(entry)
    fixture.write('hooks/later.txt', 'later\n')
    gate = fixture.open()
    const [again] = gate.armed()
    if (again === undefined) throw new Error('not armed')
    expect(again.checkSeal()).toBeUndefined()
    expect((await run(again)).stdout).toBe('guard.sh\n')
    gate.revoke(fingerprint, 'telegram:7')
    const anew = arm(entry)
    expect(anew.checkSeal()).toBeUndefined()
    expect((await run(anew)).stdout).toBe('guard.sh\nlater.txt\n')
  })

  test('a copy that somebody changed or took away is made anew', async () => {
    const hook = arm(foreign('cat | ./hooks/guard.sh'))
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

test('code that a sealed script sources by its path lies there after the run as before it, or the answer is a fault', () => {
  fixture.write('lib.sh', 'echo lib\n')
  exchange('#!/bin/sh\n. ./lib.sh\n')
  const hook = arm(anEntry())
  const look = (): (() => string | undefined) => {
    const after = hook.watch?.()
    if (after === undefined) throw new Error('nothing is watched')
    expect(hook.checkSeal()).toBeUndefined()
    return after
  }
  expect(look()()).toBeUndefined()
  const after = look()
  const lib = path.join(fixture.workspace, 'lib.sh')
  fs.renameSync(lib, `${lib}.old`)
  fs.writeFileSync(lib, 'echo evil\n')
  fs.renameSync(`${lib}.old`, lib)
  expect(after()).toBe('./lib.sh changed while the hook ran')
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
    const hook = arm(foreign('cat | ./hooks/guard.sh'))
    expect(hook.checkSeal()).toBeUndefined()
    const holder = spawn('python3', ['-c', hold, guard()], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(holder.stdout, 'data')
      const startedAtMs = performance.now()
      const result = await run(hook)
      expect(result).toMatchObject({ exitCode: 0, stdout: 'guard\n' })
      hook.checkSeal()
      expect(performance.now() - startedAtMs).toBeLessThan(15_000)
    } finally {
      holder.kill('SIGKILL')
    }
  })
})

test('how Node reads a sealed script is not decided by a package.json above the seals', async () => {
  fs.writeFileSync(path.join(path.dirname(fixture.home), 'package.json'), '{"type": "module"}')
  fixture.write('hooks/guard.js', "console.log(typeof require('node:fs').readFileSync)\n")
  const hook = arm(anEntry({ files: ['hooks/guard.js'] }))
  const sealed = path.join(fixture.home, 'seal', hook.fingerprint, 'hooks/guard.js')
  expect(await run({ ...hook, argv: [process.execPath, sealed] })).toMatchObject({ exitCode: 0, stdout: 'function\n' })
})
