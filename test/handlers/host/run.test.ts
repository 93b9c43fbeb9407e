import type { RunFailureKind, RunResult } from '../../../src/core/model/hooks/run-result.ts'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startRun } from '../../../src/handlers/host/run.ts'
import { createPidFile, fixture, request, survivorsOf, untilGone } from './processes.ts'
import { needs } from '../../needs.ts'
import { beforeTimer, stretched } from '../../stretched.ts'
import { holdUp, saysAnswer, startUnread } from '../../unread.ts'

const run = async (...args: Parameters<typeof request>): Promise<RunResult & { readonly tookMs: number }> => {
  const startedAtMs = performance.now()
  const result = await startRun(request(...args)).result
  return { ...result, tookMs: performance.now() - startedAtMs }
}

let pidFile: ReturnType<typeof createPidFile>
beforeEach(() => {
  pidFile = createPidFile()
})
afterEach(() => pidFile.remove())

describe('a run that ends by itself', () => {
  test('gives exit code, stdout and stderr', async () => {
    const result = await run(['/bin/sh', '-c', 'cat; echo oops >&2; exit 7'], { stdin: 'heard' })
    expect(result).toMatchObject({ exitCode: 7, stdout: 'heard', stderr: 'oops\n', isTruncated: false })
    expect(result.failure).toBeUndefined()
    expect(result.durationMs).toBeGreaterThan(0)
    expect(result.durationMs).toBeLessThanOrEqual(result.tookMs)
  })

  test('sees the given environment and nothing else', async () => {
    process.env['HOOKGATE_TEST_TOKEN'] = 'a token'
    const { stdout } = await run(['/usr/bin/env'], { env: { PATH: '/usr/bin:/bin', ONLY: 'this' } })
    delete process.env['HOOKGATE_TEST_TOKEN']
    expect(stdout.trim().split('\n').sort()).toEqual(['ONLY=this', 'PATH=/usr/bin:/bin'])
  })

  test('runs in its working folder, with its words as they are', async () => {
    const { stdout } = await run(['/bin/sh', '-c', 'pwd; echo "$1"', 'sh', '$(id); *'], { cwd: '/' })
    expect(stdout).toBe('/\n$(id); *\n')
  })

  test('keeps a character whole that came in two writes', async () => {
    const { stdout } = await run(['/bin/sh', '-c', String.raw`printf '\303'; sleep 0.1; printf '\251'`])
    expect(stdout).toBe('é')
  })

  test('takes 5 MB on stdin', async () => {
    const { stdout } = await run([process.execPath, fixture('count-stdin.js')], {
      stdin: 'x'.repeat(5_000_000),
    })
    expect(stdout).toBe('5000000\n')
  })

  test('need not read 5 MB on stdin', async () => {
    const result = await run(['/bin/sh', '-c', 'echo done; exit 2'], { stdin: 'x'.repeat(5_000_000) })
    expect(result).toMatchObject({ exitCode: 2, stdout: 'done\n' })
  })

  test('leaves no process behind, though that one held no pipe', async () => {
    const result = await run([fixture('leave-behind.sh'), pidFile.path])
    expect(result).toMatchObject({ exitCode: 0, stdout: 'answer\n' })
    expect(result.tookMs).toBeLessThan(stretched(5000))
    await untilGone(await pidFile.read())
  })

  test('that ended by a signal is a failure, not an answer', async () => {
    const result = await run(['/bin/sh', '-c', 'echo half; kill -SEGV $$'])
    expect(result).toMatchObject({ exitCode: null, failure: { kind: 'killed' } })
    expect(result.failure?.detail).toContain('SIGSEGV')
  })
})

describe('a run while this process is held up', () => {
  test('whose end is noticed before its answer was read has answered', async () => {
    const started = startUnread(() => startRun(request(['/bin/sh', '-c', saysAnswer])), 300)
    expect(await started.result).toMatchObject({ exitCode: 0, stdout: 'answer\n' })
  })

  test('that answered before its deadline has answered', async () => {
    const started = startRun(request(['/bin/sh', '-c', 'echo answer'], { timeoutMs: 300 }))
    holdUp(600)
    expect(await started.result).toMatchObject({ exitCode: 0, stdout: 'answer\n' })
  })
})

