import { conditionOf } from '../../../../src/handlers/condition/condition.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { createBacktracking } from '../../../../src/handlers/observers/backtracking.ts'
import { DIALECTS, viewFor } from '../../../../src/dialects/dialects.ts'
import { planMatches } from '../../../../src/core/hooks/match/matcher.ts'
import type { Entry, Matcher } from '../../../../src/core/model/hooks/entry.ts'
import { contractOf, EVENT_NAMES, type EventName } from '../../../../src/core/model/events/event.ts'
import type { JsonObject } from '../../../../src/core/model/base/json.ts'
import { armed, eventOf } from '../../../handlers/armed.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

const backtracking = createBacktracking(1000)
afterAll(() => backtracking.stop())

const matched = async (
  event: EventName,
  matchers: readonly (Matcher | undefined)[],
  fields: JsonObject = {},
): Promise<readonly number[]> => {
  const hooks = matchers.map((matcher, index) =>
    armed(`hook-${index}`, { event, ...(matcher === undefined ? {} : { matcher }) }),
  )
  return [
    ...(await planMatches(hooks, { searchSlowly: backtracking.test, view: viewFor, conditionOf }).match(
      eventOf(event, fields),
    )),
  ].toSorted((a, b) => a - b)
}

const isAsked = async (
  matcher: Matcher,
  fields: JsonObject,
  event: EventName = 'pre_tool_call',
): Promise<boolean> => (await matched(event, [matcher], fields)).length === 1

const bash = (command: string): JsonObject => ({ tool_name: 'bash', tool_input: { command } })

