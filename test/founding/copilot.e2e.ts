import { createServer } from 'node:net'
import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { until } from '../plane.ts'
import { approveAll, bring, holds, type Brought } from './bring.ts'
import { snippetsOf } from './snippets.ts'
import { isHere, needs } from '../needs.ts'

describe('founding document 004', needs('bash', 'jq', 'curl'), async () => {
  /** Founding document 004: hooks of GitHub Copilot. Its scripts want bash and jq. */
  const snippet = snippetsOf('004')
  const source = 'sources:\n  - copilot: ./.github/hooks\n'
  const brought: Brought[] = []
  afterAll(() => Promise.all(brought.map((plane) => plane.stop())))
  const json = (name: string): JsonObject => JSON.parse(snippet(name)) as JsonObject
  const scriptHook = (name: string): JsonObject => ({ type: 'command', bash: `./scripts/${name}` })

  /** A gate with these hooks, approved and on, and the scripts of the document that they name. */
  const open = async (
    hooks: Readonly<Record<string, readonly JsonObject[]>>,
    scripts: Readonly<Record<string, string>>,
  ): Promise<Brought> => {
    const plane = await bring(source, {
      '.github/hooks/hooks.json': JSON.stringify({ version: 1, hooks }),
      ...scripts,
    })
    brought.push(plane)
    await approveAll(plane)
    return plane
  }
  const scripts = (...names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [`scripts/${name}`, snippet(name)]))
  const holdsLine = (plane: Brought, file: string, line: RegExp): Promise<boolean> =>
    until(`${file} to say ${line}`, async () => line.test(await plane.read(file).catch(() => '')))
  const call = (tool_name: string, tool_input: JsonObject, plane: Brought) =>
    plane.fire('pre_tool_call', { tool_name, tool_input })
  const after = (plane: Brought, tool_error: boolean) =>
    plane.fire('transform_tool_result', {
      tool_name: 'bash',
      tool_input: { command: 'npm test' },
      tool_result: 'All tests passed (15/15)',
      tool_error,
    })

  describe('its scripts that log', async () => {
    const keep = '#!/bin/sh\ncat > in.json\n'
    const plane = await open(
      {
        sessionStart: [scriptHook('session-start.sh')],
        userPromptSubmitted: [scriptHook('log-prompt.sh')],
        preToolUse: [scriptHook('read-input.sh'), scriptHook('errors.sh')],
        postToolUse: [scriptHook('stats.sh'), scriptHook('jsonl.sh'), scriptHook('keep.sh')],
        errorOccurred: [scriptHook('log-error.sh')],
      },
      {
        ...scripts(
          'session-start.sh',
          'log-prompt.sh',
          'read-input.sh',
          'errors.sh',
          'stats.sh',
          'jsonl.sh',
          'log-error.sh',
        ),
        'scripts/keep.sh': keep,
        'logs/audit.jsonl': '',
      },
    )

    test('the start of a session, with where it came from and when', async () => {
      await plane.fire('on_session_start', {
        status: 'started',
        source: 'startup',
        initial_prompt: 'Create a new feature',
      })
      await holdsLine(plane, 'session.log', /^Session started from (?:new|startup) at \d{13}$/m)
      await plane.fire('on_session_start', { status: 'started', source: 'resume' })
      await holdsLine(plane, 'session.log', /^Session started from resume at \d{13}$/m)
    })
    test('a prompt, with the second that its milliseconds are', async () => {
      await plane.ask('say Fix the authentication bug', holds('Fix the authentication bug'))
      await holdsLine(plane, 'prompts.log', /20\d\d.*: say Fix the authentication bug$/m)
    })
    test('a tool, as a line of CSV and of JSON, and its script reads what the sample shows', async () => {
      await plane.ask('!echo hello', holds('hello'))
      await holdsLine(plane, 'tool-stats.csv', /,bash,success$/m)
      await holdsLine(
        plane,
        'logs/audit.jsonl',
        /"timestamp": "\d{13}",\n {2}"tool": "bash",\n {2}"result": "success"/,
      )
      await after(plane, false)
      await until('the input', async () =>
        (await plane.read('in.json').catch(() => '')).includes('All tests passed'),
      )
      const got = JSON.parse(await plane.read('in.json')) as JsonObject
      expect(Object.keys(got)).toEqual(expect.arrayContaining(Object.keys(json('post-tool.json'))))
      expect(got).toMatchObject({
        toolName: 'bash',
        toolArgs: '{"command":"npm test"}',
        toolResult: { resultType: 'success', textResultForLlm: 'All tests passed (15/15)' },
      })
    })
    test.skipIf(isHere('mail'))('a failed tool, which its script would mail', async () => {
      await after(plane, true)
      await holdsLine(plane, 'tool-stats.csv', /,bash,failure$/m)
    })
    test('an error, by its name and message', async () => {
      await plane.fire('on_error', {
        error: {
          message: 'Network timeout',
          name: 'TimeoutError',
          stack: 'TimeoutError: Network timeout\n at ...',
        },
      })
      await holdsLine(plane, 'errors.log', /: \[TimeoutError\] Network timeout$/m)
    })
    test('scripts that only read, or end with 0, let the tool run', async () => {
      expect(await call('bash', { command: 'ls' }, plane)).toMatchObject({ verdict: 'allow' })
    })
  })

  describe('its scripts that decide', async () => {
    const plane = await open(
      { preToolUse: ['security-check.sh', 'file-permissions.sh', 'conditional.sh'].map(scriptHook) },
      scripts('security-check.sh', 'file-permissions.sh', 'conditional.sh'),
    )

    test('dangerous patterns are denied with the reason, and every call is logged', async () => {
      for (const command of [
        'rm -rf /nowhere',
        'format c:',
        'psql -c "DROP TABLE users"',
        'cd .\nrm -rf /nowhere',
      ]) {
        expect(await call('bash', { command }, plane), command).toMatchObject({
          verdict: 'block',
          reason: 'Dangerous command detected',
        })
      }
      await holdsLine(plane, 'tool-usage.log', /Tool=bash Args=\{"command":"rm -rf \/nowhere"/)
    })
    test('only src/ and test/ may be edited', async () => {
      await plane.ask('write notes.txt one', holds('Wrote'))
      await plane.ask(
        'edit notes.txt one two',
        holds('edit_file', 'Can only edit files in src/ or test/ directories'),
      )
      await plane.ask('write src/notes.txt one', holds('Wrote'))
      await plane.ask('edit src/notes.txt one two', holds('Edited'))
    })
    test('only bash is looked at by the script that says so', async () => {
      expect(await call('bash', { command: 'sudo true' }, plane)).toMatchObject({
        verdict: 'block',
        reason: 'Dangerous system command',
      })
      expect(await call('read_file', { path: 'sudo' }, plane)).toMatchObject({ verdict: 'allow' })
    })
  })

  test('an answer that jq writes on several lines counts', async () => {
    const plane = await open({ preToolUse: [scriptHook('output.sh')] }, scripts('output.sh'))
    const { verdict, reason } = await call('bash', { command: 'ls' }, plane)
    expect([verdict, reason]).toEqual([
      'block',
      expect.stringMatching(/^(?:Security policy violation|Too dangerous)$/),
    ])
  })

  test('its sample of an answer denies', async () => {
    const plane = await open(
      { preToolUse: [scriptHook('says.sh')] },
      { 'scripts/says.sh': `#!/bin/sh\ncat <<'END'\n${snippet('pre-tool-output.json')}END\n` },
    )
    expect(await call('bash', { command: 'ls' }, plane)).toMatchObject({
      verdict: 'block',
      reason: 'Destructive operations require approval',
    })
  })

  describe('its files', () => {
    test('several hooks of one event run in their order', async () => {
      const note = (name: string): string => `#!/bin/sh\necho ${name} >> order\n`
      const plane = await bring(source, {
        '.github/hooks/hooks.json': snippet('several.json'),
        'scripts/security-check.sh': note('security'),
        'scripts/audit-log.sh': note('audit'),
        'scripts/metrics.sh': note('metrics'),
      })
      brought.push(plane)
      await approveAll(plane)
      await call('bash', { command: 'ls' }, plane)
      expect(await plane.read('order')).toBe('security\naudit\nmetrics\n')
    })

    test('an audit of five events hears of all five', async () => {
      const names = ['session-start', 'prompt', 'tool-use', 'tool-result', 'session-end']
      const files = names.map((name) => [`audit/log-${name}.sh`, `#!/bin/sh\ntouch heard-${name}\n`])
      const plane = await bring(source, {
        '.github/hooks/hooks.json': snippet('audit.json'),
        ...(Object.fromEntries(files) as Record<string, string>),
      })
      brought.push(plane)
      await approveAll(plane)
      await plane.ask('!echo hello', holds('hello'))
      plane.say('/new')
      for (const name of names)
        await until(name, () => readdirSync(plane.workspace).includes(`heard-${name}`))
    })

    test('a hook whose script lies in the project and not in its "cwd" runs in the project, and its card says so', async () => {
      const hook = json('session-start-hook.json')
      const plane = await open(
        { sessionStart: [hook] },
        { 'scripts/session-start.sh': snippet('session-start.sh') },
      )
      expect(plane.gate.rows()).toMatchObject([{ status: 'approved', entry: { timeoutMs: 30_000 } }])
      await plane.fire('on_session_start', { status: 'started', source: 'startup' })
      await holdsLine(plane, 'session.log', /^Session started from /m)
      expect(await plane.card('session-start.sh')).toContain("so the hook runs in the project's folder")
    })

    test('a hook has 30 seconds, or as many as it says', async () => {
      const preToolUse = [json('slow-hook.json'), { type: 'command', bash: './scripts/slow-validation.sh' }]
      const plane = await bring(source, {
        '.github/hooks/hooks.json': JSON.stringify({ version: 1, hooks: { preToolUse } }),
        'scripts/slow-validation.sh': '#!/bin/sh\n',
      })
      brought.push(plane)
      expect(plane.gate.rows().map(({ entry }) => entry?.timeoutMs)).toEqual([120_000, 30_000])
    })

    test.each(['read-input.ps1', 'output.ps1', 'errors.ps1'])(
      '%s is for PowerShell: a hook with nothing else says so and cannot be approved',
      async (name) => {
        const plane = await bring(source, {
          '.github/hooks/hooks.json': JSON.stringify({
            version: 1,
            hooks: { preToolUse: [{ type: 'command', powershell: `./scripts/${name}` }] },
          }),
          [`scripts/${name}`]: snippet(name),
        })
        brought.push(plane)
        await plane.ask('/hooks pending', holds('✗ invalid', 'a command for PowerShell only'))
      },
    )
  })

  describe('its scripts for other programs', () => {
    test('a message to Slack is sent to where curl is told to send it', async () => {
      const asked: string[] = []
      const proxy = createServer((socket) =>
        socket
          .on('error', () => undefined)
          .on('data', (data) => {
            asked.push(data.toString())
            socket.end('HTTP/1.1 502 no\r\n\r\n')
          }),
      )
      const port = await new Promise<number>((done) =>
        proxy.listen(0, '127.0.0.1', () => {
          const address = proxy.address()
          done(typeof address === 'object' && address !== null ? address.port : 0)
        }),
      )
      const plane = await open(
        { errorOccurred: [{ ...scriptHook('slack.sh'), env: { https_proxy: `http://127.0.0.1:${port}` } }] },
        scripts('slack.sh'),
      )
      await plane.fire('on_error', { error: { message: 'no air', name: 'Error', stack: '' } })
      await until('curl', () => asked.some((text) => text.startsWith('CONNECT hooks.slack.com:443')))
      proxy.close()
    })

    test('what costs are kept in a folder that is not there: the reason is told with its path', async () => {
      const plane = await open({ postToolUse: [scriptHook('cost.sh')] }, scripts('cost.sh'))
      await after(plane, false)
      await until('the fault', () =>
        plane.texts().find(holds('🛡', 'scripts/cost.sh', '/var/log/copilot/usage.csv')),
      )
    })

    test('an edit waits for the linter: it is denied where that fails, and passes where it does not', async () => {
      const plane = await open(
        { preToolUse: [scriptHook('lint.sh')] },
        {
          ...scripts('lint.sh'),
          'package.json': '{"scripts": {"lint-staged": "test -f clean"}}',
        },
      )
      const edit = () => call('edit_file', { path: 'a', old_text: 'b', new_text: 'c' }, plane)
      expect(await edit()).toMatchObject({ verdict: 'block', reason: 'Code does not pass linting' })
      await plane.script('clean', '')
      expect(await edit()).toMatchObject({ verdict: 'allow' })
      expect(await call('bash', { command: 'ls' }, plane)).toMatchObject({ verdict: 'allow' })
    })

    // With one it would be used.
    test.skipIf(isHere('mail'))(
      'what wants a program for mail names it on its card before it is approved, and stops what it would mail without it',
      async () => {
        const plane = await open({ userPromptSubmitted: [scriptHook('alert.sh')] }, scripts('alert.sh'))
        expect(await plane.card('scripts/alert.sh')).toMatch(/It starts .*"mail"/)
        await plane.ask('say production', holds('did not reach main', 'found no program mail'))
        await plane.ask('say hello', holds('hello'))
      },
    )
  })

  /** It clears away files of others in the machine's own /tmp, where there are some. */
  const wouldClear = readdirSync('/tmp').some((name) => name.startsWith('session-'))
  test.skipIf(wouldClear)(
    'the end of a session is logged, with why, and its own files are cleared away',
    async () => {
      const plane = await open({ sessionEnd: [scriptHook('session-end.sh')] }, scripts('session-end.sh'))
      for (const reason of ['complete', 'error', 'abort', 'timeout', 'user_exit']) {
        await plane.fire('on_session_end', { status: 'ended', reason })
        await holdsLine(plane, 'session.log', new RegExp(`^Session ended: ${reason}$`, 'm'))
      }
    },
  )
})