describe('a run that would not end', () => {
  test('that ignores SIGTERM ends at its deadline, with its whole group', async () => {
    const started = startRun(request([fixture('stay.sh'), pidFile.path], { timeoutMs: 1500 }))
    const ended = beforeTimer(2500, started.result)
    const group = await pidFile.read()
    expect(survivorsOf(group).length).toBeGreaterThan(0)
    const result = await ended
    expect(result).toMatchObject({ exitCode: null, failure: { kind: 'timeout' } })
    expect(result.failure?.detail).toContain('1.5 s')
    expect(result.durationMs).toBeGreaterThanOrEqual(1490)
    await untilGone(group)
  })

  test('that never reads 5 MB on stdin and stays ends at its deadline', async () => {
    const result = await beforeTimer(
      1500,
      run(['/bin/sleep', '60'], { stdin: 'x'.repeat(5_000_000), timeoutMs: 300 }),
    )
    expect(result).toMatchObject({ exitCode: null, failure: { kind: 'timeout' } })
  })

  test('that closed its pipes and stays ends at its deadline', async () => {
    const command = 'echo early; exec >&- 2>&-; sleep 60'
    const result = await beforeTimer(1500, run(['/bin/sh', '-c', command], { timeoutMs: 300 }))
    expect(result).toMatchObject({ exitCode: null, stdout: 'early\n', failure: { kind: 'timeout' } })
  })

  test('whose grandchild holds the pipes ends 200 ms after it, with its answer and exit code', async () => {
    const result = await run([fixture('hold-pipe.sh'), pidFile.path])
    expect(result).toMatchObject({ exitCode: 3, stdout: 'answer\n' })
    expect(result.failure).toBeUndefined()
    expect(result.tookMs).toBeGreaterThanOrEqual(190)
    expect(result.tookMs).toBeLessThan(stretched(1500))
    await untilGone(await pidFile.read())
  })

  /**
   * Lets a grandchild talk, and tells how many words were heard, and for how long it had been silent at the
   * end. On a busy machine it may be held up for longer than the grace, and then it is not heard out.
   */
  const talk = async (words: readonly string[], options?: Parameters<typeof request>[1]) => {
    const result = await run([fixture('talk.sh'), ...words, pidFile.path], options)
    const endedAtMs = Date.now()
    const heard = result.stdout.split('\n').slice(0, -1)
    expect(heard).toEqual(Array.from({ length: heard.length }, (_, word) => String(word + 1)))
    const times = readFileSync(`${pidFile.path}.times`, 'utf8').split('\n').map(Number)
    const silentMs = endedAtMs - (times[heard.length] ?? NaN)
    return { ...result, heard: heard.length, wasHeldUp: silentMs >= 190 }
  }

  test('whose grandchild still answers is heard out', async () => {
    const { exitCode, heard, wasHeldUp } = await talk(['0', '10'])
    expect(exitCode).toBe(0)
    expect(heard === 10 || wasHeldUp).toBe(true)
  })

  test('whose grandchild never stops talking ends at its deadline, with its exit code', async () => {
    const result = await beforeTimer(1500, talk(['4', '-1'], { timeoutMs: 700 }))
    expect(result).toMatchObject({ exitCode: 4 })
    expect(result.failure).toBeUndefined()
    expect(result.tookMs >= 690 || result.wasHeldUp).toBe(true)
    await untilGone(await pidFile.read())
  })

  test(
    'is not prolonged by a grandchild that left the group and holds the pipes',
    needs('python3'),
    async () => {
      const result = await run([fixture('escape.py'), pidFile.path])
      expect(result).toMatchObject({ exitCode: 0, stdout: 'answer\n' })
      expect(result.tookMs).toBeLessThan(stretched(8000))
    },
  )

  test('is killed on request, with its group', async () => {
    const started = startRun(request([fixture('stay.sh'), pidFile.path]))
    const group = await pidFile.read()
    started.kill()
    expect(await started.result).toMatchObject({ exitCode: null, failure: { kind: 'killed' } })
    await untilGone(group)
  })
})

