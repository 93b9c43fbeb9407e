import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runTrial, type TrialRequest } from '../../src/compose/verbs/trial.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createProposer } from '../../src/proposals/proposal.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import { systemFolders } from '../../src/shared/hooks/hook-world.ts'
import { ProblemError } from '../../src/core/model/gate/problem.ts'
import { formatProblem } from '../../src/shared/base/problem.ts'
import { startPlane } from '../plane.ts'

const path = [...systemFolders, dirname(process.execPath)].join(':')
let folder: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'hookgate-trial-')))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const script = (name: string, text: string, mode = 0o755): Promise<void> =>
  writeFile(join(folder, name), text, { mode })

/** A hook that answers with what its shell text prints. */
const says = (name: string, text: string): Promise<void> =>
  script(name, `#!/bin/sh\nsaid=$(${text})\nprintf '{"decision": "block", "reason": "%s"}' "$said"\n`)

const configOf = (home = join(folder, 'gate')) =>
  loadConfig({ HOOKGATE_HOME: home, HOOKGATE_WORKSPACE: folder })

const tried = (request: Partial<TrialRequest>, config = configOf()) =>
  runTrial(
    { event: 'pre_tool_call', command: './x.sh', timeoutMs: 10_000, cwd: folder, agent: 'main', ...request },
    config,
  )

const payloadFile = async (payload: object): Promise<string> => {
  const file = join(folder, 'payload.json')
  await writeFile(file, JSON.stringify(payload))
  return file
}

describe('what is tried runs from a seal, as it would under the gate', () => {
  test('of what lies beside it there is only what would be sealed with it', async () => {
    await script('lib.sh', 'echo sibling\n', 0o644)
    await says('beside.sh', '. "$(dirname "$0")/lib.sh" 2>/dev/null || echo alone')
    await says('ls.sh', 'ls "$(dirname "$0")" | tr "\\n" " "')
    expect(await tried({ command: './ls.sh' })).toMatchObject({ reason: 'ls.sh' })
    expect(await tried({ command: './beside.sh' })).toMatchObject({ reason: 'sibling' })
  })

  test('a script that a shell finds by its path runs as the copy that was compared, with its own mode', async () => {
    await says('named.sh', 'echo "${0##*.checked/}"')
    await script('closed.sh', '#!/bin/sh\n', 0o644)
    const asked = { event: 'PreToolUse', dialect: 'claude-code' }
    expect(await tried({ ...asked, command: 'cat | ./named.sh' })).toMatchObject({ reason: 'named.sh' })
    expect(await tried({ ...asked, command: 'cat | ./closed.sh' })).toMatchObject({ exit_code: 126 })
  })

  test('HOME is a folder of its own, empty and writable, and nothing is left of it', async () => {
    await says(
      'home.sh',
      'echo "$(ls -A "$HOME" | wc -l | tr -d " ")" "$(: > "$HOME/x" && echo writes)" "$HOME"',
    )
    const { reason } = await tried({ command: './home.sh' })
    const [entries, writes, home = ''] = typeof reason === 'string' ? reason.split(' ') : []
    expect([entries, writes]).toEqual(['0', 'writes'])
    expect(home).not.toBe(homedir())
    expect(await readdir(tmpdir())).not.toContain(home.split('/').at(-2))
  })

  test.each([
    ['plain.sh', 'echo hi\n', 0o755],
    ['closed.sh', '#!/bin/sh\n', 0o644],
    ['crlf.sh', '#!/bin/sh\r\n', 0o755],
    ['nobody.sh', '#!/usr/bin/env nobody-has-this\n', 0o755],
    ['empty.sh', '', 0o755],
  ])('%s is refused here and by /hooks in the same words', async (name, text, mode) => {
    await script(name, text, mode)
    const home = join(folder, 'gate')
    await mkdir(home, { recursive: true })
    const entry: Entry = {
      event: 'pre_tool_call',
      type: 'command',
      command: `./${name}`,
      args: [],
      timeoutMs: 1000,
      onError: 'warn',
      priority: 100,
      isAsync: false,
      env: {},
      files: [],
      origin: 'config/shell_hooks.yaml',
    }
    const { problem } = createProposer({ workspace: folder, path, home }).propose(entry)
    expect(problem).toBeDefined()
    expect(await tried({ command: `./${name}` })).toEqual({
      decision: 'fault',
      exit_code: null,
      duration_ms: 0,
      fault: { kind: 'start', detail: problem === undefined ? '' : formatProblem(problem) },
    })
  })

  test('a running gate tells where its hooks run; what is not the same is said', async () => {
    const plane = await startPlane()
    try {
      await says('path.sh', 'echo "$PATH"')
      const { reason, differs } = await tried({ command: './path.sh' }, configOf(plane.home))
      expect(reason).toContain(systemFolders.join(':'))
      expect(differs).toEqual([
        expect.stringMatching(/^HOME and TMPDIR were new/),
        `The gate's workspace is ${plane.workspace}; this ran in ${folder}, and paths were read from there.`,
      ])
      expect((await tried({ command: './path.sh' })).differs).toContainEqual(
        expect.stringMatching(/^No running gate/),
      )
    } finally {
      await plane.stop()
    }
  })
})

