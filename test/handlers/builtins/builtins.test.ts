import { expect, test } from 'vitest'
import { BUILTINS, builtinProblem } from '../../../src/handlers/builtins/builtins.ts'

/** The options without which such a builtin has nothing to do. */
const optionsOf = (command: string, event: string): Partial<Parameters<typeof builtinProblem>[0]> => {
  if (command === 'budget') return { limits: { day: { steps: 5 } } }
  return command === 'tell_owner' && event === 'on_user_message' ? { busyMs: 60_000 } : {}
}

test.each(Object.entries(BUILTINS))(
  '%s serves the events of its table and is refused elsewhere, with where it belongs',
  (command, { events }) => {
    const needed: Readonly<Record<string, readonly string[]>> = {
      max_iterations: ['5'],
      add_prompt_files: ['AGENTS.md'],
      add_context: ['{{ .ToolName }}'],
      ask_owner: ['Why.'],
    }
    const args = needed[command] ?? []
    for (const event of events)
      expect(builtinProblem({ command, event, args, ...optionsOf(command, event) })).toBeUndefined()
    expect(builtinProblem({ command, event: 'on_agent_switch', args })).toMatchObject({
      code: 'entry.builtin_event',
      message: expect.stringContaining(`got on_agent_switch`),
      fix: `Move it to ${events[0]}.`,
    })
  },
)

test('An unknown name is a problem with the nearest one; one that only docker-agent has says what stands in its place', () => {
  expect(builtinProblem({ command: 'add_dat', event: 'on_session_start', args: [] })).toEqual({
    code: 'entry.builtin',
    message: 'Expected the name of a builtin, got "add_dat" (string).',
    fix: 'Did you mean "add_date"?',
  })
  expect(builtinProblem({ command: 'http_post', event: 'on_session_start', args: [] })?.fix).toContain(
    'type: http',
  )
  expect(builtinProblem({ command: 'constructor', event: 'on_session_start', args: [] })?.code).toBe(
    'entry.builtin',
  )
})

test.each([
  ['max_iterations', 'pre_llm_call', []],
  ['max_iterations', 'pre_llm_call', ['0']],
  ['max_iterations', 'pre_llm_call', ['5', '6']],
  ['max_iterations', 'pre_llm_call', ['5x']],
  ['add_recent_commits', 'on_session_start', ['-1']],
  ['add_git_diff', 'on_session_start', ['--output=x']],
  ['add_prompt_files', 'on_session_start', []],
  ['add_prompt_files', 'on_session_start', ['../../x']],
  ['add_prompt_files', 'on_session_start', ['/etc/passwd']],
  ['add_prompt_files', 'on_session_start', ['a', '--deep=1']],
  ['add_date', 'on_session_start', ['x']],
  ['add_context', 'on_session_start', []],
  ['ask_owner', 'pre_tool_call', []],
  ['ask_owner', 'pre_tool_call', ['x'.repeat(501)]],
  ['add_context', 'on_session_start', ['fine', '{{ if .ToolName }}x{{ end }}']],
  ['add_context', 'on_session_start', ['{{ .Nothing }}']],
] as const)('Args that it cannot use are a problem: %s at %s with %j', (command, event, args) => {
  expect(builtinProblem({ command, event, args })).toMatchObject({
    code: 'entry.builtin_args',
    message: expect.stringContaining(`the args of ${command}`),
  })
})
