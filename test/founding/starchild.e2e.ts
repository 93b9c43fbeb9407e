import { cpSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { EVENT_NAMES } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import { until } from '../plane.ts'
import { approveAll, bring, holds, type Brought } from './bring.ts'
import { snippetsOf } from './snippets.ts'
import { needs } from '../needs.ts'

describe('founding document 000', needs('bash', 'python3'), async () => {
  /** Founding document 000: the skill "agent-hooks" of Starchild. */
  const snippet = snippetsOf('000')
  const examples = resolve(import.meta.dirname, '../../examples')
  const brought: Brought[] = []
  afterAll(() => Promise.all(brought.map((plane) => plane.stop())))
  const open: typeof bring = async (...given) => {
    const plane = await bring(...given)
    brought.push(plane)
    return plane
  }
  const printing = (answer: JsonObject | string, end = ''): string =>
    `#!/bin/sh\ncat > /dev/null\ncat <<'END'\n${typeof answer === 'string' ? answer : JSON.stringify(answer)}\nEND\n${end}`

  describe('its configuration', () => {
    test("the YAML that names an example in Starchild's folder runs ours, approved by the line that the document gives", async () => {
      const plane = await open('hooks: []\n')
      cpSync(examples, join(plane.workspace, '.hookgate-examples'), { recursive: true })
      await plane.propose(snippet('hooks.yaml'))
      const command = './extensions/shell_hooks/examples/block_secrets.py'
      await plane.ask(`/hooks approve pre_tool_call ${command}\n/hooks on`, holds('Hooks are ON'))
      expect(await plane.list()).toMatch(/\n✓ \.\/extensions.*secrets\.py/)
      expect(await plane.card(command)).toContain('file: .hookgate-examples/block_secrets.py')
      const key = ['gh', 'p_', 'a1B2'.repeat(9)].join('')
      await plane.ask(`!echo rm -rf ${key}`, holds('I did not run bash'))
      await plane.ask('!echo rm -rf nothing', holds('rm -rf nothing'))
    })

    test('a hook over HTTP is listed as POST <url>, and what its address is is judged', async () => {
      const plane = await open(snippet('http.yaml'))
      await plane.ask('/hooks show https://my-guard.example.com/hook', holds('  POST https://my-guard'))
      for (const url of [
        'http://127.0.0.1:9/',
        'http://169.254.169.254/latest',
        'http://10.0.0.1/',
        'file:///etc/passwd',
      ]) {
        await plane.propose(snippet('http.yaml').replace('https://my-guard.example.com/hook', url))
        await until(`${url} to be refused`, () => plane.gate.rows()[0]?.problem !== undefined)
      }
    })

    test('with its variable a local service is asked, and both of its commands take the URL', async () => {
      const local = snippet('http.yaml').replace(
        'https://my-guard.example.com/hook',
        'http://127.0.0.1:9/hook',
      )
      const plane = await open(local, {}, { STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL: '1' })
      await plane.ask('/hooks approve pre_tool_call http://127.0.0.1:9/hook', holds('✓ Approved'))
      await plane.ask('/hooks revoke http://127.0.0.1:9/hook', holds('Revoked'))
    })

    test.each(['hooks.zh.yaml', 'http.zh.yaml'])(
      '%s, whose comments the translation spoilt, is refused with its line',
      async (name) => {
        const plane = await open(snippet(name))
        const said = [await plane.list(), await plane.ask('/hooks pending', holds('🛡'))]
        expect(said.join('\n')).toMatch(/config\/shell_hooks\.yaml:\d+(?::\d+)?: Expected/)
      },
    )

    test('a plain matcher on the events of a session is read', async () => {
      const hooks = ['on_session_start', 'on_session_end'].map(
        (event) => `  - {event: ${event}, matcher: "e", command: ./log.sh}`,
      )
      const plane = await open(`hooks:\n${hooks.join('\n')}\n`, { 'log.sh': '#!/bin/sh\ncat >> log\n' })
      await approveAll(plane)
      await plane.fire('on_session_start', { status: 'started', source: 'startup' })
      await plane.fire('on_session_end', { status: 'ended', reason: 'complete' })
      await until('both', async () =>
        /on_session_start[^]*on_session_end/.test(await plane.read('log').catch(() => '')),
      )
    })
  })

  describe('its minimal block example', async () => {
    const plane = await open('hooks:\n  - {event: pre_tool_call, command: ./minimal_block.sh}\n', {
      'minimal_block.sh': snippet('minimal_block.sh'),
    })
    test('is inert while the switch is on and it is not approved, and while it is approved and the switch is off', async () => {
      await plane.ask('/hooks on', holds('Hooks are ON'))
      expect(await plane.list()).toContain('1 waits for you')
      await plane.ask('!echo rm -rf /nowhere', holds('rm -rf /nowhere'))
      await plane.ask('/hooks off', holds('Hooks are OFF'))
      await plane.ask('/hooks approve pre_tool_call ./minimal_block.sh', holds('✓ Approved'))
      await plane.ask('!echo rm -rf /nowhere', holds('rm -rf /nowhere'))
    })
    test('refuses a destructive command in its own words, and lets others pass', async () => {
      await plane.ask('/hooks on', holds('Hooks are ON'))
      const refusal = 'refusing destructive command: echo rm -rf /nowhere'
      await plane.ask('!echo rm -rf /nowhere', holds('bash', refusal))
      await plane.ask('!echo hello', holds('hello'))
    })
    test('/hooks doctor tries it, an edit is told, and a revoke detaches it at once', async () => {
      expect(await plane.ask('/hooks doctor', holds('minimal_block.sh'), 30_000)).not.toContain(
        '✗ ./minimal_block.sh',
      )
      await plane.script('minimal_block.sh', '#!/bin/sh\n')
      await until('the change', () => plane.gate.rows()[0]?.status === 'changed')
      expect(await plane.list()).toContain('✓ ./minimal_block.sh: its file changed')
      await plane.ask('!echo rm -rf /nowhere', holds('I did not run bash'))
      await plane.ask('/hooks revoke ./minimal_block.sh', holds('Revoked'))
      await plane.ask('!echo rm -rf /nowhere', holds('rm -rf /nowhere'))
    })
  })

  test('STARCHILD_SHELL_HOOKS=1 forces the switch on', async () => {
    const plane = await open('hooks: []\n', {}, { STARCHILD_SHELL_HOOKS: '1' })
    expect(await plane.list()).toContain('Hooks are ON (STARCHILD_SHELL_HOOKS=1 at start)')
  })

  describe('what a script prints', async () => {
    /** The lines of the document, each with the values that it leaves out. */
    const printed = snippet('outputs')
      .split('\n')
      .map((line) => line.replace(/\s+\/\/.*/, ''))
    const [block = '', input = '', message = '', context = '', system = '', warning = ''] = printed
    const say = (text: string) => printing(text.replace('"..."', '"so it says"'))
    const events = {
      'block.sh': 'pre_tool_call',
      'input.sh': 'pre_tool_call',
      'message.sh': 'on_outbound_message',
      'context.sh': 'pre_llm_call',
      'system.sh': 'pre_tool_call',
      'warning.sh': 'pre_tool_call',
      'nothing.sh': 'pre_tool_call',
    } as const
    const matcher = (name: string): string =>
      events[name as keyof typeof events] === 'pre_llm_call' ? '' : `, matcher: "for ${name}"`
    const plane = await open(
      `hooks:\n${Object.entries(events)
        .map(([name, event]) => `  - {event: ${event}, command: ./${name}${matcher(name)}}`)
        .join('\n')}\n`,
      {
        'block.sh': say(block),
        'input.sh': printing(input.replace('{...}', '{"command": "echo rewritten", "new": "key"}')),
        'message.sh': say(message),
        'context.sh': say(context),
        'system.sh': printing(system.replace('...', 'told by system.sh')),
        'warning.sh': printing(warning.replace('...', 'told by warning.sh')),
        'nothing.sh': '#!/bin/sh\n',
      },
    )
    await approveAll(plane)

    test('a block denies, with its reason', async () =>
      void (await plane.ask('!echo for block.sh', holds('bash', 'so it says'))))
    test('tool_input rewrites existing keys', async () =>
      void (await plane.ask('!echo for input.sh', holds('rewritten'))))
    test('notification rewrites the message', async () =>
      void (await plane.ask('say for message.sh', (answer) => answer === 'so it says')))
    test('context goes to the model and not to the person', async () => {
      await plane.ask('context', holds('– so it says'))
      expect(
        plane.texts().filter((text) => text.startsWith('🛡 Note') && text.includes('pre_llm_call')),
      ).toEqual([])
    })
    test.each(['system.sh', 'warning.sh'])('%s: the call goes on, and the person is told', async (name) => {
      const from = plane.texts().length
      await plane.ask(`!echo for ${name}`, holds(`for ${name}`))
      await until('the note', () =>
        plane
          .texts()
          .slice(from)
          .find(holds('🛡', `told by ${name}`)),
      )
    })
    test('nothing lets it go on', async () =>
      void (await plane.ask('!echo for nothing.sh', holds('for nothing.sh'))))
  })

  test('a script that fails or prints no JSON lets the agent go on, one that is late stops it here, and the person is told', async () => {
    const hooks = ['fails', 'late', 'words'].map(
      (name) => `  - {event: pre_tool_call, command: ./${name}.sh, matcher: "for ${name}", timeout: 1}`,
    )
    const plane = await open(`hooks:\n${hooks.join('\n')}\n`, {
      'fails.sh': '#!/bin/sh\nexit 1\n',
      'late.sh': '#!/bin/sh\nsleep 20\n',
      'words.sh': printing('no JSON'),
    })
    await approveAll(plane)
    for (const [name, answer] of [
      ['fails', 'for fails'],
      ['late', 'did not run'],
      ['words', 'for words'],
    ] as const) {
      await plane.ask(`!echo for ${name}`, holds(answer))
      await until(`${name} to be told`, () => plane.texts().find(holds('🛡', `./${name}.sh`)))
    }
  })

  describe('answers in the words of Claude Code', async () => {
    const outputs: Readonly<Record<string, string>> = {
      deny: printing({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'so it says' },
      }),
      input: printing({ hookSpecificOutput: { updatedInput: { command: 'echo rewritten' } } }),
      stop: printing({ continue: false, stopReason: 'so it says' }),
      system: printing({ systemMessage: 'so it says', suppressOutput: true }),
      code: '#!/bin/sh\necho so it says >&2\nexit 2\n',
    }
    const hooks = Object.keys(outputs).map(
      (name) => `  - {event: pre_tool_call, command: ./${name}.sh, matcher: "for ${name}"}`,
    )
    const files = Object.fromEntries(Object.entries(outputs).map(([name, script]) => [`${name}.sh`, script]))
    const plane = await open(
      `hooks:\n${hooks.join('\n')}\n  - {event: pre_llm_call, command: ./context.sh}\n`,
      {
        ...files,
        'context.sh': printing({ hookSpecificOutput: { additionalContext: 'so it says' } }),
      },
    )
    await approveAll(plane)

    test.each(['deny', 'stop', 'code'])('%s is a block with its reason', async (name) => {
      await plane.ask(`!echo for ${name}`, holds('so it says'))
    })
    test('updatedInput rewrites', async () => void (await plane.ask('!echo for input', holds('rewritten'))))
    test('additionalContext is context', async () => void (await plane.ask('context', holds('– so it says'))))
    test('systemMessage is for the person, and suppressOutput changes nothing', async () => {
      await plane.ask('!echo for system', holds('for system'))
      await until('the note', () => plane.texts().find(holds('🛡', 'so it says')))
    })
  })

  describe('its LLM judge', () => {
    test.each(['llm_judge.py', 'llm_judge.zh.py'])(
      '%s names on its card, before it is approved, what asks a model here',
      async (name) => {
        const plane = await open('hooks:\n  - {event: on_completion_claim, command: python3 judge.py}\n', {
          'judge.py': snippet(name),
        })
        expect(await plane.card('python3 judge.py')).toContain(
          '{event: on_completion_claim, type: llm, prompt: "…"}',
        )
      },
    )
    test('and a judge of our own is refused on pre_llm_call, as the document says', async () => {
      const plane = await open('hooks:\n  - {event: pre_llm_call, type: llm, prompt: Does it leak?}\n')
      expect(plane.gate.rows()[0]).toMatchObject({ problem: expect.anything() })
    })
  })

  describe('its events', async () => {
    /** The document's table: what each script is given. */
    const given: Readonly<Record<string, readonly string[]>> = {
      pre_tool_call: ['tool_name', 'tool_input'],
      post_tool_call: ['tool_name', 'tool_result'],
      transform_tool_result: ['tool_name', 'tool_result'],
      pre_llm_call: ['system', 'last_user_message', 'model'],
      post_llm_call: ['model'],
      on_outbound_message: ['notification', 'type'],
      on_completion_claim: ['goal', 'summary', 'response', 'tool_names'],
      on_session_start: ['status'],
      on_session_end: ['status'],
    }
    const hooks = Object.keys(given).map((event) => `  - {event: ${event}, command: ./keep.sh ${event}}`)
    const plane = await open(`hooks:\n${hooks.join('\n')}\n`, { 'keep.sh': '#!/bin/sh\ncat > "$1.json"\n' })
    await approveAll(plane)

    test('are the first nine of ours', () => expect(EVENT_NAMES.slice(0, 9)).toEqual(Object.keys(given)))
    test('give a script what the table says, in a real session', async () => {
      await plane.ask('!echo hello', holds('hello'))
      await plane.ask('done with it', holds('with it'))
      plane.say('/new')
      for (const [event, fields] of Object.entries(given)) {
        const text = await until(
          event,
          async () => (await plane.read(`${event}.json`).catch(() => '')) || undefined,
        )
        expect(Object.keys(JSON.parse(text) as object), event).toEqual(
          expect.arrayContaining([...fields, 'event', 'session_id', 'agent_id', 'cwd']),
        )
      }
    })
  })

  test('a note that a hook appends to a result reaches the agent', async () => {
    const plane = await open('hooks:\n  - {event: transform_tool_result, command: ./note.sh}\n', {
      'note.sh': printing({ context: 'mind the gap' }),
    })
    await approveAll(plane)
    await plane.ask('!echo hello', holds('hello', 'mind the gap'))
  })
})
