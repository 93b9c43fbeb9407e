import type { RunResult } from '../../../src/core/model/hooks/run-result.ts'
import * as fc from 'fast-check'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunRequest } from '../../../src/handlers/host/protocol.ts'
import { startRun } from '../../../src/handlers/host/run.ts'
import { isWhole } from '../../tries.ts'
import { ask, onBash, waitFor } from './ahead.ts'
import { request } from './processes.ts'

const separator = '\u0001'
/** Shows its words, its variables and the rest of its world, then does what its variables say. */
const text =
  'cat /proc/$$/cmdline; printf "\\1"; cat /proc/$$/environ; printf "\\1"; pwd; umask; for file in /proc/$$/fd/*; do echo "${file##*/}"; done; if [ "$READS" ]; then cat; fi; printf %s "$OUT"; printf %s "$ERR" >&2; [ -z "$KILLED" ] || kill -9 $$; exit "$CODE"'

const special = ["'", '"', '`', '$(exit 9)', '${HOME}', '$0', '\\', '\n', '\t', ' ', '*', '~', ';', '&', '|']
const plain = [
  '>',
  '<',
  '#',
  '!',
  '-n',
  '%s',
  '=',
  'é',
  '日本',
  '\u{1f600}',
  '\u0081',
  '\u0088',
  'a',
  '7',
  '\r',
]
const pieces = fc.constantFrom(...special, ...plain)
const words = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''))
/** Mostly values that can be given to a shell which waits. */
const value = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 40 }).map((one) => one.replaceAll('\0', '')) },
  { weight: 1, arbitrary: words },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', 'x'.repeat(300), 'x'.repeat(3000)) },
)

const fire = fc.record({
  args: fc.array(words, { maxLength: 3 }),
  env: fc.record({ READS: fc.constantFrom('', '1'), OUT: words, ERR: words }),
  fixed: value,
  before: fc.record({ ONE: value, TWO: value }),
  now: fc.record({ ONE: value, TWO: value }),
  code: fc.nat({ max: 255 }).map(String),
  /** What the shell gets before the event. */
  spoiled: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom('SIGKILL' as const, 'SIGSTOP' as const) },
  ),
  killed: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('1') }),
  stdin: fc.oneof(
    { weight: 8, arbitrary: fc.array(words, { maxLength: 4 }).map((lines) => lines.join('\n')) },
    { weight: 1, arbitrary: fc.nat({ max: 200_000 }).map((bytes) => 'y'.repeat(bytes)) },
  ),
})

/** The order of its variables is all that a program may see of the shell. */
const inOrder = (stdout: string): string => {
  const [words = '', variables = '', ...rest] = stdout.split(separator)
  return [words, variables.split('\0').sort().join('\0'), ...rest].join(separator)
}

/** The time differs by run. How much of a killed program's output was read by its end differs, too. */
const verdictOf = ({ exitCode, failure, stdout, stderr, isTruncated }: RunResult): Partial<RunResult> =>
  failure === undefined ? { exitCode, stdout: inOrder(stdout), stderr, isTruncated } : { exitCode, failure }

/** `HOOKGATE_FIRES=200000 npm run test:property -- ahead` tries that many, which takes more than an hour. */
const asked = Number(process.env['HOOKGATE_FIRES'] ?? 0)
const usual = isWhole() ? 1500 : 3
const fires = asked > 0 ? asked : usual

test(
  'a hook gives the same verdict in the same world, whether a shell waited for it or it was started',
  { ...onBash, timeout: 30_000 + fires * 100 },
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'hookgate-ahead-'))
    const cwd = join(root, `a 'folder' $(exit) "é"`)
    mkdirSync(cwd)
    let waited = 0
    let all = 0
    try {
      await fc.assert(
        fc.asyncProperty(fire, async ({ args, env, fixed, before, now, code, spoiled, killed, stdin }) => {
          const requestWith = (varying: { readonly ONE: string; readonly TWO: string }): RunRequest =>
            request(['/bin/sh', '-c', text, ...args], {
              cwd,
              stdin,
              env: { PATH: '/usr/bin:/bin', ...env, FIXED: fixed, ...varying, CODE: code, KILLED: killed },
            })
          const waiting = await waitFor(requestWith(before), ['ONE', 'TWO'])
          if (spoiled !== undefined) process.kill(waiting.pid, spoiled)
          const [started, { wasWaiting, ...ahead }] = await Promise.all([
            startRun(requestWith(now)).result,
            ask(waiting, requestWith(now)),
          ])
          all += 1
          if (wasWaiting) waited += 1
          if (spoiled !== undefined) expect(wasWaiting).toBe(false)
          expect(verdictOf(ahead)).toEqual(verdictOf(started))
        }),
        { numRuns: fires, endOnFailure: true },
      )
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
    // So few may all be spoiled by chance.
    if (isWhole()) expect(waited).toBeGreaterThan(all / 3)
  },
)
