import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ArmedHook, Entry } from '../../../src/core/model/hooks/entry.ts'
import { startRun } from '../../../src/handlers/host/run.ts'
import { anEntry, approveGuard, createFixture, type Fixture, type FixtureGate } from './gate-fixture.ts'

let fixture: Fixture
let gate: FixtureGate
let bin: string
beforeEach(async () => {
  fixture = createFixture()
  bin = path.join(fixture.root, 'bin')
  fs.mkdirSync(bin)
  // Stands for any interpreter: says what it was called and what it was given.
  fs.writeFileSync(path.join(fixture.root, 'speak-1.2'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
  fs.symlinkSync(path.join(fixture.root, 'speak-1.2'), path.join(bin, 'speak'))
  for (const name of ['sh', 'cat'])
    fs.symlinkSync(
      fs.realpathSync(execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()),
      path.join(bin, name),
    )
  gate = await fixture.open({ path: `${bin}:/bin` })
})
afterEach(() => fixture.remove())

const write = (content: string | Buffer, mode = 0o755): void => {
  const file = path.join(fixture.workspace, 'hooks/guard.sh')
  fs.writeFileSync(file, content)
  fs.chmodSync(file, mode)
}
const arm = async (options: Partial<Entry> = {}): Promise<ArmedHook> => {
  const fingerprint = await approveGuard(gate, anEntry(options))
  const hook = gate.armed().find((one) => one.fingerprint === fingerprint)
  if (hook === undefined) throw new Error('not armed')
  return hook
}
const problem = (options: Partial<Entry> = {}): string | undefined =>
  gate.propose(anEntry(options)).problem?.code
const run = async ({ argv, argv0, cwd }: ArmedHook): Promise<string> => {
  const { stdout, failure } = await startRun({
    argv,
    ...(argv0 === undefined ? {} : { argv0 }),
    cwd,
    env: { PATH: `${bin}:/bin` },
    stdin: '',
    timeoutMs: 10_000,
  }).result
  return failure === undefined ? stdout : failure.detail
}
const sealed = (hook: ArmedHook): string =>
  path.join(fixture.home, 'seal', hook.fingerprint, 'hooks/guard.sh')

describe('a sealed script runs behind the words of its first line, as the system would start it, with the interpreter pinned', () => {
  test.each<[string, readonly string[]]>([
    ['#!/usr/bin/env speak', []],
    ['#! /usr/bin/env  speak ', []],
    ['#!/usr/bin/env -S speak -u', ['-u']],
    ['#!/usr/bin/env -Sspeak -u --two', ['-u', '--two']],
    ['#!/usr/bin/env --split-string=speak -u', ['-u']],
  ])('%s', async (line, words) => {
    write(`${line}\n`)
    const hook = await arm({ args: ['last'] })
    expect(hook.argv).toEqual([path.join(fixture.root, 'speak-1.2'), ...words, sealed(hook), 'last'])
    expect(hook.argv0).toBe(path.join(bin, 'speak'))
    expect(gate.state().approvals.get(hook.fingerprint)?.interpreter).toBe(
      path.join(fixture.root, 'speak-1.2'),
    )
    expect(await run(hook)).toBe([...words, sealed(hook), 'last', ''].join('\n'))
  })

  test('the interpreter of a full path, with all behind it as one word, as Linux has it', async () => {
    write(`#!${bin}/speak -a -b\n`)
    expect((await arm()).argv).toEqual([path.join(fixture.root, 'speak-1.2'), '-a -b', expect.any(String)])
  })

  test('what the name leads to later takes no part', async () => {
    write('#!/usr/bin/env speak\n')
    const hook = await arm()
    fs.rmSync(path.join(bin, 'speak'))
    fs.writeFileSync(path.join(bin, 'speak'), '#!/bin/sh\necho evil\n', { mode: 0o755 })
    expect(hook.checkSeal()).toBeUndefined()
    expect(await run(hook)).toBe(`${sealed(hook)}\n`)
  })

  test('an interpreter outside the PATH is held to its bytes: a change of it stops the hook', async () => {
    const own = fixture.write('tools/speak', '#!/bin/sh\n')
    fs.symlinkSync(own, path.join(fixture.workspace, 'tools/link'))
    write(`#!${fixture.workspace}/tools/link\n`)
    const proposal = gate.propose(anEntry())
    expect(proposal).toMatchObject({
      interpreter: own,
      watched: [{ path: 'tools/speak' }],
      unsealed: ['./tools/speak runs it and is used at its own path; a change stops the hook'],
    })
    const hook = await arm()
    expect(hook.argv[0]).toBe(own)
    fs.writeFileSync(own, '#!/bin/sh\necho evil\n')
    expect(hook.checkSeal()).toBe('./tools/speak changed since approval; approve it again')
  })

  test('one that stands beside the working folder is found from there, as the system would', () => {
    fixture.write('speak', '#!/bin/sh\n')
    write('#!./speak\n')
    expect(gate.propose(anEntry()).watched).toMatchObject([{ path: 'speak' }])
    expect(problem({ cwd: 'hooks' })).toBe('program.interpreter')
  })
})

describe('what could not run, or would run something else, is told before it is approved', () => {
  test.each<[string, string | Buffer, string]>([
    ['an empty file', '', 'program.empty_file'],
    ['text without a first line for it', 'echo guard\n', 'program.no_interpreter'],
    ['a missing interpreter', '#!/nowhere/python3\n', 'program.interpreter'],
    ['a folder as interpreter', '#!/bin\n', 'program.interpreter'],
    ['a name that is nowhere on the PATH', '#!/usr/bin/env no-such-program\n', 'program.interpreter'],
    ['a Windows line end', '#!/bin/sh\r\necho\r\n', 'program.line_ends'],
    ['a Windows line end behind env', '#!/usr/bin/env speak\r\n', 'program.line_ends'],
    ['two words behind env', '#!/usr/bin/env speak -u\n', 'program.first_line'],
    ['variables behind env', '#!/usr/bin/env -S A=1 speak\n', 'program.first_line'],
    ['options of env', '#!/usr/bin/env -i\n', 'program.first_line'],
    ['quotes behind env', '#!/usr/bin/env -S speak "a b"\n', 'program.first_line'],
    ['variables that env would expand', '#!/usr/bin/env -S ${HOME}/x\n', 'program.first_line'],
    ['a file among the options', '#!/usr/bin/env -S speak --load=./evil\n', 'program.first_line'],
    ['another script before the script', '#!/bin/sh later\n', 'program.first_line'],
    ['a name of a file that is there', '#!/usr/bin/env -S speak config.json\n', 'program.first_line'],
    ['nothing behind the mark', '#!\n', 'program.first_line'],
    ['a line without an end', `#!/bin/sh ${'-'.repeat(400)}`, 'program.first_line'],
  ])('%s', async (_, content, code) => {
    fixture.write('config.json', '{}', 0o644)
    write(content)
    expect(problem()).toBe(code)
    const { problem: told } = gate.propose(anEntry())
    expect(told?.message).toMatch(/^Expected .*\.$/)
    expect(await gate.approve(anEntry(), 'telegram:7')).toEqual({ ok: false, problem: told })
  })

  test('a binary runs by itself, and a file for an interpreter that is named may be anything', async () => {
    write(fs.readFileSync(fs.realpathSync('/bin/sh')))
    expect((await arm()).argv).toEqual([sealed(gate.armed()[0] ?? (await arm()))])
    write('', 0o644)
    expect(problem({ command: 'sh hooks/guard.sh' })).toBeUndefined()
  })
})

/** A file system from which nothing can be executed, mounted for the test. Only root can. */
const onNoexec = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = path.join(fixture.root, 'noexec')
  fs.mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'noexec,size=8m', 'none', folder])
  try {
    await use(folder)
  } finally {
    execFileSync('umount', ['-l', folder])
  }
}

