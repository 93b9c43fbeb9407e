import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { runBash } from '../../../src/agents/tools/bash.ts'
import { saysAnswer, startUnread } from '../../unread.ts'

test('what a command printed is there, although its end was noticed before that was read', async () => {
  const run = startUnread(
    () =>
      runBash({
        command: saysAnswer,
        cwd: tmpdir(),
        env: { PATH: process.env['PATH'] ?? '' },
        timeoutMs: 10_000,
        signal: new AbortController().signal,
      }),
    1000,
  )
  expect(await run).toEqual({ output: 'answer\n', exitCode: 0, isTimedOut: false })
})
