import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startPrespawned, startWaiting } from '../../../src/handlers/host/prespawned.ts'
import type { RunRequest } from '../../../src/handlers/host/protocol.ts'
import { startRun } from '../../../src/handlers/host/run.ts'
import { ask, onBash, waitFor, type Waiting } from './ahead.ts'
import { request, untilGone } from './processes.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-ahead-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const script = (text: string, name = 'hook.sh'): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return path
}

/** Prints everything that a hook can see of its own process. What each process has anew is left out. */
const showAll = `#!/bin/sh
me=/proc/$$
echo "argv"; tr '\\0' '\\n' < $me/cmdline
echo "environment"; tr '\\0' '\\n' < $me/environ | sort
echo "folder"; readlink $me/cwd; readlink $me/root
echo "program"; readlink $me/exe; cat $me/comm
echo "mask"; umask
echo "limits"; cat $me/limits
echo "files"; for fd in $me/fd/*; do
  case $fd in */10) continue;; esac
  echo "\${fd##*/} $(readlink "$fd" | sed 's/[0-9]*]$/]/') $(grep flags "$me/fdinfo/\${fd##*/}")"
done
# The process reads this itself, because a shell blocks signals while it starts another program.
status=; while read -r line; do status="$status$line
"; done < $me/status
echo "status"; printf %s "$status" | grep -E '^(Umask|PPid|TracerPid|Uid|Gid|FDSize|Groups|SigPnd|SigBlk|SigIgn|SigCgt|ShdPnd|Cap|NoNewPrivs|Seccomp|Cpus|Mems|Threads|CoreDumping|THP)'
echo "kin"; sed 's/.*) //' $me/stat | { read -r state parent group session terminal rest; echo "$parent $((group - $$)) $((session - $$)) $terminal"; set -- $rest; echo "$2 \${11} \${12}"; }
echo "memory"; cat $me/oom_score_adj $me/coredump_filter $me/personality
echo "where"; cat $me/cgroup; ls -l $me/ns | sed 's/.* -> //'
echo "input"; cat
exit 3
`

describe('a shell that waits for a hook', onBash, () => {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TEXT: ` a  b\n$(exit 1) 'q" é日本 \\`,
    EMPTY: '',
    CHAIN: 'a:1',
  }

  test.each([
    ['a script', undefined],
    ['a script whose interpreter has another name', 'a name'],
  ])('shows %s the same world as a plain start, in every part', async (_what, argv0) => {
    const cwd = join(folder, `odd 'name" $(exit)`)
    mkdirSync(cwd)
    const words = [script(showAll), '', 'two words', `$(exit 4) 'q" \n é`, '-x']
    const argv = argv0 === undefined ? words : [realpathSync('/bin/sh'), ...words]
    const asked = request(argv, {
      ...(argv0 === undefined ? {} : { argv0 }),
      cwd,
      env,
      stdin: 'the payload\nand more\n',
    })
    const plain = await startRun(asked).result
    const waiting = await waitFor({ ...asked, env: { ...env, CHAIN: 'a:0' } }, ['CHAIN'])
    const { wasWaiting, ...ahead } = await ask(waiting, asked)
    expect(wasWaiting).toBe(true)
    expect(plain.stdout).toContain('the payload\nand more\n')
    expect(plain.stdout).toContain(`folder\n${cwd}\n`)
    expect(plain.stdout).toMatch(/^CHAIN=a:1$/m)
    expect(plain.stdout.startsWith(`argv\n${argv0 ?? '/bin/sh'}\n`)).toBe(true)
    expect(ahead.stdout.split('\n')).toEqual(plain.stdout.split('\n'))
    expect(ahead).toMatchObject({ exitCode: 3, stderr: plain.stderr })
  })

  test('becomes the hook’s process itself, with its number and its group', async () => {
    const asked = request(['/bin/sh', '-c', 'echo $$; ps -o pgid= -p $$'])
    const waiting = await waitFor(asked)
    const { stdout } = await ask(waiting, asked)
    expect(stdout.trim().split(/\s+/).map(Number)).toEqual([waiting.pid, waiting.pid])
  })

  test('does not start the program before its event, and not when it is ended', async () => {
    const asked = request([script(`#!/bin/sh\n: > ${folder}/ran\n`)])
    const waiting = await waitFor(asked)
    waiting.kill()
    await untilGone(waiting.pid)
    expect(existsSync(join(folder, 'ran'))).toBe(false)
    await ask(await waitFor(asked), asked)
    expect(existsSync(join(folder, 'ran'))).toBe(true)
  })

  test('runs the bytes that the program has when its event comes', async () => {
    const asked = request([script('#!/bin/sh\necho old\n')])
    const waiting = await waitFor(asked)
    script('#!/bin/sh\necho new\n')
    expect(await ask(waiting, asked)).toMatchObject({ stdout: 'new\n', wasWaiting: true })
  })

  test('hands over values that a shell could mistake for commands', async () => {
    const marker = join(folder, 'injected')
    const asked = (value: string): RunRequest =>
      request(['/bin/sh', '-c', 'printf %s "$VALUE"'], { env: { PATH: '/usr/bin:/bin', VALUE: value } })
    for (const value of [
      '',
      ' leading and trailing ',
      `$(touch ${marker})`,
      `\`touch ${marker}\``,
      `'; touch ${marker}; '`,
      `"; touch ${marker}; "`,
      `\\'; touch ${marker} #`,
      '-n',
      '\\',
      '*',
      '~',
    ]) {
      const { stdout, wasWaiting } = await ask(await waitFor(asked('before'), ['VALUE']), asked(value))
      expect([stdout, wasWaiting]).toEqual([value, true])
    }
    expect(existsSync(marker)).toBe(false)
  })

  test.each([
    ['a line feed', 'one\ntwo'],
    ['a tab', 'one\ttwo'],
    ['characters beyond ASCII', 'é日本'],
    ['too many bytes', 'x'.repeat(2000)],
  ])('is not asked with a value that has %s, and the hook starts as usual', async (_what, value) => {
    const asked = (text: string): RunRequest =>
      request(['/bin/sh', '-c', 'printf %s "$VALUE"'], { env: { PATH: '/usr/bin:/bin', VALUE: text } })
    const waiting = await waitFor(asked('before'), ['VALUE'])
    expect(await ask(waiting, asked(value))).toMatchObject({ stdout: value, wasWaiting: false })
    await untilGone(waiting.pid)
  })

  test('is not asked for another program, folder or variable than it waits for', async () => {
    const base = request(['/bin/sh', '-c', 'pwd; echo "$1" "$VALUE"', 'sh', 'word'], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', VALUE: 'a' },
    })
    for (const other of [
      { ...base, argv: [...base.argv.slice(0, 4), 'other'] },
      { ...base, cwd: folder },
      { ...base, env: { ...base.env, VALUE: 'b' } },
      { ...base, env: { ...base.env, MORE: 'c' } },
      { ...base, argv0: 'name' },
    ]) {
      const answered = await ask(await waitFor(base), other)
      expect(answered.wasWaiting).toBe(false)
      expect(answered.stdout).toBe((await startRun(other).result).stdout)
    }
  })

  test.each([
    ['a program that is searched', { argv: ['true'] }],
    ['a program without a search path', { env: {} }],
    ['a program with a variable that the shell changes', { env: { PATH: '/bin', PWD: '/x' } }],
    ['a program with a variable that the shell cannot hold', { env: { PATH: '/bin', 'a.b': '1' } }],
    ['a program with a library of its own', { env: { PATH: '/bin', LD_PRELOAD: '/x.so' } }],
    ['a program that looks like an option', { argv: ['-x'] }],
    ['a program in a folder without a full path', { cwd: 'x' }],
  ])('never waits for %s', (_what, rest) => {
    expect(startPrespawned({ ...request(['/bin/true']), ...rest }, [], () => undefined)).toBeUndefined()
  })
})