test.each([
  ['bash', ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution'], ['afterShellExecution']],
  ['bash_input', ['preToolUse', 'beforeShellExecution', 'beforeMCPExecution'], ['afterShellExecution']],
  ['read_file', ['preToolUse', 'beforeMCPExecution', 'beforeReadFile'], []],
  ['write_file', ['preToolUse', 'beforeMCPExecution'], ['afterFileEdit']],
  ['edit_file', ['preToolUse', 'beforeMCPExecution'], ['afterFileEdit']],
  ['grep', ['preToolUse', 'beforeMCPExecution'], []],
  ['a tool of its own', ['preToolUse', 'beforeMCPExecution'], []],
])('of a call of %s Cursor tells the events that are about it', (tool, before, after) => {
  const told = (event: EventName): readonly string[] =>
    DIALECTS.cursor.events
      .filter((native) => native.event === event)
      .map(({ name }) => name)
      .filter((name) => {
        const { entry } = armed('h', { event, dialect: { name: 'cursor', event: name } })
        return viewFor(entry, eventOf(event, { tool_name: tool })) !== undefined
      })
  expect(told('pre_tool_call')).toEqual(before)
  // The matcher of an event about tool servers leaves out other tools.
  expect(told('post_tool_call').filter((name) => name !== 'afterMCPExecution')).toEqual(after)
})

test('a value that no event of a system names does not bypass all of them', () => {
  const told = (kind: string, event: string): boolean =>
    viewFor(
      armed('h', { event: 'on_user_message', dialect: { name: 'docker-agent', event } }).entry,
      eventOf('on_user_message', { kind }),
    ) !== undefined
  const events = ['user_prompt_submit', 'user_steering_messages_submit', 'user_followup_submit']
  expect(events.map((event) => told('steer', event))).toEqual([false, true, false])
  expect(events.map((event) => told('odd', event))).toEqual([true, true, true])
})

test('without a matcher a hook is always asked', async () => {
  for (const event of EVENT_NAMES) expect(await matched(event, [undefined, undefined])).toEqual([0, 1])
})

test('a pattern without a field searches the fields that the contract names, and no other', async () => {
  for (const event of EVENT_NAMES) {
    const { search, fields } = contractOf(event)
    for (const field of Object.keys(fields)) {
      const value = Array.isArray(fields[field]) ? ['needle'] : 'needle'
      expect([event, field, await isAsked({ pattern: 'needle' }, { [field]: value }, event)]).toEqual([
        event,
        field,
        search.includes(field),
      ])
    }
    expect(await isAsked({ pattern: 'a/path/needle' }, { note: 'a/path/needle' }, event)).toBe(false)
  }
})

test('keys count, lists are joined by spaces, and each text is a line of its own', async () => {
  expect(await isAsked({ pattern: 'password' }, { tool_input: { password: 'x' } })).toBe(true)
  expect(await isAsked({ pattern: '^rm -rf /$' }, { tool_input: { argv: ['rm', '-rf', '/'] } })).toBe(true)
  expect(await isAsked({ pattern: '^sudo$' }, { tool_input: { a: 'x', b: 'sudo', c: 'y' } })).toBe(true)
  expect(await isAsked({ pattern: 'x y' }, { tool_input: { a: 'x', b: 'y' } })).toBe(false)
  expect(await isAsked({ pattern: '^second' }, bash('first\nsecond'))).toBe(true)
})

test('case counts, unless (?i) says otherwise', async () => {
  expect(await isAsked({ pattern: 'rm -rf' }, bash('RM -RF /'))).toBe(false)
  expect(await isAsked({ pattern: '(?i)rm -rf' }, bash('RM -RF /'))).toBe(true)
})

describe('{tool, pattern, field}', () => {
  test("the tool is searched in the tool's name only", async () => {
    expect(await isAsked({ tool: '^bash$' }, bash('ls'))).toBe(true)
    expect(await isAsked({ tool: 'write' }, bash('write'))).toBe(false)
  })

  test('all that is given must match', async () => {
    const matcher = { tool: '^bash$', pattern: 'rm', field: 'tool_input.command' }
    expect(await isAsked(matcher, bash('rm x'))).toBe(true)
    expect(await isAsked(matcher, bash('ls'))).toBe(false)
    expect(await isAsked(matcher, { ...bash('rm x'), tool_name: 'sh' })).toBe(false)
    expect(await isAsked(matcher, { tool_name: 'bash', tool_input: { note: 'rm' } })).toBe(false)
  })

  test('any field can be searched, also one that is not searched by itself', async () => {
    expect(await isAsked({ pattern: '^startup$', field: 'source' }, {}, 'on_session_start')).toBe(true)
    expect(await isAsked({ pattern: '^resume$', field: 'source' }, {}, 'on_session_start')).toBe(false)
    expect(await isAsked({ pattern: '^/work', field: 'cwd' }, {}, 'on_session_start')).toBe(false)
  })
})

describe('bounds', () => {
  test('a text that would cost too much counts as a match; the same pattern on a shorter one is decided', async () => {
    expect(await isAsked({ pattern: '[ab]{500}x' }, bash('y'.repeat(1000)))).toBe(false)
    expect(await isAsked({ pattern: '[ab]{500}x' }, bash('y'.repeat(10_000)))).toBe(true)
    expect(
      await isAsked({ pattern: '[ab]{500}x', field: 'tool_input.command' }, bash('y'.repeat(10_000))),
    ).toBe(true)
  })

  test('what is too long for a group is still decided pattern by pattern', async () => {
    const words = Array.from({ length: 30 }, (_, index) => ({ pattern: `forbidden-word-${index}!` }))
    expect(await matched('pre_tool_call', words, bash(`${'y'.repeat(20_000)} forbidden-word-7!`))).toEqual([
      7,
    ])
  })

  test('a hundred hooks on a hostile text take bounded time', async () => {
    const patterns = Array.from({ length: 100 }, (_, index) => ({
      pattern: `(a|b)*a(a|b){${10 + (index % 8)}}c${index}`,
    }))
    const tookMs = measureProcessor()
    await matched('pre_tool_call', patterns, bash('ab'.repeat(2000)))
    expect(tookMs()).toBeLessThan(stretched(5000))
  })
})

describe('patterns that need backtracking', () => {
  test('they match truly, alone and beside a linear one', async () => {
    expect(await isAsked({ pattern: 'rm(?! -i)' }, bash('rm -i x'))).toBe(false)
    expect(await isAsked({ pattern: 'rm(?! -i)' }, bash('rm x'))).toBe(true)
    expect(await isAsked({ tool: '^ba(?=sh)', pattern: 'rm' }, bash('rm x'))).toBe(true)
    expect(
      await matched('pre_tool_call', [{ pattern: 'ls' }, { pattern: 'rm(?! -i)' }, undefined], bash('rm x')),
    ).toEqual([1, 2])
    expect(await isAsked({ pattern: 'rm(?! -i)' }, bash(`rm -i ${'y'.repeat(50_000)}`))).toBe(false)
  })

  test('what does not finish counts as a match, and the loop stays free meanwhile', async () => {
    let ticks = 0
    const ticking = setInterval(() => (ticks += 1), 5)
    expect(await isAsked({ pattern: '(?=a)(a+)+$' }, bash(`${'a'.repeat(40)}!`))).toBe(true)
    clearInterval(ticking)
    expect(ticks).toBeGreaterThan(8)
  })

  test('only they make a match asynchronous', () => {
    const plan = (matcher: Matcher) =>
      planMatches([armed('a', { event: 'pre_tool_call', matcher })], {
        searchSlowly: backtracking.test,
        view: viewFor,
        conditionOf,
      }).match(eventOf('pre_tool_call'))
    expect(plan({ tool: 'bash', pattern: 'ls', field: 'tool_input.command' })).not.toBeInstanceOf(Promise)
    expect(plan({ pattern: 'ls(?! -i)' })).toBeInstanceOf(Promise)
    expect(plan({ tool: 'write', pattern: 'ls(?! -i)' })).not.toBeInstanceOf(Promise)
  })
})

describe('a hook is never silenced', () => {
  test('by a pattern that no longer compiles', async () => {
    expect(
      await matched(
        'pre_tool_call',
        [{ pattern: 'a(' }, { tool: '[', pattern: '(' }, { tool: 'bash', pattern: '(' }],
        bash('x'),
      ),
    ).toEqual([0, 1, 2])
  })

  test("by what another hook's pattern does to it: each stands for itself", async () => {
    const open = [
      { pattern: '\\Qrm -rf' },
      { pattern: '\\Qmkfs\\E' },
      { pattern: '(?i)DD IF=' },
      { pattern: '(?P<x>curl)' },
      { pattern: '(?P<x>wget)' },
      { pattern: 'a|' },
    ]
    expect(await matched('pre_tool_call', open, bash('rm -rf'))).toEqual([0, 5])
    expect(await matched('pre_tool_call', open, bash('mkfs and wget'))).toEqual([1, 4, 5])
    expect(await matched('pre_tool_call', open, bash('dd if= CURL'))).toEqual([2, 5])
  })

  test('by its place among many', async () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      index % 7 === 0 ? { tool: '^bash$', pattern: `word${index}$` } : { pattern: `word${index}$` },
    )
    for (const index of [0, 1, 7, 150, 298, 299])
      expect(await matched('pre_tool_call', many, bash(`word${index}`))).toEqual([index])
  })
})

