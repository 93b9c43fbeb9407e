import { expect, test } from 'vitest'
import { readPrompt, valueAt } from '../../src/handlers/prompt.ts'
import type { ForeignDialect } from '../../src/core/model/hooks/dialect.ts'
import { measureProcessor } from '../processor-time.ts'
import { stretched } from '../stretched.ts'

const event = {
  tool_name: 'shell',
  tool_input: { cmd: 'ls -la', deep: { list: [1] } },
  messages: [],
  session_id: 's',
}
const filled = (text: string, dialect?: ForeignDialect): string | undefined => {
  const prompt = readPrompt(text, dialect)
  return 'wrong' in prompt
    ? undefined
    : prompt.parts.map((part) => ('text' in part ? part.text : valueAt(event, part))).join('')
}

test.each([
  ['Judge $ARGUMENTS now', `Judge ${JSON.stringify(event)} now`],
  ['It costs \\$1.00, \\$ARGUMENTS', 'It costs $1.00, $ARGUMENTS'],
  ['{{ .ToolName }}', '{{ .ToolName }}'],
])('Claude Code: %j', (text, expected) => expect(filled(text, 'claude-code')).toBe(expected))

test.each([
  ['Tool: {{ .ToolName }}', 'Tool: shell'],
  ['{{.ToolName}}/{{ .SessionID }}', 'shell/s'],
  ['{{ .ToolInput.cmd }}', 'ls -la'],
  ['{{ toJSON .ToolInput.deep }}', '{"list":[1]}'],
  ['{{ .ToolInput | toJSON }}', JSON.stringify(event.tool_input)],
  ['{{ .ToolInput | toJSON | truncate 5 }}', '{"cmd'],
  ['{{ truncate 2 .ToolName }}', 'sh'],
  ['{{ truncate 3 (toJSON .ToolInput) }}', '{"c'],
  ['a {{- .ToolName -}} b', 'ashellb'],
  ['{{/* why */}}x', 'x'],
  ['{{ .Prompt }}|{{ toJSON .Prompt }}', '|null'],
  ['$ARGUMENTS', '$ARGUMENTS'],
  ['{{ . }}', JSON.stringify(event)],
])('docker-agent: %j', (text, expected) => expect(filled(text, 'docker-agent')).toBe(expected))

test.each([
  '{{ if .ToolName }}x{{ end }}',
  '{{ .Unknown }}',
  '{{ range .Messages }}',
  '{{ printf "%s" .ToolName }}',
  '{{ .ToolName',
  '{{ toJSON }}',
  '{{ truncate .ToolName }}',
  '{{ truncate 1e9 .ToolName }}',
  '{{ .ToolName | html }}',
  '{{ $x := .ToolName }}',
  '{{}}',
  '{{ .constructor }}',
  '{{ toJSON .ToolName | .ToolName }}',
])('docker-agent: %j is named as what is not understood', (text) => {
  expect(readPrompt(`before ${text} after`, 'docker-agent')).toEqual({
    wrong: expect.stringContaining(text.slice(0, 10)),
  })
})

test('a prompt of ours is text, whatever stands in it', () =>
  expect(filled('{{ .ToolName }} $ARGUMENTS')).toBe('{{ .ToolName }} $ARGUMENTS'))

test('reading a template has a bounded cost', () => {
  for (const text of [
    '{{'.repeat(4000),
    '{{ '.repeat(2600),
    `{{${' '.repeat(8000)}`,
    `{{ .ToolName ${'|'.repeat(7900)} }}`,
    `{{-${'\n'.repeat(7000)}-}}`,
    '{{}'.repeat(2600),
  ]) {
    const tookMs = measureProcessor()
    readPrompt(text, 'docker-agent')
    expect(tookMs(), text.slice(0, 8)).toBeLessThan(stretched(2000))
  }
})