describe('a run that floods', () => {
  test('stdout is killed at 1 MiB and marked as truncated', async () => {
    const result = await run([fixture('flood.sh'), pidFile.path])
    expect(result).toMatchObject({ exitCode: null, isTruncated: true })
    expect(result.stdout).toHaveLength(1024 * 1024)
    expect(result.tookMs).toBeLessThan(stretched(5000))
    await untilGone(await pidFile.read())
  })

  test('stdout with exactly 1 MiB is whole', async () => {
    const result = await run(['/bin/sh', '-c', 'head -c 1048576 /dev/zero'])
    expect(result).toMatchObject({ exitCode: 0, isTruncated: false })
    expect(result.stdout).toHaveLength(1024 * 1024)
  })

  test('stderr loses its middle beyond 64 KiB and goes on', async () => {
    const result = await run([
      '/bin/sh',
      '-c',
      'echo first >&2; head -c 3000000 /dev/zero >&2; echo last >&2; echo answer',
    ])
    expect(result).toMatchObject({ exitCode: 0, stdout: 'answer\n', isTruncated: false, isStderrCut: true })
    expect(result.stderr.replaceAll('\0', '')).toBe('first\n\n… (2934475 bytes) …\nlast\n')
  })
})

describe('a program that does not start is told apart:', () => {
  const cases: readonly (readonly [string, Parameters<typeof request>, RegExp, RunFailureKind?])[] = [
    ['no words', [[]], /^It has no command\. Write one\.$/],
    ['an empty word', [['']], /^It has no command/],
    ['a missing file', [['/nowhere/hook.sh']], /program \/nowhere\/hook\.sh does not exist\. Put it back/],
    ['a missing relative file', [['./nowhere.sh']], /program \.\/nowhere\.sh does not exist/],
    [
      'a name that PATH does not know',
      [['hookgate-no-such-program']],
      /No program hookgate-no-such-program is in the PATH of hooks .*Install it/,
    ],
    [
      'a file without the right to be executed',
      [[fixture('not-executable.sh')]],
      /its mode is [0-7]{3}\. Run chmod \+x .*not-executable\.sh/,
    ],
    ['a folder', [[tmpdir()]], / is a folder\. Name the program inside it\.$/],
    ['a missing interpreter', [[fixture('no-interpreter.sh')]], /interpreter "\/nowhere\/interpreter"/],
    ['line ends of another system', [[fixture('dos-line-ends.sh')]], /Save the file with Unix line ends/],
    [
      'a missing working folder',
      [['/bin/sh'], { cwd: '/nowhere' }],
      /working folder \/nowhere does not exist\. Make it/,
      'folder',
    ],
    [
      'a file as working folder',
      [['/bin/sh'], { cwd: fixture('answer.sh') }],
      /working folder .*answer\.sh is a file/,
      'folder',
    ],
    ['arguments beyond the limit', [['/bin/echo', 'x'.repeat(3_000_000)]], /E2BIG.*Shorten/, 'limit'],
    ['a zero byte in a word', [['/bin/echo', 'a\0b']], /null bytes/, 'limit'],
  ]
  test.each(cases.map(([what, args, sentence, kind = 'start']) => ({ what, args, sentence, kind })))(
    '$what',
    async ({ args, sentence, kind }) => {
      const result = await run(...args)
      expect(result).toMatchObject({ exitCode: null, stdout: '', failure: { kind } })
      expect(result.failure?.detail).toMatch(sentence)
    },
  )

  test('no free file descriptor', () => {
    const script = 'ulimit -n 50; exec "$1" "$2"'
    const output = execFileSync(
      '/bin/sh',
      ['-c', script, 'sh', process.execPath, fixture('out-of-files.ts')],
      { encoding: 'utf8' },
    )
    const lines = output.trim().split('\n')
    expect(lines).toHaveLength(30)
    expect(lines).toContain('ran')
    expect(lines.join('\n')).toMatch(/\/bin\/cat could not start: .* \(EMFILE\)/)
  })
})
