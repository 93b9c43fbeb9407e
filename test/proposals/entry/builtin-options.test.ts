import { expect, test } from 'vitest'
import { ofEach } from '../../of-each.ts'
import { readEntry } from '../../../src/proposals/entry/entry.ts'
import { builtinProblem, builtinRemarks } from '../../../src/handlers/builtins/builtins.ts'
import type { Json, JsonObject } from '../../../src/core/model/base/json.ts'

const read = (raw: JsonObject) =>
  readEntry({ type: 'builtin', ...raw }, 'hooks[0]', 'x.yaml', { dialects: ofEach({ events: [] }) })
const budget = { event: 'pre_llm_call', command: 'budget' }
const problemOf = (raw: JsonObject): string => {
  const result = read(raw)
  if ('problem' in result) return `${result.problem.message} ${result.problem.fix}`
  const problem = builtinProblem(result.entry)
  return problem === undefined ? '' : `${problem.message} ${problem.fix}`
}

test.each<[string, Json, RegExp]>([
  ['a word', { day: { dollars: 'lots' } }, /"hooks\[0\]\.limits" to be turn, session and day/],
  ['a negative number', { day: { dollars: -5 } }, /each of these a number above 0/],
  ['zero', { turn: { steps: 0 } }, /each of these a number above 0/],
  ['nothing that a number can be', { turn: { steps: Number.POSITIVE_INFINITY } }, /limits/],
  ['a list', [5], /"hooks\[0\]\.limits" to be/],
  ['an unknown span', { week: { dollars: 5 } }, /only the options turn, session, day, got "week"/],
  ['an unknown quantity', { day: { dolars: 5 } }, /"hooks\[0\]\.limits\.day".* Did you mean "dollars"\?/],
  ['no limit at all', {}, /to have a limit, got none/],
  ['an empty span', { day: {} }, /to have a limit, got none/],
])('limits that are %s are refused with words', (_name, limits, words) => {
  expect(problemOf({ ...budget, limits })).toMatch(words)
})

test.each<[JsonObject, RegExp]>([
  [{ ...budget }, /limits: \{turn/],
  [{ ...budget, limits: { day: { steps: 1 } }, price: { input: 1 } }, /input and output/],
  [{ ...budget, limits: { day: { steps: 1 } }, price: { input: -1, output: 1 } }, /input and output/],
  [{ ...budget, event: 'on_turn_end', limits: { day: { steps: 1 } } }, /budget at one of pre_llm_call/],
  [{ event: 'on_turn_end', command: 'tell_owner', limits: { day: { steps: 1 } } }, /no "limits"/],
  [
    { event: 'pre_llm_call', command: 'add_date', busy: '10m' },
    /no "busy", got one\. It belongs to the builtin tell_owner/,
  ],
  [{ event: 'on_turn_end', command: 'tell_owner', quiet: '25:00-07:00' }, /hours such as 22:00-07:00/],
  [
    { event: 'on_turn_end', command: 'tell_owner', quiet: { nobody: '22:00-07:00' } },
    /by the id of an owner/,
  ],
  [{ event: 'on_turn_end', command: 'tell_owner', busy: '10m' }, /only at on_user_message/],
  [{ event: 'on_user_message', command: 'tell_owner' }, /to have "busy"/],
  [{ event: 'on_user_message', command: 'tell_owner', busy: 'soon' }, /a duration such as 10m/],
  [
    { event: 'pre_llm_call', type: 'command', command: './x.sh', limits: { day: { steps: 1 } } },
    /"limits" belongs to type builtin/,
  ],
])('%j is refused with words', (raw, words) => {
  expect(problemOf(raw)).toMatch(words)
})

test('The options become part of the entry', () => {
  const result = read({ ...budget, limits: { day: { dollars: 5 } }, price: { input: 1, output: 2 } })
  expect(result).toMatchObject({
    entry: { limits: { day: { dollars: 5 } }, price: { input: 1, output: 2 } },
  })
  expect(
    read({ event: 'on_user_message', command: 'tell_owner', busy: '10m', quiet: '22:00-07:00' }),
  ).toMatchObject({ entry: { busyMs: 600_000, quiet: '22:00-07:00' } })
})

test('A budget says before its approval what it cannot count', () => {
  const remarks = (rest: JsonObject): string => {
    const result = read({ ...budget, ...rest })
    return 'entry' in result ? builtinRemarks(result.entry).join(' ') : result.problem.message
  }
  expect(remarks({ limits: { day: { dollars: 5 } } })).toMatch(
    /no tokens.*Without "price" it blocks.*pre_tool_call/,
  )
  expect(remarks({ event: 'pre_tool_call', limits: { day: { steps: 5 } } })).toBe('')
})
