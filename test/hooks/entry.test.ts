import { describe, expect, test } from 'vitest'
import { entryShape, readEntry } from '../../src/hooks/entry.ts'
import type { Entry } from '../../src/model/entry.ts'
import { EVENT_NAMES } from '../../src/model/event.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'

const origin = 'config/shell_hooks.yaml'
const read = (raw: Json) => readEntry(raw, 'hooks[0]', origin)
const least = { event: 'pre_tool_call', command: './guard.sh' }

const entryOf = (rest: JsonObject = {}): Entry => {
  const result = read({ ...least, ...rest })
  if (!('entry' in result)) throw new Error(result.problem.message)
  return result.entry
}
/** Message and fix as a person reads them, and the option that they point to. */
const refusal = (raw: Json): { readonly text: string; readonly path: string } => {
  const result = read(raw)
  if ('entry' in result) throw new Error('Expected a problem, got an entry.')
  return { text: `${result.problem.message} ${result.problem.fix}`, path: result.path.join('.') }
}
const expected = (option: string, what: string, got: string, fix = `Mend or remove "${option}".`): string => `Expected "hooks[0].${option}" to be ${what}, got ${got}. ${fix}`

test('what is not said gets its default', () => {
  expect(entryOf()).toEqual({
    event: 'pre_tool_call', type: 'command', command: './guard.sh', args: [], timeoutMs: 20_000, onError: 'warn', priority: 100,
    isAsync: false, env: {}, files: [], origin,
  })
})

test('what is said is taken over', () => {
  const said = {
    event: 'on_stop', type: 'command', command: 'python3 "./my hooks/a.py" -v', args: ['x y'], matcher: { pattern: 'done', field: 'response' }, timeout: 1.5,
    on_error: 'block', priority: 0, async: true, cwd: 'sub', env: { RULES: 'strict' }, files: ['rules.json'], name: 'guard',
  }
  expect(read(said)).toEqual({ entry: {
    event: 'on_stop', type: 'command', command: 'python3 "./my hooks/a.py" -v', args: ['x y'], matcher: { pattern: 'done', field: 'response' }, timeoutMs: 1500,
    onError: 'block', priority: 0, isAsync: true, cwd: 'sub', env: { RULES: 'strict' }, files: ['rules.json'], name: 'guard', origin,
  } })
  // A new option must be given to this test, too.
  expect(Object.keys(said).toSorted()).toEqual(Object.keys(entryShape).toSorted())
})

test('every event can be hooked', () => {
  for (const event of EVENT_NAMES) expect(read({ event, command: 'x' })).toHaveProperty('entry.event', event)
})