describe('a payload', () => {
  beforeAll(() => script('quiet.sh', '#!/bin/sh\n'))
  const asked = { command: './quiet.sh' }

  test('is laid over a sample, and what was sent is in the line', async () => {
    const payload = await payloadFile({ tool_input: { command: 'rm -rf /' } })
    expect(await tried({ ...asked, payload })).toMatchObject({
      decision: 'abstain',
      sent: { event: 'pre_tool_call', tool_name: 'bash', tool_input: { command: 'rm -rf /' } },
    })
  })

  test('that has two keys for one thing counts by the one that was given', async () => {
    const payload = await payloadFile({ tool_name: 'bash', tool_input: { command: 'rm -rf /' } })
    const line = await tried({ ...asked, event: 'preToolUse', dialect: 'copilot', payload })
    expect(JSON.stringify(line['sent'])).toContain('rm -rf /')
  })

  test("in another system's words is read in the dialect that is named, and sent as its hooks get it", async () => {
    const toolArgs = '{"command":"rm -rf dist","description":"Clean build directory"}'
    const given = { timestamp: 1704614600000, cwd: '/path/to/project', toolName: 'bash', toolArgs }
    const payload = await payloadFile(given)
    const line = await tried({ ...asked, event: 'preToolUse', dialect: 'copilot', payload })
    expect(line['sent']).toMatchObject({ cwd: '/path/to/project', toolName: 'bash' })
    const { sent = null } = line
    expect(JSON.stringify(sent)).toContain(String.raw`rm -rf dist`)
  })

  test.each([
    [
      { toolName: 'bash', toolArgs: '{}' },
      undefined,
      'got "toolName" (string). These are the keys of copilot: say --dialect copilot.',
    ],
    [{ tool_nam: 'bash' }, undefined, 'got "tool_nam" (string). Did you mean "tool_name"?'],
    [{ toolName: 'bash', toolArg: '{}' }, 'copilot', 'got "toolArg" (string). Did you mean "toolArgs"?'],
    [
      { toolName: 'bash', toolArgs: '[]' },
      'copilot',
      'Expected "toolArgs" to be an object or one as JSON text',
    ],
    [{ tool_input: 'rm' }, 'claude-code', 'Expected "tool_input" to be an object, got "rm" (string).'],
  ])('%j in dialect %s is an error with what to do, and nothing runs', async (payload, dialect, words) => {
    const native = { copilot: 'preToolUse', 'claude-code': 'PreToolUse' }[dialect ?? ''] ?? 'pre_tool_call'
    const file = await payloadFile(payload)
    const asking = tried({
      ...asked,
      event: native,
      payload: file,
      ...(dialect === undefined ? {} : { dialect }),
    })
    const why = asking.then(
      () => 'it ran',
      (error: unknown) => (error instanceof ProblemError ? formatProblem(error.problem) : ''),
    )
    expect(await why).toContain(words)
  })
})
