import { createHash } from 'node:crypto'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cli } from './program.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookgate-trial-'))
  await writeFile(
    join(folder, 'guard.sh'),
    '#!/bin/sh\ngrep -q "rm -rf" && echo "not that" >&2 && exit 2\nexit 0\n',
    { mode: 0o755 },
  )
  await writeFile(join(folder, 'copilot.json'), JSON.stringify({ toolName: 'bash', toolArgs: '{}' }))
  await writeFile(join(folder, 'payload.json'), '{"tool_input":{"command":"rm -rf /"}}')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (args: readonly string[], input = '') =>
  execa(process.execPath, [cli, 'test', ...args], {
    cwd: folder,
    input,
    env: { HOME: folder },
    extendEnv: false,
    reject: false,
  })

interface Line {
  readonly duration_ms: unknown
  readonly ran?: unknown
  readonly sent?: unknown
  readonly differs?: unknown
}

/** The one line that it prints. */
const tried = async (args: readonly string[], input?: string): Promise<unknown> => {
  const { stdout, exitCode, stderr } = await run(args, input)
  const { duration_ms, ran, sent, differs, ...said } = JSON.parse(stdout) as Line
  expect({ exitCode, stderr, lines: stdout.split('\n').length }).toEqual({
    exitCode: 'fault' in said ? 1 : 0,
    stderr: '',
    lines: 1,
  })
  expect(duration_ms).toEqual(expect.any(Number))
  if (!('fault' in said) || ran !== undefined) {
    expect(ran).toEqual(expect.any(Object))
    expect(sent).toEqual(expect.any(Object))
    expect(differs).toContainEqual(expect.stringMatching(/^HOME and TMPDIR were new/))
  }
  return said
}

describe('hookgate test runs one command as a hook and says what its answer comes to', () => {
  test('on a sample of the event, and with fields of its author', async () => {
    expect(await tried(['pre_tool_call', '--command', './guard.sh'])).toEqual({
      decision: 'abstain',
      exit_code: 0,
    })
    expect(await tried(['pre_tool_call', '--command', './guard.sh', '--payload', 'payload.json'])).toEqual({
      decision: 'block',
      reason: 'not that',
      exit_code: 2,
    })
    expect(
      await tried(
        ['pre_tool_call', '--command', './guard.sh', '--payload', '-'],
        '{"tool_input":{"command":"rm -rf /"}}',
      ),
    ).toEqual({ decision: 'block', reason: 'not that', exit_code: 2 })
  })

  test('a rewrite as the event would take it, and what of it is dropped', async () => {
    expect(
      await tried([
        'pre_tool_call',
        '--command',
        `echo '{"tool_input":{"command":"pwd","new":1},"systemMessage":"careful"}'`,
      ]),
    ).toMatchObject({
      decision: 'abstain',
      rewrite: { tool_input: { command: 'pwd' } },
      exit_code: 0,
      notes: [
        'careful',
        'The rewrite of tool_input has the new key "new"; only existing keys can be rewritten, so it was dropped.',
      ],
    })
    expect(await tried(['on_outbound_message', '--command', `echo '{"notification":7}'`])).toMatchObject({
      decision: 'fault',
      fault: { kind: 'rewrite' },
    })
  })

  test('faults are told apart', async () => {
    expect(await tried(['pre_tool_call', '--command', './nowhere.sh'])).toMatchObject({
      decision: 'fault',
      fault: { kind: 'start' },
      exit_code: null,
    })
    expect(await tried(['pre_tool_call', '--command', 'sleep 60', '--timeout', '0.3'])).toMatchObject({
      decision: 'fault',
      fault: { kind: 'timeout' },
    })
    expect(await tried(['pre_tool_call', '--command', 'echo no JSON'])).toMatchObject({
      decision: 'fault',
      fault: { kind: 'output' },
    })
  })

  test("in another system's words: its event, its names, its shell, its answer", async () => {
    const command =
      'cmd=$(cat | jq -r .tool_input.cmd); [ "$cmd" = "ls -la" ] && echo \'{"hook_specific_output":{"permission_decision":"deny","permission_decision_reason":"saw it"}}\''
    expect(await tried(['pre_tool_use', '--dialect', 'docker-agent', '--command', command])).toMatchObject({
      decision: 'block',
      reason: 'saw it',
      exit_code: 0,
    })
    expect(await tried(['pre_tool_call', '--dialect', 'docker-agent', '--command', command])).toMatchObject({
      decision: 'block',
      reason: 'saw it',
      exit_code: 0,
    })
  })

  test('which bytes ran: the file as it lies there, and the program that ran it', async () => {
    const ranBy = async (command: string, more: readonly string[] = []): Promise<unknown> =>
      (JSON.parse((await run(['pre_tool_call', '--command', command, ...more])).stdout) as { ran: unknown })
        .ran
    const sha256 = createHash('sha256')
      .update(await readFile(join(folder, 'guard.sh')))
      .digest('hex')
    const interpreter = await realpath('/bin/sh')
    expect(await ranBy('./guard.sh --now')).toEqual({ file: 'guard.sh', sha256, interpreter })
    expect(await ranBy('sh -e guard.sh')).toEqual({ file: 'guard.sh', sha256, interpreter })
    expect(await ranBy('./guard.sh', ['--dialect', 'claude-code'])).toEqual({
      file: 'guard.sh',
      sha256,
      interpreter,
    })
    expect(await ranBy('cat')).toEqual({ interpreter: await realpath('/bin/cat') })
  })

  test('a hook gets no variable of whoever tries it but what a hook gets', async () => {
    const { stdout } = await execa(
      process.execPath,
      [
        cli,
        'test',
        'on_outbound_message',
        '--command',
        `sh -c 'printf "{\\"notification\\":\\"%s\\"}" "$(env | cut -d= -f1 | sort | tr "\\n" " ")"'`,
      ],
      { cwd: folder, env: { HOME: folder, TELEGRAM_BOT_TOKEN: 'secret' }, extendEnv: false },
    )
    expect(stdout).toContain('HOOKGATE_EVENT')
    expect(stdout).not.toContain('TELEGRAM')
  })

  test.each([
    [['pre_tool', '--command', 'true'], 'Expected the name of an event, got "pre_tool".'],
    [['PreToolUse', '--command', 'true'], 'got "PreToolUse". Did you mean "pre_tool_call"?'],
    [['pre_tool_call', '--command', "an 'open quote"], 'but a quote is not closed. Correct the command.'],
    [['pre_tool_call', '--command', 'true', '--payload', 'copilot.json'], 'say --dialect copilot.'],
    [['pre_tool_call'], 'Expected "hookgate test <event> --command <cmd>".'],
    [['PreToolUse', '--command', 'true', '--dialect', 'claude'], 'got "claude".'],
    [
      ['pre_tool_call', '--command', 'true', '--timeout', 'soon'],
      'Expected --timeout to be a number from 0 to 600 (seconds), got "soon".',
    ],
    [['pre_tool_call', '--comand', 'true'], "Unknown option '--comand'.\n\nhookgate test <event>"],
    [
      ['pre_tool_call', '--command', 'true', '--payload', 'nowhere.json'],
      'Expected --payload to name a file with one JSON object',
    ],
  ])('%j is wrong usage, told with what to do', async (args, words) => {
    const { exitCode, stderr, stdout } = await run(args)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain(words)
  })
})
