import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runBash } from '../../../src/agents/tools/bash.ts'
import { createCapture } from '../../../src/agents/tools/capture.ts'
import type { ToolContext } from '../../../src/agents/tools/tool.ts'
import { runTool } from '../../../src/agents/tools/tools.ts'
import { numberIn, waitUntilGone } from '../scripted-gate.ts'

let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'hookgate-tools-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const env = { PATH: process.env['PATH'] ?? '', TERM: 'dumb' }
const mute: Pick<ToolContext, 'push'> = {
  push: async () => ({ outcome: 'failed', reason: 'nobody is there', push_id: 'x' }),
}
const run = (command: string, timeoutMs = 20_000) =>
  runBash({ command, cwd, env, timeoutMs, signal: new AbortController().signal })

test('Output and errors come back in the order they were written, with the exit code', async () => {
  expect(await run('echo one; echo two >&2; echo three; exit 4')).toEqual({
    output: 'one\ntwo\nthree\n',
    exitCode: 4,
    isTimedOut: false,
  })
  expect((await run('kill -TERM $$')).exitCode).toBe(143)
})

test('A command that takes too long is stopped with all it started', async () => {
  const result = await run('sleep 60 & echo $! > child.pid; echo before; wait', 500)
  expect(result).toMatchObject({ output: 'before\n', isTimedOut: true })
  await waitUntilGone(await numberIn(join(cwd, 'child.pid')))
})

test('What a command leaves in the background ends with it, and its open output is not waited for', async () => {
  expect(await run('sleep 60 & echo $! > child.pid; echo done')).toMatchObject({
    output: 'done\n',
    exitCode: 0,
  })
  await waitUntilGone(await numberIn(join(cwd, 'child.pid')))
})

test.runIf(process.platform === 'linux')(
  'What timeout and job control put into process groups of their own ends as well, with the command and when it is stopped',
  async () => {
    await run('set -m; sleep 60 & echo $! > job.pid')
    await waitUntilGone(await numberIn(join(cwd, 'job.pid')))
    const stop = new AbortController()
    const command = "timeout 60 bash -c 'sleep 60 & echo $! > child.pid; wait'; echo more"
    const stopped = runBash({ command, cwd, env, timeoutMs: 20_000, signal: stop.signal })
    const child = await numberIn(join(cwd, 'child.pid'))
    stop.abort()
    await expect(stopped).rejects.toThrow()
    await waitUntilGone(child)
  },
)

test('A process that left the session and holds the output does not hold up the agent', async () => {
  // It is out of reach of the session's end by design, so the test ends it.
  const command = `node -e "require('child_process').spawn('sleep', ['60'], { detached: true, stdio: 'inherit' }).on('spawn', function () { require('fs').writeFileSync('away.pid', String(this.pid)); process.exit(0) })"`
  expect(await run(command)).toMatchObject({ exitCode: 0, isTimedOut: false })
  process.kill(await numberIn(join(cwd, 'away.pid')), 'SIGKILL')
})

test('Output without end is kept to its first and last part', async () => {
  const { output } = await run('echo first; yes | head -c 5000000; echo last')
  expect(output.startsWith('first\n')).toBe(true)
  expect(output.endsWith('last\n')).toBe(true)
  expect(output).toContain('bytes left out')
  expect(Buffer.byteLength(output)).toBeLessThan(66_000)
})

test('A cut never goes through a character, wherever it falls', () => {
  for (const offset of [0, 1, 2, 3]) {
    const capture = createCapture(20)
    for (const byte of Buffer.from(`${'x'.repeat(offset)}${'日本😀'.repeat(20)}`))
      capture.add(Buffer.from([byte]))
    expect(capture.text()).not.toContain('\ufffd')
    expect(capture.text()).toMatch(/^x*日.*\n\[… \d+ bytes left out …\]\n.*😀$/)
  }
  const short = createCapture(20)
  short.add(Buffer.from('日本😀日本'))
  expect(short.text()).toBe('日本😀日本')
})

test('A tool that is asked wrongly says what it expected', async () => {
  const context = { workspace: cwd, env, signal: new AbortController().signal, ...mute }
  expect(await runTool('bash', { command: 7 }, context)).toMatchObject({
    isError: true,
    text: 'Expected "command" to be a string, got 7 (number).',
  })
  expect(await runTool('fly', {}, context)).toMatchObject({
    isError: true,
    text: expect.stringContaining('got "fly"'),
  })
  expect(await runTool('constructor', {}, context)).toMatchObject({
    isError: true,
    text: expect.stringContaining('got "constructor"'),
  })
})

test('Writing over a longer file leaves nothing of it', async () => {
  await writeFile(join(cwd, 'a.txt'), 'long old text')
  const context = { workspace: cwd, env, signal: new AbortController().signal, ...mute }
  await runTool('write_file', { path: 'a.txt', content: 'new' }, context)
  expect(await runTool('read_file', { path: 'a.txt' }, context)).toEqual({
    text: 'new',
    isError: false,
    exitCode: 0,
  })
})

test('An edit changes what it names and no other byte, also in a file that is no UTF-8', async () => {
  const context = { workspace: cwd, env, signal: new AbortController().signal, ...mute }
  const at = join(cwd, 'a.txt')
  await writeFile(at, Buffer.from('caf\xe9 für 日本\r\nend', 'latin1'))
  expect(
    await runTool('edit_file', { path: 'a.txt', old_text: 'end', new_text: 'Ende für 日本' }, context),
  ).toMatchObject({ text: 'Edited a.txt.', isError: false })
  expect(await readFile(at)).toEqual(
    Buffer.concat([Buffer.from('caf\xe9 für 日本\r\n', 'latin1'), Buffer.from('Ende für 日本')]),
  )
  expect(
    await runTool('edit_file', { path: 'a.txt', old_text: 'für 日本', new_text: 'x' }, context),
  ).toMatchObject({ text: 'Edited a.txt.' })
  expect(await runTool('edit_file', { path: 'a.txt', old_text: 'f', new_text: 'x' }, context)).toMatchObject({
    isError: true,
    text: 'Expected "old_text" to occur in a.txt exactly once, got it 2 times.',
  })
  expect(await runTool('edit_file', { path: 'a.txt', old_text: '', new_text: 'x' }, context)).toMatchObject({
    isError: true,
    text: 'Expected "old_text" to occur in a.txt exactly once, got an empty text.',
  })
})
