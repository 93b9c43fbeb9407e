import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { needs } from '../needs.ts'
import { ask, makeWorkspace, runProgram, type Workspace } from './run-example.ts'

describe('block_destructive.sh', needs('python3'), () => {
  let workspace: Workspace
  beforeAll(() => {
    workspace = makeWorkspace()
  })
  afterAll(() => workspace.remove())
  const call = (command: string): Promise<JsonObject> =>
    ask(
      'block_destructive.sh',
      'pre_tool_call',
      { tool_name: 'bash', tool_input: { command } },
      workspace.folder,
    )

  it('a command made to be slow or deep is judged within its timeout, and never passes by exhausting the guard', async () => {
    for (const piece of ['(', '$(', '"', "a ''", '<<a\n', '<<a\na\n', '${a', '$((a', '`', '\\', '{a,']) {
      const command = `${piece.repeat(100_000 / piece.length)}\nrm -rf /`
      const startedAtMs = performance.now()
      const { exitCode, stderr } = await runProgram(
        'block_destructive.sh',
        JSON.stringify({ cwd: '/w', tool_name: 'bash', tool_input: { command } }),
        workspace.folder,
      )
      expect([0, 1], piece).toContain(exitCode)
      expect(stderr).not.toContain('Traceback')
      expect(performance.now() - startedAtMs, piece).toBeLessThan(10_000)
    }
    const deep = (levels: number): string =>
      Array.from({ length: levels }).reduce<string>(
        (inner) => `eval '${inner.replaceAll(`'`, `'\\''`)}'`,
        'rm -rf /',
      )
    expect(await call(deep(3))).toMatchObject({ decision: 'block' })
    expect(await call(deep(11))).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('nested'),
    })
  }, 120_000)
})
