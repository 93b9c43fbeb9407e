import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import type { EventName } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import { until } from '../plane.ts'
import { approveAll, bring, holds } from './bring.ts'
import { foundingFile, snippetsOf } from './snippets.ts'
import { needs } from '../needs.ts'

describe('founding document 001', needs('bash', 'jq'), async () => {
  /** Founding document 001: docker-agent's example with a hook on each of its events. Its scripts want jq. */
  const session = `session-${process.pid}-${Date.now()}`
  const plane = await bring('sources:\n  - docker-agent: ./agent.yaml\n', {
    'agent.yaml': foundingFile('docker/docker-hooks.yaml'),
    'GUIDELINES.md': 'Measure twice.\n',
  })
  await approveAll(plane)
  afterAll(() => plane.stop())

  /** What a script of it wrote, as the document says where to look. It is no file of ours alone. */
  const logOf = (name: string): string => {
    try {
      return readFileSync(`/tmp/agent-${name}.log`, 'utf8')
    } catch {
      return ''
    }
  }
  const logs = (name: string, words: RegExp): Promise<string> => {
    const before = logOf(name)
    return until(`${name} to say ${words}`, () =>
      [logOf(name).slice(before.length)].find((text) => words.test(text)),
    )
  }
  const fire = (event: EventName, fields: JsonObject): Promise<Verdict> => plane.fire(event, fields, session)

  test('all 22 of its hooks are listed with where they come from, approved and live', async () => {
    expect(plane.gate.rows().map(({ status }) => status)).toEqual(
      Array.from({ length: 22 }, () => 'approved'),
    )
    expect(new Set(plane.gate.rows().map(({ entry }) => entry?.dialect?.event)).size).toBe(19)
    expect(await plane.list()).not.toContain('for you')
  })

  describe('the prompts that it says to try', () => {
    test('"Run: echo hello" is allowed', async () => void (await plane.ask('!echo hello', holds('hello'))))
    test('"Run: rm -rf /tmp/test" is denied by pre_tool_use', async () => {
      const command = `rm -rf /tmp/test-${session}`
      await plane.ask(`!${command}`, holds('bash', 'HOOK BLOCKED: dangerous command pattern detected'))
    })
    test("so is the same in a command of two lines, and behind what a shell's echo would change", async () => {
      for (const command of [
        `cd .\nrm -rf /tmp/test-${session}`,
        `printf 'a\\nb\\t\\\\'; rm -rf /tmp/test-${session}`,
      ]) {
        await plane.ask(`!${command}`, holds('I did not run bash'))
      }
    })
    test('"Run: sudo apt update" is denied by pre_tool_use', async () =>
      void (await plane.ask('!echo sudo apt update', holds('I did not run bash'))))
    test('of "List files in current dir" the ls gets -h injected, and the person is told', async () => {
      await plane.ask('!ls', holds('GUIDELINES.md'))
      await until('the note', () => plane.texts().find(holds('🛡', 'Hook modified command: added -h')))
      expect(
        await fire('pre_tool_call', { tool_name: 'bash', tool_input: { command: 'ls -l' } }),
      ).toMatchObject({ payload: { tool_input: { command: 'ls -h -l' } } })
    })
  })

  describe('the files that it says to look at', () => {
    test('agent-session.log has the start and the end of a session', async () => {
      const started = logs('session', new RegExp(`Session ${session} started`))
      const { contexts } = await fire('on_session_start', { status: 'started', source: 'startup' })
      await started
      expect(contexts.join('\n')).toContain('Session log: /tmp/agent-session.log')
      expect(contexts.join('\n')).toContain(plane.workspace)
      const ended = logs('session', new RegExp(`Session ${session} ended \\(reason: logout\\)`))
      await fire('on_session_end', { status: 'ended', reason: 'logout' })
      await ended
    })
    test('agent-prompts.log has what the person says, and who asks about logs gets a hint', async () => {
      const written = logs('prompts', new RegExp(`\\[${session}\\] where are the logs`))
      const { contexts } = await fire('on_user_message', { message: 'where are the logs', kind: 'message' })
      await written
      expect(contexts).toContain('Hook hint: agent log files live under /tmp/agent-*.log')
    })
    test('agent-llm-calls.log has each call as it begins and as it is complete', async () => {
      const begun = logs('llm-calls', new RegExp(`${session} llm call starting`))
      const { contexts } = await fire('pre_llm_call', {
        model: 'm',
        last_user_message: 'x',
        messages: [],
        iteration: 1,
        system: '',
      })
      await begun
      expect(contexts.join('\n')).toMatch(/Today's date: \d{4}-/)
      expect(contexts.join('\n')).toContain('Measure twice.')
      const complete = logs('llm-calls', new RegExp(`${session} llm call complete, content=\\d+ chars`))
      await fire('post_llm_call', { model: 'm', response: 'twelve chars' })
      await complete
    })
    test.each([
      ['turns', 'on_step_end', { reason: 'continue' }, 'turn ended \\(reason=continue\\)'],
      [
        'permissions',
        'on_permission_request',
        { tool_name: 'bash', tool_input: { command: 'make x' } },
        'permission request: make x',
      ],
      ['subagents', 'on_subagent_stop', { subagent_name: 'child', response: 'well' }, 'child='],
      ['responses', 'on_stop', { response: 'well' }, 'response length: \\d+ chars'],
      [
        'notifications',
        'on_notification',
        { level: 'warning', message: 'low on air' },
        '\\[warning\\] low on air',
      ],
      ['errors', 'on_error', { error: { message: 'no air', name: 'Error', stack: '' } }, 'error: .*no air'],
      ['max-iter', 'on_max_iterations', { iterations: 9 }, 'max-iterations: '],
      [
        'compactions',
        'post_compact',
        { source: 'manual', summary: 'short', input_tokens: 10, output_tokens: 2 },
        'compacted \\(reason=manual, 10\\+2 tokens → \\d+ chars',
      ],
    ] as const)('agent-%s.log has %s', async (name, event, fields, words) => {
      const written = logs(name, new RegExp(words))
      await fire(event, fields)
      await written
    })
    test('agent-compactions.log has a compaction before it happens, which is steered and not stopped', async () => {
      const written = logs(
        'compactions',
        /compacting \(source=overflow\)[^]*compacting \(reason=overflow, in=90, out=5, ctx=100\)|compacting \(reason=overflow, in=90, out=5, ctx=100\)[^]*compacting \(source=overflow\)/,
      )
      const { verdict, contexts } = await fire('pre_compact', {
        source: 'overflow',
        reason: '',
        input_tokens: 90,
        output_tokens: 5,
        context_limit: 100,
      })
      await written
      expect(verdict).toBe('allow')
      expect(contexts.join('\n')).toContain('please preserve any TODOs')
    })
  })

  test('a safe read-only command is permitted without a person, another is left to them', async () => {
    const ask = (command: string) =>
      fire('on_permission_request', { tool_name: 'bash', tool_input: { command } })
    expect(await ask('ls -l')).toMatchObject({ verdict: 'allow', isConsent: true })
    expect(await ask('make install')).toMatchObject({ isConsent: false })
  })

  test('the summary of a shell command reaches nobody as a block: post_tool_use is for looking', async () => {
    expect(
      await fire('post_tool_call', {
        tool_name: 'bash',
        tool_input: { command: 'ls' },
        tool_result: 'x',
        tool_error: false,
      }),
    ).toMatchObject({ verdict: 'allow' })
  })

  test("its example of a summary of one's own replaces the model's", async () => {
    const hooks = snippetsOf('001')('summary.yaml').replaceAll(/^/gm, '      ')
    const other = await bring('sources:\n  - docker-agent: ./agent.yaml\n', {
      'agent.yaml': `agents:\n  root:\n    hooks:\n${hooks}`,
    })
    await approveAll(other)
    const fired = await other.fire('pre_compact', {
      source: 'auto',
      reason: '',
      input_tokens: 1,
      output_tokens: 1,
      context_limit: 9,
    })
    expect(fired.payload).toMatchObject({
      summary: expect.stringMatching(/^Conversation summarized by the deterministic strategy\./),
    })
    await other.stop()
  })
})
