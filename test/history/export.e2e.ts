import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { call, send } from '../permissions/caller.ts'
import { cli } from '../e2e/program.ts'
import { startPlane } from '../plane.ts'

test('the kept events are written as JSON lines while the gate runs, by the same conditions', async () => {
  const plane = await startPlane()
  try {
    for (const command of ['ls', 'echo one', 'echo two'])
      await send(plane, 'pre_tool_call', call('bash', { command }))
    const read = (...args: readonly string[]) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [cli, 'history', ...args], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: plane.home, HOOKGATE_HOME: plane.home },
      })
      return {
        lines: stdout
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as object),
        stderr,
        status,
      }
    }
    // A statistic is answered after everything before it was written.
    await plane.ask('/hooks stats', (text) => text.includes('3 events'))
    const { lines, stderr, status } = read('--text', 'echo')
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    expect(lines).toMatchObject([
      { agent: 'main', verdict: 'allow', payload: { tool_input: { command: 'echo two' } } },
      { agent: 'main', verdict: 'allow', payload: { tool_input: { command: 'echo one' } } },
    ])
    expect(read('--limit', '1').lines).toHaveLength(1)
    expect(read('--since', 'soon')).toMatchObject({
      status: 1,
      stderr: 'Expected --since as a number of days or hours, such as 7d or 12h, got "soon".\n',
    })
  } finally {
    await plane.stop()
  }
})
