import { expect, test } from 'vitest'
import { askBuiltin } from '../../../src/handlers/builtins/ask.ts'
import { builtinProblem } from '../../../src/handlers/builtins/builtins.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'
import { wrappings } from './guard/wrappings.ts'

const call = (command: string) => ({
  ...syntheticPayload('pre_tool_call', '/data/shop', new Date(0)),
  tool_name: 'bash',
  tool_input: { command },
})

const ask = (command: string, ...args: readonly string[]): JsonObject =>
  askBuiltin([...args, 'Why.'], call(command))

const asked = { decision: 'ask', reason: 'Why.' }

test('without a program it asks about whatever it is asked about', () => {
  expect(ask('ls')).toEqual(asked)
})

test('with programs and words it asks only about a command that runs one of them with one of these', () => {
  const rules = ['runs=sudo,doas', 'runs=git push,commit']
  for (const command of ['sudo ls', 'cd a && doas -n ls', 'git -C app push', '/usr/bin/git commit -m x'])
    expect(ask(command, ...rules), command).toEqual(asked)
  for (const command of ['ls', 'git status', 'echo sudo', "echo 'git push'", 'cat sudo/push', 'pushd app'])
    expect(ask(command, ...rules), command).toEqual({})
})

test('no way to write a command hides what it runs', () => {
  const hidden = wrappings.flatMap(([name, wrap]) =>
    ['sudo id', 'git push origin main'].flatMap((command) => {
      const wrapped = wrap(command) ?? command
      return 'decision' in ask(wrapped, 'runs=sudo', 'runs=git push') ? [] : [`${name}: ${wrapped}`]
    }),
  )
  expect(hidden).toEqual([])
})

test('what cannot be read whole is asked about, and the reason says so', () => {
  const deep = `${'$('.repeat(5000)}ls${')'.repeat(5000)}`
  for (const command of [`echo "${deep}"`, 'ls; )(', 'x'.repeat(500_000)])
    expect(ask(command, 'runs=sudo')['reason']).toBe('Not all of it can be read, so it may do this: Why.')
})

test.each([
  ['a second reason', ['runs=sudo', 'a', 'b']],
  ['no reason', ['runs=sudo']],
  ['no program', ['runs=', 'a']],
  ['three parts', ['runs=git push origin', 'a']],
  ['too many', [...Array.from({ length: 11 }, () => 'runs=sudo'), 'a']],
])('args that it cannot use are a problem: %s', (_, args) => {
  expect(builtinProblem({ command: 'ask_owner', event: 'pre_tool_call', args })?.message).toContain(
    'Expected the args of ask_owner to be one text of at most 500 characters',
  )
})

test('programs are looked for only where a command is', () => {
  const entry = { command: 'ask_owner', args: ['runs=sudo', 'a'] } as const
  expect(builtinProblem({ ...entry, event: 'pre_tool_call' })).toBeUndefined()
  expect(builtinProblem({ ...entry, event: 'on_outbound_message' })?.message).toBe(
    'Expected "runs=…" only at pre_tool_call, which has a command, got it at on_outbound_message.',
  )
})
