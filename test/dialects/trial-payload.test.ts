import { expect, test } from 'vitest'
import { DIALECTS, nativeEvent, viewFor } from '../../src/dialects/dialects.ts'
import { readTrial, trialPayload } from '../../src/dialects/trial-payload.ts'
import { FOREIGN_DIALECTS } from '../../src/core/model/hooks/dialect.ts'
import { EVENT_NAMES } from '../../src/core/model/events/event.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'
import { armed } from '../handlers/armed.ts'

const now = new Date(0)

test.each(FOREIGN_DIALECTS)('what %s itself sends at any of its events is understood whole', (name) => {
  for (const native of DIALECTS[name].events) {
    // The sample's call edits no file; see the test of edits.
    if (native.event === undefined || native.name === 'afterFileEdit') continue
    const stdin = DIALECTS[name].encode(native, syntheticPayload(native.event, '/work', now))
    const read = trialPayload(
      { event: native.event, dialect: { name, event: native.name } },
      stdin,
      '/work',
      now,
    )
    const again = 'payload' in read ? DIALECTS[name].encode(native, read.payload) : read.problem.message
    expect({ event: native.name, keys: Object.keys(again).toSorted() }).toEqual({
      event: native.name,
      keys: Object.keys(stdin).toSorted(),
    })
  }
})

test.each([
  [{}, { file_path: '/w/notes.md', edits: [{ old_string: '', new_string: 'hello' }] }],
  [
    { file_path: '/w/a.ts', edits: [{ old_string: 'x', new_string: 'y' }] },
    { file_path: '/w/a.ts', edits: [{ old_string: 'x', new_string: 'y' }] },
  ],
  [
    { file_path: '/w/a.ts', edits: [{ old_string: '', new_string: 'y' }] },
    { file_path: '/w/a.ts', edits: [{ old_string: '', new_string: 'y' }] },
  ],
])('an edit in the words of Cursor reaches its hook: %j', (given, sent) => {
  const trial = readTrial('afterFileEdit', 'cursor')
  if ('problem' in trial) expect.fail(trial.problem.message)
  const read = trialPayload(trial, given, '/w', now)
  if ('problem' in read) expect.fail(read.problem.message)
  const native = nativeEvent('cursor', 'afterFileEdit') ?? expect.fail()
  expect(DIALECTS.cursor.encode(native, read.payload)).toMatchObject(sent)
  const entry = armed('h', { event: trial.event, dialect: { name: 'cursor', event: 'afterFileEdit' } }).entry
  expect(viewFor(entry, read.payload)).toBeDefined()
})

test('every field of our own events is understood', () => {
  for (const event of EVENT_NAMES) {
    const sample = syntheticPayload(event, '/work', now)
    expect(trialPayload({ event }, sample, '/work', now)).toEqual({ payload: sample })
  }
})

test.each([
  ['pre_tool_call', undefined, { event: 'pre_tool_call' }],
  [
    'PreToolUse',
    'claude-code',
    { event: 'pre_tool_call', dialect: { name: 'claude-code', event: 'PreToolUse' } },
  ],
  [
    'pre_tool_call',
    'claude-code',
    { event: 'pre_tool_call', dialect: { name: 'claude-code', event: 'PreToolUse' } },
  ],
] as const)('%s in dialect %s is an event', (typed, dialect, meant) => {
  expect(readTrial(typed, dialect)).toEqual(meant)
})

test.each([
  ['PreToolUse', undefined, 'Did you mean "pre_tool_call"? The other name belongs to --dialect claude-code'],
  ['preToolUse', 'claude-code', 'Did you mean "PreToolUse"?'],
  ['pre_tol_call', undefined, 'Did you mean "pre_tool_call"?'],
] as const)('%s in dialect %s is none, and it is said what is meant', (typed, dialect, fix) => {
  const read = readTrial(typed, dialect)
  expect('problem' in read ? read.problem.fix : read).toContain(fix)
})