describe('a bad value is told in one grammar', () => {
  const command = 'a command: a path or a program with its words, at most 4000 characters'
  const env = 'names and strings (LD_*, DYLD_*, PYTHON*, GIT_*, NODE_OPTIONS, BASH_ENV, PATH, HOOKGATE_* and the like are refused)'
  const matcher = 'a regular expression (write alternatives as "a|b"), "*", or {tool, pattern, field}'
  const seconds = 'a number from 1 to 120 (seconds)'
  const priority = 'a whole number from 0 to 1000'
  const events = `The events are ${EVENT_NAMES.join(', ')}.`

  test.each<[keyof typeof entryShape, Json, string, string, string?]>([
    ['event', 'pre_tool_cal', 'the name of an event', '"pre_tool_cal" (string)', 'Did you mean "pre_tool_call"?'],
    ['event', 'PreToolUse!!', 'the name of an event', '"PreToolUse!!" (string)', events],
    ['event', 'constructor', 'the name of an event', '"constructor" (string)', events],
    ['event', ['on_stop'], 'the name of an event', '["on_stop"] (list)', events],
    ['type', 'http', '"command" (other kinds come with a later version)', '"http" (string)'],
    ['command', '', command, '"" (string)'],
    ['command', 5, command, '5 (number)'],
    ['command', ['a', 'b'], command, '["a","b"] (list)'],
    ['command', 'x'.repeat(4001), command, `"${'x'.repeat(56)}… (string)`],
    ['args', 'x', 'a list of strings', '"x" (string)'],
    ['args', [1], 'a list of strings', '[1] (list)'],
    ['matcher', 5, matcher, '5 (number)'],
    ['matcher', null, matcher, 'null (null)'],
    ['matcher', ['rm', 'dd'], matcher, '["rm","dd"] (list)'],
    ['matcher', { pattern: ['rm'] }, matcher, '{"pattern":["rm"]} (object)'],
    ['timeout', '5s', seconds, '"5s" (string)'],
    ['timeout', 0, seconds, '0 (number)'],
    ['timeout', 121, seconds, '121 (number)'],
    ['timeout', null, seconds, 'null (null)'],
    ['on_error', 'stop', 'warn, block or ignore', '"stop" (string)'],
    ['on_error', true, 'warn, block or ignore', 'true (boolean)'],
    ['priority', 1001, priority, '1001 (number)'],
    ['priority', -1, priority, '-1 (number)'],
    ['priority', 1.5, priority, '1.5 (number)'],
    ['priority', 'high', priority, '"high" (string)'],
    ['async', 'yes', 'true or false', '"yes" (string)'],
    ['cwd', '', 'a folder, relative to the workspace', '"" (string)'],
    ['cwd', 5, 'a folder, relative to the workspace', '5 (number)'],
    ['env', [], env, '[] (list)'],
    ['env', { A: 5 }, env, '{"A":5} (object)'],
    ['env', { 'A-B': 'x' }, env, '{"A-B":"x"} (object)'],
    ['env', { LD_PRELOAD: 'x.so' }, env, '{"LD_PRELOAD":"x.so"} (object)'],
    ['files', 'rules.json', 'a list of files, relative to the workspace', '"rules.json" (string)'],
    ['files', [''], 'a list of files, relative to the workspace', '[""] (list)'],
    ['name', '', 'a name of at most 80 characters', '"" (string)'],
    ['name', 'x'.repeat(81), 'a name of at most 80 characters', `"${'x'.repeat(56)}… (string)`],
  ])('%s: %j', (option, value, what, got, fix) => {
    expect(refusal({ ...least, [option]: value })).toEqual({ text: expected(option, what, got, fix), path: option })
  })

  test('what must be there and is not', () => {
    expect(refusal({ command: 'x' }).text).toBe('Expected "hooks[0].event" to be the name of an event, got nothing. Add "event: …".')
    expect(refusal({ event: 'on_stop' }).text).toBe(expected('command', command, 'nothing', 'Add "command: …".'))
  })

  test('an option that there is not', () => {
    const known = Object.keys(entryShape).join(', ')
    expect(refusal({ ...least, comand: 'x' })).toEqual({ text: `Expected "hooks[0]" to have only the options ${known}, got "comand". Did you mean "command"?`, path: 'comand' })
    expect(refusal({ ...least, zzz: 1 }).text).toContain('got "zzz". Remove it.')
    expect(refusal(JSON.parse('{"event":"on_stop","command":"x","__proto__":{"async":true}}') as Json).text).toContain('got "__proto__".')
    expect(refusal({ ...least, matcher: { patern: 'x' } })).toEqual({ text: 'Expected "hooks[0].matcher" to have only the options tool, pattern, field, got "patern". Did you mean "pattern"?', path: 'matcher.patern' })
  })

  test.each<[Json, string]>([['x', '"x" (string)'], [null, 'null (null)'], [[], '[] (list)'], [7, '7 (number)']])('%j is no hook', (raw, got) => {
    expect(refusal(raw)).toEqual({ text: `Expected "hooks[0]" to be a hook with event and command, got ${got}. Write it as "- event: …" with "command: …" under it.`, path: '' })
  })
})

describe('an environment that would replace the program', () => {
  test.each(['LD_PRELOAD', 'LD_X', 'DYLD_INSERT_LIBRARIES', 'NODE_OPTIONS', 'PYTHONPATH', 'PYTHONSTARTUP', 'BASH_ENV', 'ENV', 'PATH', 'GIT_DIR', 'HOOKGATE_CHAIN', 'IFS', 'PERL5OPT', 'RUBYOPT', '1A', ''])('%s is refused', (name) => {
    expect(refusal({ ...least, env: { [name]: 'x' } }).path).toBe('env')
  })
  test.each(['RULES', 'TZ', 'MY_PATH', 'OLD_X', '_x'])('%s is not', (name) => expect(entryOf({ env: { [name]: 'x' } }).env).toEqual({ [name]: 'x' }))
})