describe('the hook starts as usual in its time when the shell', onBash, () => {
  const hook = (): RunRequest =>
    request([script('#!/bin/sh\ncat; echo done\n')], { stdin: 'heard ', cwd: folder })

  test.each(['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const)('got %s while it waited', async (signal) => {
    const asked = hook()
    const waiting = await waitFor(asked)
    // The request comes before anybody has noticed.
    process.kill(waiting.pid, signal)
    expect(await ask(waiting, asked)).toMatchObject({
      stdout: 'heard done\n',
      exitCode: 0,
      wasWaiting: false,
    })
    await untilGone(waiting.pid)
  })

  test('cannot start the program, and says why as a plain start does', async () => {
    const asked = hook()
    for (const spoil of [
      () => script('#!/nonexistent/interpreter\n'),
      () => chmodSync(asked.argv[0] ?? '', 0o644),
      () => rmSync(asked.argv[0] ?? ''),
    ]) {
      script('#!/bin/sh\n')
      const waiting = await waitFor(asked)
      spoil()
      const { wasWaiting: _, durationMs: _ms, ...ahead } = await ask(waiting, asked)
      const { durationMs: _plainMs, ...plain } = await startRun(asked).result
      expect(ahead).toEqual(plain)
      expect(ahead.failure?.kind).toBe('start')
      expect(ahead.stderr).toBe('')
    }
  })

  test('finds its working folder removed, and says so as a plain start does', async () => {
    const cwd = join(folder, 'gone')
    mkdirSync(cwd)
    const asked = { ...hook(), cwd }
    const waiting = await waitFor(asked)
    rmSync(cwd, { recursive: true })
    expect(await ask(waiting, asked)).toMatchObject({ failure: { kind: 'folder' }, stderr: '' })
  })

  test('finds its working folder replaced by another one, and enters that one', async () => {
    const cwd = join(folder, 'again')
    mkdirSync(cwd)
    const asked = request(['/bin/sh', '-c', 'ls'], { cwd })
    const waiting = await waitFor(asked)
    rmSync(cwd, { recursive: true })
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'new'), '')
    expect(await ask(waiting, asked)).toMatchObject({ stdout: 'new\n', wasWaiting: true })
  })
})