test.runIf(process.platform === 'linux' && (process.getuid?.() === 0 || process.env['CI'] === 'true'))(
  'from a folder that is mounted noexec sealed scripts run all the same, and a binary is refused with words',
  async () => {
    await onNoexec(async (folder) => {
      gate = await fixture.open({ home: path.join(folder, 'home') })
      write('#!/bin/sh\necho ran\n')
      expect(await run(await arm())).toBe('ran\n')
      expect(await run(await arm({ command: 'sh hooks/guard.sh' }))).toBe('ran\n')
      write(fs.readFileSync(fs.realpathSync('/bin/sh')))
      const before = gate.state().revision
      expect(await gate.approve(anEntry({ args: ['x'] }), 'telegram:7')).toMatchObject({
        ok: false,
        problem: {
          code: 'seal.noexec',
          message: `No program can start from "${folder}/home/seal", because it is mounted noexec.`,
        },
      })
      expect(gate.state().revision).toBe(before)
      // One that was approved before its folder was mounted so.
      fs.copyFileSync('/bin/true', path.join(folder, 'true'))
      fs.chmodSync(path.join(folder, 'true'), 0o555)
      const { failure } = await startRun({
        argv: [path.join(folder, 'true')],
        cwd: '/',
        env: {},
        stdin: '',
        timeoutMs: 5000,
      }).result
      expect(failure).toMatchObject({
        kind: 'start',
        detail: expect.stringContaining("The hooks' user may not run programs in the folder of"),
      })
    })
  },
)