describe('a command is words, and no shell reads them', () => {
  test.each([
    ['./a.sh | tee log', '"|" is a shell\'s operator'],
    ['./a.sh && ./b.sh', '"&&" is a shell\'s operator'],
    ['./a.sh || true', '"||" is a shell\'s operator'],
    ['./a.sh ; ./b.sh', '";" is a shell\'s operator'],
    ['./a.sh &', '"&" is a shell\'s operator'],
    ['./a.sh > log', '">" is a shell\'s operator'],
    ['./a.sh 2>/dev/null', '"2>/dev/null" is a shell\'s operator'],
    ['./a.sh 2>&1', '"2>&1" is a shell\'s operator'],
    ['./a.sh < in', '"<" is a shell\'s operator'],
    ["./a.sh $'x'", 'which only a shell reads'],
    ['./a.sh\n./b.sh', 'it holds a line break or a NUL'],
    ['./a.sh "x', 'a quote is not closed'],
  ])('%j is refused', (command, why) => {
    const { text, path } = refusal({ ...least, command })
    expect(text).toContain(`Expected "hooks[0].command" to be words that run without a shell, but `)
    expect(text).toContain(why)
    expect(path).toBe('command')
  })
  test.each(["sh -c './a.sh | tee log'", 'python3 -c "print(1)"', "grep -q '<b>'", 'a.sh --x=1>2', './a.sh "a b" c\\ d'])('%j is taken as it is', (command) => {
    expect(entryOf({ command }).command).toBe(command)
  })
})

describe('matchers', () => {
  test.each<[Json, Json | undefined]>([
    ['rm -rf|mkfs', { pattern: 'rm -rf|mkfs' }],
    ['*', undefined],
    ['', undefined],
    [{}, undefined],
    [{ tool: '*', pattern: '*' }, undefined],
    [{ tool: 'bash', pattern: '*' }, { tool: 'bash' }],
    [{ tool: '', pattern: 'rm', field: 'tool_input.command' }, { pattern: 'rm', field: 'tool_input.command' }],
    [{ tool: 'bash', pattern: 'rm' }, { tool: 'bash', pattern: 'rm' }],
    ['rm(?! -i)', { pattern: 'rm(?! -i)' }],
  ])('%j', (matcher, read) => expect(entryOf({ matcher }).matcher).toEqual(read))

  const could = 'Expected "hooks[0].matcher" to be a regular expression that can match, but '
  test.each<[JsonObject, string]>([
    [{ matcher: 'a(' }, '"a(" (string) is none: missing closing ). Mend the pattern.'],
    [{ matcher: { tool: '[' } }, '"[" (string) is none: missing closing ]. Mend the pattern.'],
    [{ matcher: 'a{1000}' }, '"a{1000}" (string) is none: it is too costly (1002 instructions; at most 600): use smaller repeat counts. Mend the pattern.'],
    [{ matcher: { field: 'tool_input' } }, 'it names the field "tool_input" without a pattern. Add "pattern: …" or remove "field".'],
    [{ matcher: { tool: 'bash', field: 'tool_input' } }, 'it names the field "tool_input" without a pattern. Add "pattern: …" or remove "field".'],
    [{ matcher: { pattern: 'rm', field: 'tool_inputs.command' } }, 'pre_tool_call has no field "tool_inputs". Did you mean "tool_input"?'],
    [{ event: 'on_stop', matcher: { tool: 'bash' } }, 'on_stop has no tool to match. Remove "tool".'],
    [{ event: 'on_session_start', matcher: 'startup' }, 'on_session_start has nothing that is searched by itself. Write {pattern, field}; its fields are status, source, model, initial_prompt.'],
  ])('%j could never match', (raw, rest) => expect(refusal({ ...least, ...raw })).toEqual({ text: could + rest, path: 'matcher' }))

  test('a field of every payload can be named, too', () => {
    expect(entryOf({ event: 'on_session_start', matcher: { pattern: '^/work', field: 'cwd' } }).matcher).toEqual({ pattern: '^/work', field: 'cwd' })
  })
})