describe('another hook of the same user', onBash, () => {
  // It says nothing before it has heard all, so nobody sees by its output that it has begun.
  const words = ['/bin/sh', '-c', 'read -r line; rest=$(cat); echo "$line"']
  const event = request(words, { stdin: 'the event\n' })
  /** What another hook does, with the number of the process that waits. */
  const meddle = async (script: string, { pid }: Waiting): Promise<void> =>
    void (await startRun(request(['/bin/sh', '-c', script, 'sh', String(pid)])).result)

  test.each([
    ['where it reads its event', 0],
    ['where it reads its first line', 3],
    ['where it answers', 1],
  ])('writes to a shell that waits, %s: the hook hears and says nothing of it', async (_where, fd) => {
    const waiting = await waitFor(event)
    await meddle(`printf '\\n{}\\n' > /proc/$1/fd/${fd}; sleep 0.2`, waiting)
    expect(await ask(waiting, event)).toMatchObject({ stdout: 'the event\n', exitCode: 0 })
  })

  test('writes to a program that waits, which hears nothing of it', async () => {
    const waiting = startWaiting(event, () => undefined)
    await meddle('echo {} > /proc/$1/fd/0', waiting as Waiting)
    expect(await ask(waiting, event)).toMatchObject({ stdout: 'the event\n', wasWaiting: true })
  })
})

describe(
  'a shell that fails after it got its event is a hook that failed, and nothing is started for it',
  onBash,
  () => {
    const hook = (cwd = folder): RunRequest =>
      request([script(`#!/bin/sh\necho ran >> ${folder}/ran\n`)], { cwd, timeoutMs: 1000 })
    const failed = async (asked: RunRequest, spoil: (pid: number) => void) => {
      const waiting = await waitFor(asked)
      const program = await waiting.take(asked)
      expect(program).toBeDefined()
      spoil(waiting.pid)
      const result = await startRun(asked, { waiting: program }).result
      await untilGone(waiting.pid)
      expect(existsSync(join(folder, 'ran'))).toBe(false)
      return result
    }

    test('when it is killed', async () => {
      const { failure } = await failed(hook(), (pid) => process.kill(pid, 'SIGKILL'))
      expect(failure?.kind).toBe('killed')
    })

    test('when it is stopped', async () => {
      const { failure } = await failed(hook(), (pid) => process.kill(pid, 'SIGSTOP'))
      expect(failure?.kind).toBe('timeout')
    })

    test('when its program is removed', async () => {
      const asked = hook()
      const { exitCode, stderr } = await failed(asked, () => rmSync(asked.argv[0] ?? ''))
      expect(exitCode).toBe(127)
      expect(stderr).toContain(asked.argv[0])
    })

    test('when its working folder is removed', async () => {
      const cwd = join(folder, 'gone')
      mkdirSync(cwd)
      const { exitCode, stderr } = await failed(hook(cwd), () => rmSync(cwd, { recursive: true }))
      expect(exitCode).toBe(126)
      expect(stderr).toContain(cwd)
    })
  },
)

describe('a hook that waited keeps its answer when it', onBash, () => {
  const said = async (text: string, rest: Partial<RunRequest> = {}) => {
    const asked = request(['/bin/sh', '-c', `echo ran >> ran; ${text}`], { cwd: folder, ...rest })
    const [{ wasWaiting, durationMs: _ms, ...ahead }, { durationMs: _plainMs, ...plain }] = await Promise.all(
      [ask(await waitFor(asked), asked), startRun(asked).result],
    )
    expect(wasWaiting).toBe(true)
    expect(ahead).toEqual(plain)
    // The one that waited and the plain one ran once each.
    expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('ran\nran\n')
    return ahead
  }

  test.each([
    ['exits with the code of a shell that failed', 'exit 113'],
    ['says nothing and exits', 'exit 0'],
    ['only complains', 'echo oops >&2; exit 2'],
    ['complains a lot', 'head -c 100000 /dev/zero | tr "\\0" x >&2; exit 2'],
    ['cannot find a command', 'nosuchcommand'],
    ['is ended by a signal', 'kill -SEGV $$'],
    ['leaves somebody behind who holds its output', 'sleep 20 & echo done'],
    ['reads nothing of a large input', 'echo done'],
    ['reads its own stderr', 'timeout 0.2 cat /dev/stderr; echo done'],
    ['says what a shell says that cannot start a program', 'echo "$0: 1: exec: /x: not found" >&2; exit 127'],
  ])('%s', async (what, text) => {
    await said(text, what.includes('large') ? { stdin: 'x'.repeat(1_000_000) } : {})
  })

  test('reads a large input', async () => {
    const { stdout } = await said('wc -c', { stdin: 'x'.repeat(3_000_000) })
    expect(stdout.trim()).toBe('3000000')
  })

  test('hangs after it complained', async () => {
    const { failure, stderr } = await said('echo oops >&2; sleep 30', { timeoutMs: 1500 })
    expect(failure?.kind).toBe('timeout')
    expect(stderr).toBe('oops\n')
  })
})
