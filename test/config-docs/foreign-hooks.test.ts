import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/dialects.ts'
import { nativeOf, TOOLS } from '../../src/dialects/tools.ts'
import { FOREIGN_DIALECTS, type ForeignDialect } from '../../src/core/model/hooks/dialect.ts'
import type { NativeEvent } from '../../src/shared/hooks/dialect.ts'
import { contractOf, isEventName } from '../../src/core/model/events/event.ts'
import { expectGenerated } from './generated.ts'
import { tableOf } from './table.ts'

const page = new URL('../../config/context/references/foreign-hooks.md', import.meta.url)

const titles: Readonly<Record<ForeignDialect, string>> = {
  'claude-code': 'Claude Code',
  'docker-agent': 'docker-agent',
  'agent-hooks': 'Agent Hooks (HOOK.md)',
  copilot: 'GitHub Copilot',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  cursor: 'Cursor',
  kimi: 'Kimi Code',
  'kimi-cli': 'Kimi CLI',
  factory: 'Factory',
  'responsibleai-agent-hooks': 'Agent Hooks 0.1 (responsibleai)',
}

const sentence = (words: string): string => {
  const first = words.startsWith('hookgate') ? 'h' : words.charAt(0).toUpperCase()
  return `${first}${words.slice(1).replace(/\.$/, '')}.`
}

const whereOf = ({ where = {} }: NativeEvent): readonly string[] =>
  Object.entries(where).map(
    ([field, values]) =>
      `it fires only where ${field} is ${values.map((value) => JSON.stringify(value)).join(' or ')}`,
  )

/** Its system lets it refuse, and so can we. */
const canRefuse = ({ event, isGate }: NativeEvent): boolean =>
  isGate === true && event !== undefined && contractOf(event).gate.includes('block')

const differs = (native: NativeEvent): string =>
  [
    ...whereOf(native).map(sentence),
    ...(canRefuse(native) ? ['It can refuse.'] : []),
    ...(native.failsClosed === true ? ['A fault refuses.'] : []),
    ...(native.isTextContext === true && native.event !== undefined
      ? ['Plain text on stdout is context.']
      : []),
    ...(native.note === undefined ? [] : [sentence(native.note)]),
  ].join(' ') || '–'

const subjects: Readonly<Record<string, string>> = {
  tool_name: "the tool's name",
  tool_input: "the tool's name and arguments",
}

const matched = ({ event, matches }: NativeEvent): string =>
  event === undefined || matches === undefined ? '–' : (subjects[matches] ?? `\`${matches}\``)

/** Names of one event that differ in nothing else share a row. */
const rowsOf = (events: readonly NativeEvent[]): readonly (readonly string[])[] => {
  const rows = new Map<string, { readonly names: string[]; readonly cells: readonly string[] }>()
  for (const native of events) {
    const cells = [
      native.event === undefined ? 'none' : `\`${native.event}\``,
      matched(native),
      differs(native),
    ]
    const row = rows.get(cells.join('\n')) ?? { names: [], cells }
    rows.set(cells.join('\n'), row)
    row.names.push(native.name)
  }
  return [...rows.values()].map(({ names, cells }) => [
    names.map((name) => `\`${name}\``).join(', '),
    ...cells,
  ])
}

const seconds = (ms: number): string => `${ms / 1000} s`

const systemOf = (dialect: ForeignDialect): readonly string[] => {
  const { events, timeoutMs, shell } = DIALECTS[dialect]
  const under =
    dialect === 'agent-hooks' ? 'Its script runs without a shell.' : `A command's text runs under ${shell}.`
  return [
    `## ${titles[dialect]}`,
    `A hook may take ${seconds(timeoutMs.default)}. It can ask for another time, of at most ${seconds(timeoutMs.max)}. ${under}`,
    tableOf(['Its event', 'Here', 'A matcher is tried on', 'What to know'], rowsOf(events)),
  ]
}

type Named = NonNullable<(typeof TOOLS)[number]['names'][ForeignDialect]>

const toolOf = (named: Named | undefined): string => {
  if (named === undefined) return '–'
  const { name, also = [], keys = {}, nest, isPathFull, isPatch } = named
  const renamed = [
    ...(isPathFull === true && !Object.hasOwn(keys, 'path') ? [['path', 'path']] : []),
    ...(isPatch === true ? [['all', 'a patch in `command`']] : []),
    ...Object.entries(keys),
    ...Object.entries(nest?.names ?? {}).map(([ours, theirs]) => [
      ours,
      `${nest?.key ?? ''}${nest?.isList ? '[]' : ''}.${theirs}`,
    ]),
  ]
  const names = [name, ...also].map((one) => `\`${one}\``).join(', ')
  return renamed.length === 0
    ? names
    : `${names} (${renamed.map(([ours, theirs]) => `${String(ours)} → ${ours === 'path' && isPathFull === true ? 'absolute ' : ''}${String(theirs)}`).join(', ')})`
}

const render = (): string =>
  [
    ...FOREIGN_DIALECTS.flatMap(systemOf),
    '## Tools',
    "This table has the names that each system gives to a tool. A hook is told the first of them. The brackets have the names that the system gives to our arguments where they differ. Where they say that a path is absolute, a hook is told the path from the root, as at home: hookgate resolves it against the folder of the call and follows no links. Copilot's `toolArgs` have the path as the agent wrote it, because its guide looks for `src/` at the beginning. Codex is told a change of a file as a patch: a write as one that adds the whole file, whether it is there or not, and an edit as one of exactly the text that it names. Its matchers `Write` and `Edit` mean the same tool. A rewritten patch counts where it is one change of the same kind; any other is a fault. A tool that is not in the table keeps its name. The tools of MCP servers are `mcp__<server>__<tool>`.",
    tableOf(
      ['Here', ...FOREIGN_DIALECTS.map((dialect) => titles[dialect])],
      TOOLS.map(({ ours }) => [
        `\`${ours}\``,
        ...FOREIGN_DIALECTS.map((dialect) => toolOf(nativeOf(dialect, ours))),
      ]),
    ),
  ].join('\n\n')

it('the page of foreign hooks says of every event and tool what the tables say', () => {
  expectGenerated(page, 'systems', render())
})

it('every event of every system stands in the page once, under its own system', () => {
  const sections = readFileSync(page, 'utf8').split('\n## ')
  for (const dialect of FOREIGN_DIALECTS) {
    const section = sections.find((part) => part.startsWith(titles[dialect])) ?? ''
    const firstCells = section
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split(' | ')[0] ?? '')
    const named = firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
    expect(
      named.toSorted((a = '', b = '') => a.localeCompare(b)),
      dialect,
    ).toEqual(DIALECTS[dialect].events.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b)))
  }
})

it('every event of ours that the page names exists', () => {
  const here = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ')[1] ?? '')
  const names = here.flatMap((cell) =>
    [...cell.matchAll(/`((?:on|pre|post|transform)_[a-z_]+)`/g)].map(([, name = '']) => name),
  )
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !isEventName(name))).toEqual([])
})
