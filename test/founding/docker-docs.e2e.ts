import { afterAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { until } from '../plane.ts'
import { approveAll, bring, holds } from './bring.ts'
import { snippetsOf } from './snippets.ts'
import { needs } from '../needs.ts'

describe('founding document 003', needs('bash', 'jq'), async () => {
  /** Founding document 003: docker-agent's first page on hooks. Its scripts want bash and jq. */
  const snippet = snippetsOf('003')
  /** The scripts that its example names and does not give: they leave their input behind. */
  const keep = '#!/bin/sh\ncat > "$(basename "$0").json"\n'
  const plane = await bring('sources:\n  - docker-agent: ./agent.yaml\n', {
    'agent.yaml': snippet('agent.yaml'),
    'scripts/validate-command.sh': snippet('validate-command.sh'),
    'scripts/log-tool-call.sh': snippet('log-tool-call.sh'),
    'scripts/setup-env.sh': keep,
    'scripts/cleanup.sh': keep,
    'scripts/notify.sh': keep,
  })
  await approveAll(plane)
  afterAll(() => plane.stop())
  const stdinOf = async (script: string): Promise<JsonObject> =>
    JSON.parse(
      await until(script, async () => (await plane.read(`${script}.json`).catch(() => '')) || undefined),
    ) as JsonObject

  test('its five hooks are listed, approved and live', () => {
    expect(
      plane.gate.rows().map(({ entry, status }) => [entry?.dialect?.event, entry?.timeoutMs, status]),
    ).toEqual([
      ['pre_tool_use', 30_000, 'approved'],
      ['post_tool_use', 60_000, 'approved'],
      ['session_start', 60_000, 'approved'],
      ['session_end', 60_000, 'approved'],
      ['on_user_input', 60_000, 'approved'],
    ])
  })

  describe('its validation script', () => {
    test('blocks what it says is dangerous, with its reason, and allows everything else', async () => {
      await plane.ask('!rm -rf /tmp/cache-of-nobody', holds('bash', 'Dangerous command blocked by policy'))
      await plane.ask('!sudo true', holds('I did not run bash'))
      await plane.ask('!echo hello', holds('hello'))
    })
    test('blocks a command of two lines, too', async () => {
      await plane.ask('!cd .\nrm -rf cache-of-nobody', holds('I did not run bash'))
    })
    test('has no word on other tools than those that its matcher names', async () => {
      await plane.ask('read agent.yaml', holds('An agent with hooks'))
    })
  })

  test('its audit script logs every tool call where it runs, and stops none', async () => {
    await plane.ask('!echo audited', holds('audited'))
    const line = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \| \S+ \| shell$/m
    await until('the line', async () => line.test(await plane.read('audit.log').catch(() => '')))
  })

  describe('what a script reads', () => {
    const fields = {
      'setup-env.sh': ['session_id', 'cwd', 'hook_event_name', 'source'],
      'cleanup.sh': ['session_id', 'cwd', 'hook_event_name', 'reason'],
      'notify.sh': ['session_id', 'cwd', 'hook_event_name'],
    }
    test('is what its table says, with the values that it names', async () => {
      for (const source of ['startup', 'resume', 'clear', 'compact']) {
        await plane.fire('on_session_start', { status: 'started', source })
        await until('it', async () => (await stdinOf('setup-env.sh'))['source'] === source)
      }
      for (const [reason, theirs] of [
        ['clear', 'clear'],
        ['logout', 'logout'],
        ['user_exit', 'prompt_input_exit'],
        ['timeout', 'other'],
      ]) {
        await plane.fire('on_session_end', { status: 'ended', reason: reason ?? '' })
        await until(
          `${reason} to be ${theirs}`,
          async () => (await stdinOf('cleanup.sh'))['reason'] === theirs,
        )
      }
      await plane.fire('on_user_input', { prompt: 'Which one?' })
      for (const [script, names] of Object.entries(fields)) {
        expect(Object.keys(await stdinOf(script)), script).toEqual(expect.arrayContaining(names))
      }
    })
  })

  describe('what a script answers', async () => {
    const output = JSON.parse(snippet('output.json')) as JsonObject
    const script = (answer: JsonObject, code = 0) =>
      `#!/bin/sh\ncat > "$HOOKGATE_HOOK_DIR/in.json"\ncat <<'END'\n${JSON.stringify(answer)}\nEND\nexit ${code}\n`
    const cases: Readonly<Record<string, string>> = {
      whole: script(output),
      stop: script({ continue: false, stop_reason: 'that is enough' }),
      block: script({ decision: 'block', reason: 'better not' }),
      ask: script({
        hook_specific_output: { permission_decision: 'ask', permission_decision_reason: 'shall it' },
      }),
      two: '#!/bin/sh\necho by its code >&2\nexit 2\n',
      one: '#!/bin/sh\necho broken >&2\nexit 1\n',
    }
    const groups = Object.keys(cases).map(
      (name) => `        - {matcher: ${name}, hooks: [{type: command, command: ./${name}.sh}]}`,
    )
    const other = await bring('sources:\n  - docker-agent: ./agent.yaml\n', {
      'agent.yaml': `agents:\n  root:\n    hooks:\n      pre_tool_use:\n${groups.join('\n')}\n`,
      ...Object.fromEntries(Object.entries(cases).map(([name, text]) => [`${name}.sh`, text])),
    })
    await approveAll(other)
    afterAll(() => other.stop())
    const call = (tool: string) =>
      other.fire('pre_tool_call', { tool_name: tool, tool_input: { cmd: 'rm -rf /tmp/cache' } })

    test('as its example has it: the input is another, and the person is warned', async () => {
      expect(await call('whole')).toMatchObject({
        verdict: 'allow',
        payload: { tool_input: { cmd: 'modified command' } },
        notes: ['Warning message to show user'],
      })
    })
    test('"continue": false, "decision": "block" and exit code 2 stop the operation, each with its reason', async () => {
      expect(await call('stop')).toMatchObject({ verdict: 'block', reason: 'that is enough' })
      expect(await call('block')).toMatchObject({ verdict: 'block', reason: 'better not' })
      expect(await call('two')).toMatchObject({ verdict: 'block', reason: 'by its code' })
    })
    test('"ask" is asked', async () => {
      expect(await call('ask')).toMatchObject({ verdict: 'ask', reason: 'shall it' })
    })
    test('another exit code lets it go on there; a guard of docker-agent fails closed here, and its card says so before', async () => {
      expect(await call('one')).toMatchObject({ verdict: 'block' })
      expect(await other.card('./one.sh')).toContain('if it fails: blocks')
    })
  })

  test('its matchers: a star is all tools, a word is that tool alone, "|" is either, mcp:.* is what begins so', async () => {
    const matchers = { all: '*', shell: 'shell', either: 'shell|edit_file', mcp: 'mcp:.*' }
    const groups = Object.entries(matchers).map(
      ([name, matcher]) =>
        `        - {matcher: "${matcher}", hooks: [{type: command, command: ./${name}.sh}]}`,
    )
    const scripts = Object.keys(matchers).map((name) => [`${name}.sh`, '#!/bin/sh\n'])
    const other = await bring('sources:\n  - docker-agent: ./agent.yaml\n', {
      'agent.yaml': `agents:\n  root:\n    hooks:\n      post_tool_use:\n${groups.join('\n')}\n`,
      ...(Object.fromEntries(scripts) as Record<string, string>),
    })
    await approveAll(other)
    const asked = async (tool_name: string): Promise<readonly string[]> => {
      const { hooks } = await other.fire('post_tool_call', {
        tool_name,
        tool_input: {},
        tool_result: '',
        tool_error: false,
      })
      return hooks.filter(({ fired }) => fired).map(({ label }) => label)
    }
    expect(await asked('bash')).toEqual(['./all.sh', './shell.sh', './either.sh'])
    expect(await asked('edit_file')).toEqual(['./all.sh', './either.sh'])
    expect(await asked('mcp:search')).toEqual(['./all.sh', './mcp.sh'])
    expect(await asked('shellfish')).toEqual(['./all.sh'])
    await other.stop()
  })

  test('a hook has 60 seconds, and 120 where it says so', async () => {
    const other = await bring('sources:\n  - docker-agent: ./agent.yaml\n', {
      'agent.yaml': `agents:\n  root:\n${snippet('slow.yaml').replaceAll(/^/gm, '    ')}`,
      'slow-validation.sh': '#!/bin/sh\n',
    })
    expect(other.gate.rows()).toMatchObject([{ status: 'waiting', entry: { timeoutMs: 120_000 } }])
    await other.stop()
  })
})
