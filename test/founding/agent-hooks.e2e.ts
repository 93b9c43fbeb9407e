import { afterAll, describe, expect, test } from 'vitest'
import type { EventName } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { until } from '../plane.ts'
import { approveAll, bring, holds, type Brought } from './bring.ts'
import { snippetsOf } from './snippets.ts'
import { isHere, needs } from '../needs.ts'

describe('founding document 002', needs('bash'), async () => {
  /** Founding document 002: the specification of HOOK.md. Its scripts want bash. */
  const snippet = snippetsOf('002')
  const source = 'sources:\n  - agent-hooks: ./.agents/hooks\n'
  const brought: Brought[] = []
  afterAll(() => Promise.all(brought.map((plane) => plane.stop())))

  /** A gate with these hooks, each a HOOK.md and the script beside it, approved and on. */
  const open = async (
    hooks: Readonly<Record<string, readonly [page: string, script: string]>>,
    files: Readonly<Record<string, string>> = {},
  ): Promise<Brought> => {
    const laid = Object.entries(hooks).flatMap(([name, [page, script]]) => [
      [`.agents/hooks/${name}/HOOK.md`, page],
      [`.agents/hooks/${name}/scripts/run.sh`, script.startsWith('#!') ? script : `#!/bin/bash\n${script}`],
    ])
    const plane = await bring(source, { ...(Object.fromEntries(laid) as Record<string, string>), ...files })
    brought.push(plane)
    await approveAll(plane)
    return plane
  }
  /** A page as the document begins one, with what it leaves out there and asks for in its table. */
  const page = (name: string): string => {
    const text = snippet(name)
    return /^description:/m.test(text)
      ? text
      : text.replace(/^name: .*$/m, '$&\ndescription: What the document does not say here.')
  }
  const keep = 'cat > "$HOOKGATE_HOOK_DIR/in.json"'
  const stdinOf = async (plane: Brought, name: string): Promise<JsonObject> =>
    JSON.parse(
      await until(
        name,
        async () => (await plane.read(`.agents/hooks/${name}/scripts/in.json`).catch(() => '')) || undefined,
      ),
    ) as JsonObject
  const shell = (command: string): JsonObject => ({ tool_name: 'bash', tool_input: { command } })

  describe('its complete example: a page with its script, in its folders', async () => {
    const plane = await open({ 'security-check': [snippet('HOOK.md'), snippet('run.sh')] })

    test('is listed by its name, with its description, its 5 seconds and its priority, and a remark on the folder', async () => {
      expect(plane.gate.rows()).toMatchObject([
        {
          status: 'approved',
          event: 'pre_tool_call',
          entry: { name: 'block-dangerous-commands', timeoutMs: 5000, priority: 999 },
        },
      ])
      expect(plane.gate.rows()[0]?.entry?.description).toBe(
        'Blocks dangerous shell commands that could destroy data',
      )
    })
    test.each(['mkfs /dev/sdz', 'dd if=/dev/zero of=/dev/sdz', 'echo rm -rf /x'])(
      '%s is blocked with what it says on stderr',
      async (command) => {
        const { verdict, reason } = await plane.fire('pre_tool_call', shell(command))
        expect([verdict, reason]).toEqual([
          'block',
          expect.stringMatching(/^Dangerous command blocked: .* would destroy the system$/),
        ])
      },
    )
    test('its own headline case passes it, here as everywhere: its script wants a letter behind "rm -rf /"', async () => {
      expect(await plane.fire('pre_tool_call', shell('rm -rf /'))).toMatchObject({
        verdict: 'allow',
        hooks: [{ fired: true }],
      })
    })
    test('what its matcher does not name does not start it', async () => {
      expect(await plane.fire('pre_tool_call', shell('ls'))).toMatchObject({ hooks: [], missed: 1 })
      expect(
        await plane.fire('pre_tool_call', {
          tool_name: 'write_file',
          tool_input: { path: 'x', content: 'mkfs' },
        }),
      ).toMatchObject({ hooks: [], missed: 1 })
    })
  })

  describe('its patterns of use', async () => {
    const quality = snippet('enforce-test-coverage.sh')
    const plane = await open(
      {
        'block-dangerous-commands': [snippet('dangerous-mode1.md'), snippet('dangerous-mode1.sh')],
        'auto-format-python': [snippet('auto-format-python.md'), keep],
        'block-prod-deploy': [snippet('block-prod-deploy.md'), snippet('block-prod-deploy.sh')],
        'audit-log': [snippet('audit-log.md'), keep],
        'enforce-test-coverage': [snippet('enforce-test-coverage.md'), quality],
      },
      { 'package.json': JSON.stringify({ scripts: { test: 'exit 1' } }) },
    )

    test('1: a dangerous command is stopped with the reason on stderr', async () => {
      expect(await plane.fire('pre_tool_call', shell('mkfs'))).toMatchObject({
        verdict: 'block',
        reason: 'Dangerous command blocked: rm -rf / would destroy the system',
      })
    })
    test('2: a written Python file is given to a hook that nobody waits for, another file is not', async () => {
      await plane.ask('write notes.txt hello', holds('notes.txt'))
      await plane.ask('write app.py pass', holds('app.py'))
      expect(await stdinOf(plane, 'auto-format-python')).toMatchObject({
        event_type: 'after_tool',
        tool_name: 'WriteFile',
        tool_input: { path: expect.stringMatching(/app\.py$/) },
      })
    })
    test('3: an operation on production is stopped, another passes', async () => {
      await plane.ask(
        '!echo kubectl apply production',
        holds('bash', 'This operation affects production environment and is not allowed'),
      )
      await plane.ask('!echo kubectl apply staging', holds('apply staging'))
    })
    test('4: the end of a session is given to the log', async () => {
      await plane.fire('on_session_end', {
        status: 'ended',
        reason: 'user_exit',
        duration_seconds: 3600,
        total_steps: 25,
      })
      expect(await stdinOf(plane, 'audit-log')).toMatchObject({
        event_type: 'session_end',
        exit_reason: 'user_exit',
        duration_seconds: 3600,
        total_steps: 25,
      })
    })
    test('5: a failing check sends the agent back with the words of its script, three times, and the person sees the end', async () => {
      await plane.ask('say all is well', holds('all is well', '测试通过前不能完成任务'), 60_000)
    })
    test('5: its card names the programs that it starts and that are not there', async () => {
      expect(/It starts .*"black"/.test(await plane.card('enforce-test-coverage'))).toBe(!isHere('black'))
    })
  })

  describe('its tables of fields', async () => {
    const triggers = [
      'session_start',
      'session_end',
      'before_agent',
      'after_agent',
      'before_stop',
      'before_tool',
      'after_tool',
      'after_tool_failure',
      'subagent_start',
      'subagent_stop',
      'pre_compact',
    ]
    const plane = await open(
      Object.fromEntries(
        triggers.map((name) => [
          name.replaceAll('_', '-'),
          [
            `---\nname: ${name.replaceAll('_', '-')}\ndescription: Keeps what it is given.\ntrigger: ${name}\n---\n`,
            keep,
          ],
        ]),
      ),
    )
    const read = (trigger: string) => stdinOf(plane, trigger.replaceAll('_', '-'))
    const sample = (name: string): JsonObject => JSON.parse(snippet(name)) as JsonObject
    /** The same names, whatever the values are. */
    const expectLike = async (trigger: string, wanted: JsonObject): Promise<void> => {
      const got = await read(trigger)
      expect(Object.keys(got), trigger).toEqual(expect.arrayContaining(Object.keys(wanted)))
      expect(got).toMatchObject({ event_type: trigger })
      expect(got['timestamp']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    }
    const steps: readonly (readonly [EventName, JsonObject])[] = [
      [
        'on_session_start',
        { status: 'started', source: 'startup', model: 'kimi-latest', initial_prompt: '' },
      ],
      ['on_session_end', { status: 'ended', reason: 'user_exit', duration_seconds: 3600, total_steps: 25 }],
      ['on_user_message', { message: 'hello', kind: 'message' }],
      ['on_turn_end', { reason: 'normal', step_count: 5 }],
      [
        'on_stop',
        {
          response: '任务已完成',
          stop_reason: 'no_tool_calls',
          step_count: 5,
          tool_names: [],
          stop_hook_active: false,
        },
      ],
      ['pre_tool_call', { ...shell('rm -rf /tmp/old-files'), tool_use_id: 'tool_123' }],
      ['post_tool_call', { ...shell('ls'), tool_use_id: 'tool_123', tool_result: 'x', tool_error: false }],
      ['on_tool_error', { ...shell('ls'), tool_use_id: 'tool_123', error: 'x' }],
      [
        'on_subagent_start',
        {
          subagent_name: 'code-reviewer',
          subagent_type: 'coder',
          task_description: 'Review the authentication module',
        },
      ],
      ['on_subagent_stop', { subagent_name: 'code-reviewer', subagent_type: 'coder', response: 'done' }],
      [
        'pre_compact',
        { source: 'auto', reason: '', input_tokens: 1, output_tokens: 1, context_limit: 9, summary: '' },
      ],
    ]

    test('each of its eleven events is given what its sample shows', async () => {
      for (const [event, fields] of steps) await plane.fire(event, fields)
      const { context: _, ...base } = sample('base.json')
      for (const trigger of triggers) await expectLike(trigger, base)
      for (const trigger of ['before_tool', 'after_tool', 'after_tool_failure'])
        await expectLike(trigger, sample('tool.json'))
      await expectLike('subagent_start', sample('subagent_start.json'))
      await expectLike('session_end', sample('session_end.json'))
      await expectLike('before_stop', sample('before_stop.json'))
      expect(await read('before_tool')).toMatchObject({
        tool_name: 'Shell',
        tool_input: { command: 'rm -rf /tmp/old-files' },
        tool_use_id: 'tool_123',
      })
      expect(await read('session_start')).toMatchObject({ model: 'kimi-latest' })
      expect(await read('before_stop')).toMatchObject({
        stop_reason: 'no_tool_calls',
        step_count: 5,
        final_message: { role: 'assistant', content: '任务已完成' },
      })
      expect(await read('subagent_start')).toMatchObject({
        subagent_name: 'code-reviewer',
        task_description: 'Review the authentication module',
      })
    })
    test('each that it lists as stoppable is stopped, or its card says what becomes of it', async () => {
      const other = await open(
        Object.fromEntries(
          triggers.map((name) => [
            name.replaceAll('_', '-'),
            [
              `---\nname: ${name.replaceAll('_', '-')}\ndescription: Stops it.\ntrigger: ${name}\n---\n`,
              'echo no >&2\nexit 2',
            ],
          ]),
        ),
      )
      const cannot: string[] = []
      for (const [index, [event, fields]] of steps.entries()) {
        const { verdict } = await other.fire(event, fields)
        const name = triggers[index]?.replaceAll('_', '-') ?? ''
        if (verdict !== 'block') {
          cannot.push(name)
          expect(await other.card(`.agents/hooks/${name}/`), name).toContain('⚠')
        }
      }
      expect(cannot).toEqual(['session-end', 'after-agent', 'after-tool-failure'])
    })
  })

  describe('how hooks are run', () => {
    test('an answer on stdout with code 0 counts, and its log is told', async () => {
      const plane = await open({
        log: ['---\nname: log\ndescription: d\ntrigger: before_tool\n---\n', snippet('allow-log.sh')],
      })
      expect(await plane.fire('pre_tool_call', shell('ls'))).toMatchObject({
        verdict: 'allow',
        notes: [expect.stringContaining('Command validated')],
      })
    })
    test('code 2 stops it with stderr as the reason, code 1 and text that is no JSON let it go on with a warning, and what is late or crashes stops it here', async () => {
      const of = (script: string): readonly [string, string] => [
        '---\nname: one\ndescription: d\ntrigger: before_tool\n---\n',
        script,
      ]
      const two = await open({ one: of(snippet('block-stderr.sh')) })
      expect(await two.fire('pre_tool_call', shell('ls'))).toMatchObject({
        verdict: 'block',
        reason: 'Dangerous command blocked: rm -rf / would destroy the system',
      })
      // The agent can make a hook late or crash, so that counts as a refusal.
      const scripts = [
        ['echo broken >&2; exit 1', 'allow'],
        ['echo broken >&2; exit 3', 'block'],
        ['echo "{not json"', 'allow'],
        ['sleep 30', 'block'],
      ] as const
      for (const [script, counts] of scripts) {
        const page = of(script)[0].replace('trigger', 'timeout: 300\ntrigger')
        const plane = await open({ one: [page, script] })
        const { verdict, hooks } = await plane.fire('pre_tool_call', shell('ls'))
        expect([script, verdict, hooks[0]?.answer?.kind]).toEqual([script, counts, 'fault'])
      }
    })
    test('the higher priority is asked first, and the first refusal ends it', async () => {
      const of = (name: string, priority: number): readonly [string, string] => [
        `---\nname: ${name}\ndescription: d\ntrigger: before_tool\npriority: ${priority}\n---\n`,
        `echo ${name} >&2; exit 2`,
      ]
      const plane = await open({ 'a-later': of('a-later', 10), 'b-first': of('b-first', 999) })
      const { reason, hooks } = await plane.fire('pre_tool_call', shell('ls'))
      expect([reason, hooks.filter(({ fired }) => fired)]).toEqual(['b-first', [expect.anything()]])
    })
    test('each of its examples of a matcher decides as it says', async () => {
      const matchers = snippet('matchers.yaml').split('\n\n')
      const pages = matchers.map(
        (matcher, index) =>
          [
            `m-${index}`,
            [
              `---\nname: m-${index}\ndescription: d\ntrigger: before_tool\n${matcher.trim()}\n---\n`,
              'exit 0',
            ],
          ] as const,
      )
      const plane = await open(Object.fromEntries(pages))
      const asked = async (tool_name: string, tool_input: JsonObject): Promise<readonly string[]> =>
        (await plane.fire('pre_tool_call', { tool_name, tool_input })).hooks.map(({ label }) => label)
      expect(await asked('bash', { command: 'ls' })).toEqual(['m-0'])
      expect(await asked('bash', { command: 'mkfs' })).toEqual(['m-0', 'm-2'])
      expect(await asked('write_file', { path: 'a.ts', content: '' })).toEqual(['m-1'])
      expect(await asked('write_file', { path: '/etc/passwd', content: '' })).toEqual(['m-3'])
    })
    test.each(['security-check.md', 'auto-format.md', 'dangerous-short.md', 'enforce-tests.md'])(
      '%s is read as it stands, or says what it lacks',
      async (name) => {
        const folder = /^name: (.*)$/m.exec(snippet(name))?.[1] ?? ''
        const plane = await open({ [folder]: [page(name), 'exit 0'] })
        expect(plane.gate.rows()).toMatchObject([{ status: 'approved' }])
        const bare = await bring(source, {
          [`.agents/hooks/${folder}/HOOK.md`]: snippet(name),
          [`.agents/hooks/${folder}/scripts/run.sh`]: '#!/bin/sh\n',
        })
        brought.push(bare)
        const [row] = bare.gate.rows()
        expect(
          row?.status === 'waiting' || /description/.test(row?.problem?.message ?? ''),
          JSON.stringify(row),
        ).toBe(true)
      },
    )
  })
})
