import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import type { EventPorts } from '../../src/proposals/entry/entry-check.ts'
import { compilePattern } from '../../src/core/model/base/pattern.ts'
import { shellHooksJsonSchema } from '../../src/proposals/sources/schema.ts'
import { readShellHooks } from '../../src/proposals/sources/shell-hooks.ts'
import { subjectOf } from '../../src/core/hooks/match/subject.ts'
import { SYSTEM_NAMES } from '../../src/proposals/sources/systems.ts'
import { eventsOf } from '../examples/run-example.ts'
import { ofEach } from '../of-each.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import { PROTECTION } from '../../src/shared/hooks/protection.ts'
import { contractOf, isEventName } from '../../src/core/model/events/event.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'

const root = new URL('../../', import.meta.url)
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const ports: EventPorts = { dialects: ofEach({ events: [] }) }
const source = readShellHooks(textOf('config/shell_hooks.yaml'), 'config/shell_hooks.yaml', ports)
const entries: readonly Entry[] = source.proposed.flatMap((one) => (one.kind === 'entry' ? [one.entry] : []))
const helpers = [
  './.hookgate-examples/inject_website_reminder.sh',
  './.hookgate-examples/audit_tools.sh',
  'tell_owner',
  'mark_instructions',
]

it('the proposals that a first start copies are all valid', () => {
  expect(source.problem).toBeUndefined()
  expect(source.proposed.filter((one) => one.kind === 'invalid')).toEqual([])
  expect(entries.length).toBe(14)
})

