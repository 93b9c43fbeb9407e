import { expect, test } from 'vitest'
import { subjectAt, subjectOf } from '../../../../src/core/hooks/match/subject.ts'
import { eventOf } from '../../../handlers/armed.ts'

const call = eventOf('pre_tool_call', {
  tool_name: 'bash',
  tool_input: {
    argv: ['rm', '-rf', 1, true],
    nested: { deep: { key: 'value' } },
    none: null,
    list: [{ url: 'a' }, 'b', ['c', 'd']],
    empty: '',
  },
})

test('each text stands on a line of its own, keys too; a list of words is one line', () => {
  expect(subjectOf(call, ['tool_name', 'tool_input'])).toBe(
    [
      'bash',
      'argv',
      'rm -rf 1 true',
      'nested',
      'deep',
      'key',
      'value',
      'none',
      'list',
      'url',
      'a',
      'b',
      'c d',
      'empty',
      '',
    ].join('\n'),
  )
})

test('a list of nothing is no line, so that the end of a message is the end of what is searched', () => {
  const said = eventOf('on_outbound_message', { notification: 'see my.env', parts: [] })
  expect(subjectOf(said, ['notification', 'parts'])).toBe('see my.env')
})

test('a field that is not there is no text', () => {
  expect(subjectOf(call, ['response'])).toBe('')
  expect(subjectOf(call, [])).toBe('')
})

test.each([
  ['tool_name', 'bash'],
  ['tool_input.argv', 'rm -rf 1 true'],
  ['tool_input.nested.deep.key', 'value'],
  ['tool_input.nested', 'deep\nkey\nvalue'],
  ['tool_input.list.url', 'a'],
  ['tool_input.none', ''],
  ['tool_input.missing', ''],
  ['tool_name.length', ''],
  ['tool_input.constructor', ''],
  ['tool_input.__proto__', ''],
  ['tool_input..argv', ''],
  ['attempt', '1'],
])('the text at %s', (path, text) => expect(subjectAt(call, path)).toBe(text))

test('parts of a message are found in their list', () => {
  const message = eventOf('on_outbound_message', {
    parts: [
      { field: 'caption', text: 'one' },
      { field: 'button', text: 'two' },
    ],
  })
  expect(subjectAt(message, 'parts.text')).toBe('one\ntwo')
})
