import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withHook } from '../../../src/proposals/sources/add-hook.ts'
import { readShellHooks } from '../../../src/proposals/sources/shell-hooks.ts'
import { knowledge } from './ports.ts'

const hook = { event: 'pre_tool_call', command: './guard.sh', matcher: 'rm: "x" # y' }
const added = (text: string, more: object = hook): string => {
  const edited = withHook(text, { ...more }, knowledge)
  return 'text' in edited ? edited.text : `✗ ${edited.why}`
}
const item = `  - event: pre_tool_call\n    command: ./guard.sh\n    matcher: 'rm: "x" # y'\n`

test('the file that a first start copies gets the lines of the hook, and no other line changes', () => {
  const before = readFileSync(new URL('../../../config/shell_hooks.yaml', import.meta.url), 'utf8')
  const after = added(before)
  expect(after).toContain(item)
  expect(after.replace(item, '')).toBe(before)
  expect(readShellHooks(after, 'x', knowledge).proposed).toHaveLength(
    readShellHooks(before, 'x', knowledge).proposed.length + 1,
  )
})

test.each([
  ['', `hooks:\n${item}`],
  ['hooks: []\n', `hooks:\n${item}`],
  ['# mine\nhooks:\n', `# mine\nhooks:\n${item}`],
  [
    'hooks:\n  - event: on_stop # why\n    command: ./b',
    `hooks:\n  - event: on_stop # why\n    command: ./b\n${item}`,
  ],
  [
    'hooks:\n- {event: on_stop, command: ./b} # b\n# end\nsources: [{codex: ./a}]\n',
    `hooks:\n- {event: on_stop, command: ./b} # b\n${item.replaceAll(/^ {2}/gm, '')}# end\nsources: [{codex: ./a}]\n`,
  ],
])('a hook stands behind those of %j, and comments stay', (before, after) => {
  expect(added(before)).toBe(after)
})

test('a file in another form says the same afterwards, with one hook more', () => {
  const before = '{"hooks": [{"event": "on_stop", "command": "./b"}], "sources": []}'
  const { proposed } = readShellHooks(added(before), 'x', knowledge)
  expect(proposed.map((place) => (place.kind === 'entry' ? place.entry.command : '✗'))).toEqual([
    './b',
    './guard.sh',
  ])
})

test.each([
  ['hooks: 3', hook, 'Expected "hooks" to be a list of hooks'],
  ['hooks: [', hook, 'Expected YAML'],
  ['a: &a []\nhooks: *a\n', hook, 'takes no further hook'],
  ['', { ...hook, event: 'pre_tool' }, 'to be the name of an event, got "pre_tool"'],
  ['', { ...hook, matcher: '(' }, 'is not a usable pattern'],
  ['', { ...hook, owner: 'me' }, 'to have only the options'],
  ['', { ...hook, command: 'x'.repeat(200_000) }, 'Expected'],
  [`hooks:\n${item}`, hook, 'proposes this hook already'],
])('the file %j stays as it is, and the reason is told', (before, what, why) => {
  expect(added(before, what)).toMatch(/^✗ /)
  expect(added(before, what)).toContain(why)
})

test('no text of a hook makes a second hook, or another option', () => {
  const name = 'a\n  - event: on_stop\n    command: ./evil\n# \u2028\u0085 ": - &x *y !!js'
  const after = added(`hooks:\n${item}`, { ...hook, name })
  const { proposed } = readShellHooks(after, 'x', knowledge)
  expect(proposed.map((place) => (place.kind === 'entry' ? place.entry.name : '✗'))).toEqual([
    undefined,
    name,
  ])
})