/** The proposals that are comments, without their marks. */
const commented = textOf('config/shell_hooks.yaml')
  .split('\n')
  .filter((line) => /^ {2}# (?:- \{?event:| {2}[a-z_]+:)/.test(line))
  .map((line) => line.replace('# ', ''))

const examples = readShellHooks(['hooks:', ...commented].join('\n'), 'x', ports).proposed.flatMap((one) =>
  one.kind === 'entry' ? [one.entry] : [],
)

const programs = entries.filter(({ type }) => type === 'command')

it('what one tap approves comes first, and then what needs no program of the system', () => {
  expect(entries.slice(0, PROTECTION.length)).toEqual(PROTECTION.map(({ entry }) => entry))
  expect(entries[PROTECTION.length]?.command).toBe('redact_pii')
})

it('each proposal names a program that is shipped and can be executed, and no interpreter', () => {
  expect(entries.length - programs.length).toBe(9)
  for (const { command } of programs) {
    expect(command).toMatch(/^\.\/\.hookgate-examples\/[a-z_]+\.(?:sh|py|mjs)$/)
    const shipped = command.replace('.hookgate-', '')
    expect(statSync(new URL(shipped, root)).mode & 0o111, command).toBe(0o111)
    expect(textOf(shipped)).toMatch(/^#!\/(?:bin\/sh|usr\/bin\/env (?:python3|node))\n/)
  }
})

it('a program is sealed with the files that it imports, and they are shipped', () => {
  const named = Object.fromEntries(
    examples.filter(({ files }) => files.length > 0).map(({ command, files }) => [command, files]),
  )
  expect(named).toEqual({
    './.hookgate-examples/block_destructive.sh': ['./.hookgate-examples/shell_reader.py'],
  })
  expect(textOf('examples/shell_reader.py')).toContain('class ShellReader')
  expect(textOf('examples/block_destructive.sh')).toContain('from shell_reader import')
})

it('every guard that is shipped fails closed, on an event where that means something', () => {
  for (const { event, command, onError } of entries.filter((entry) => !helpers.includes(entry.command))) {
    expect({ command, event, onError, gate: contractOf(event).gate.includes('block') }).toEqual({
      command,
      event,
      onError: 'block',
      gate: true,
    })
  }
})

it('a commented proposal is valid as well once its marks are gone', () => {
  expect(commented.length).toBe(27)
  expect(examples).toMatchObject([
    { command: 'mark_instructions', event: 'on_user_message' },
    { command: 'mark_instructions', event: 'pre_tool_call', onError: 'block' },
    { command: 'mark_instructions', event: 'on_outbound_message', onError: 'block' },
    { command: './.hookgate-examples/ask_before_deleting.mjs', onError: 'block' },
    { command: './.hookgate-examples/block_destructive.sh', onError: 'block' },
    { command: 'tell_owner', event: 'on_stop', isAsync: true },
    { command: 'budget', limits: { day: { dollars: 5 } }, onError: 'block' },
    { command: './.hookgate-examples/llm_judge.py', timeoutMs: 45_000 },
  ])
})

it('so are the commented sources', () => {
  const commented = textOf('config/shell_hooks.yaml')
    .split('\n')
    .filter((line) => /^# (?:sources:| {2}- )/.test(line))
    .map((line) => line.replace('# ', ''))
  const { proposed, sources } = readShellHooks(commented.join('\n'), 'x', ports)
  expect(proposed).toEqual([])
  expect(sources?.map(({ system }) => system).toSorted()).toEqual([...SYSTEM_NAMES].toSorted())
})

it('an editor finds the schema of the file beside it', () => {
  const [first = ''] = textOf('config/shell_hooks.yaml').split('\n')
  const path = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? 'none'
  expect(JSON.parse(textOf(`config/${path}`))).toEqual(shellHooksJsonSchema())
})

it('the matcher of block_destructive.sh keeps no command from it that it would block', () => {
  const guard = examples.find(({ command }) => command === './.hookgate-examples/block_destructive.sh')
  const pattern = compilePattern(guard?.matcher?.pattern ?? '')
  if (!('kind' in pattern) || pattern.kind !== 'linear') throw new Error('expected a linear pattern')
  const table = /BLOCKED = r"""\n([^]*?)\n"""/.exec(textOf('examples/block_destructive.sh'))?.[1] ?? ''
  const blocked = table
    .split(/ \| |\n/)
    .map((line) => line.replaceAll(String.raw`\n`, '\n').replaceAll('¦', '|'))
  expect(blocked.length).toBeGreaterThan(60)
  const subject = (command: string): string =>
    subjectOf(
      { ...syntheticPayload('pre_tool_call', '/w', new Date(0)), tool_name: 'bash', tool_input: { command } },
      contractOf('pre_tool_call').search,
    )
  expect(blocked.filter((command) => !pattern.test(subject(command)))).toEqual([])
  for (const ordinary of ['ls -la', 'npm test', 'cat README.md'])
    expect(pattern.test(subject(ordinary)), ordinary).toBe(false)
})

it('the page names the events of each example, and the proposals keep to them', () => {
  const page = textOf('config/context/references/agent-hooks.md')
  const section = /^### The examples$([^]*?)^###? /m.exec(page)?.[1] ?? ''
  const rows = [...section.matchAll(/^\| `([\w.]+)` \| ([^|]+) \|/gm)].map(([, file = '', events = '']) => [
    file,
    [...events.matchAll(/`(\w+)`/g)].map(([, event]) => event),
  ])
  const files = readdirSync(new URL('examples', root)).filter((file) => file !== 'shell_reader.py')
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(files.map((file) => [file, eventsOf(file)])))
  for (const { command, event } of programs)
    expect(eventsOf(command.replace('./.hookgate-examples/', '')), command).toContain(event)
})

it('the switch is off as shipped', () => {
  expect(parse(textOf('config/agent.yaml'))).toEqual({ shell_hooks: { enabled: false } })
})

it('skill and reference hand over commands that name a real event', () => {
  const skill = textOf('config/context/skills/agent-hooks/SKILL.md')
  const [, head, body] = skill.split(/^---$/m)
  expect(parse(head ?? '')).toMatchObject({
    name: 'agent-hooks',
    description: expect.stringMatching(/.{50}/),
  })
  const approvals = [...(body ?? '').matchAll(/\/hooks approve ([a-z_]+) \.\//g)].map(
    ([, event]) => event ?? '',
  )
  expect(approvals.length).toBeGreaterThan(0)
  expect(approvals.filter((event) => !isEventName(event))).toEqual([])
})