describe("a foreign hook's matcher is tried on the names and values of its own system", () => {
  const asked = async (
    dialect: NonNullable<Entry['dialect']>,
    event: EventName,
    fields: JsonObject,
    matcher?: Matcher,
  ): Promise<boolean> =>
    (
      await planMatches([armed('a', { event, dialect, ...(matcher === undefined ? {} : { matcher }) })], {
        searchSlowly: backtracking.test,
        view: viewFor,
        conditionOf,
      }).match(eventOf(event, fields))
    ).size > 0

  test('tool and argument names', async () => {
    const docker = { name: 'docker-agent', event: 'pre_tool_use' } as const
    expect(await asked(docker, 'pre_tool_call', { tool_name: 'bash' }, { tool: '^(?:shell)$' })).toBe(true)
    expect(await asked(docker, 'pre_tool_call', { tool_name: 'bash' }, { tool: '^(?:bash)$' })).toBe(false)
    expect(
      await asked(
        { name: 'agent-hooks', event: 'before_tool' },
        'pre_tool_call',
        { tool_name: 'write_file', tool_input: { path: '/etc/passwd', content: '' } },
        { tool: 'WriteFile', pattern: '^/etc', field: 'tool_input.path' },
      ),
    ).toBe(true)
  })
  test('values', async () => {
    const claude = { name: 'claude-code', event: 'PreCompact' } as const
    expect(
      await asked(claude, 'pre_compact', { source: 'overflow' }, { pattern: '^(?:auto)$', field: 'source' }),
    ).toBe(true)
    expect(
      await asked(claude, 'pre_compact', { source: 'manual' }, { pattern: '^(?:auto)$', field: 'source' }),
    ).toBe(false)
  })
  test('where its own event would not have fired, it is not asked', async () => {
    const after = { name: 'claude-code', event: 'PostToolUse' } as const
    expect(await asked(after, 'transform_tool_result', { tool_error: false })).toBe(true)
    expect(await asked(after, 'transform_tool_result', { tool_error: true })).toBe(false)
    expect(
      await asked({ name: 'docker-agent', event: 'user_followup_submit' }, 'on_user_message', {
        kind: 'message',
      }),
    ).toBe(false)
    // A word that nobody's event is about must not pass by them all.
    expect(
      await asked({ name: 'docker-agent', event: 'user_prompt_submit' }, 'on_user_message', { kind: 'odd' }),
    ).toBe(true)
  })
})

describe('a hook for some agents', () => {
  const ofAgents = async (agents: readonly string[] | undefined, agent_id: string): Promise<boolean> => {
    const hooks = [armed('a', { event: 'pre_tool_call', ...(agents === undefined ? {} : { agents }) })]
    const payload = { ...eventOf('pre_tool_call'), agent_id }
    return (
      (
        await planMatches(hooks, { searchSlowly: backtracking.test, view: viewFor, conditionOf }).match(
          payload,
        )
      ).size === 1
    )
  }

  test.each([
    [undefined, 'main', true],
    [['main'], 'main', true],
    [['claude-code', 'main'], 'main', true],
    [['claude-code'], 'main', false],
    [['main'], 'Main', false],
  ])('%j, and the event of %s: asked %s', async (agents, agent, isAsked) => {
    expect(await ofAgents(agents, agent)).toBe(isAsked)
  })

  test('judges what hookgate itself says as well, since that may quote its agents', async () => {
    expect(await ofAgents(['main'], 'hookgate')).toBe(true)
  })
})
