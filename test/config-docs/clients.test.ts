import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CLIENTS } from '../../src/dialects/clients.ts'
import { GATES } from '../../src/dialects/gates.ts'
import { CLIENT_NAMES, type ClientName } from '../../src/shared/gate/client.ts'
import { expectGenerated } from './generated.ts'
import { tableOf } from './table.ts'

const page = new URL('../../config/context/references/clients.md', import.meta.url)

/** The page of foreign hooks says what differs for hooks; here only what a client itself says is repeated. */
const own: readonly ClientName[] = ['codex', 'gemini', 'kimi', 'cursor', 'opencode']

const refusal = (client: ClientName, name: string): string => {
  const { deny, goOn = {} } = GATES[client]
  return Object.hasOwn(deny, name) ? 'yes' : Object.hasOwn(goOn, name) ? 'yes, and it goes on' : 'no'
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

/** Names of one event that differ in nothing else share a row. */
const rowsOf = (client: ClientName): readonly (readonly string[])[] => {
  const rows = new Map<string, { readonly names: string[]; readonly cells: readonly string[] }>()
  for (const native of CLIENTS[client].events) {
    if (native.event === undefined) continue
    const cells = [
      `\`${native.event}\``,
      refusal(client, native.name),
      native.note === undefined || !own.includes(client) ? '–' : sentence(native.note),
    ]
    const row = rows.get(cells.join('\n')) ?? { names: [], cells }
    rows.set(cells.join('\n'), row)
    row.names.push(native.name)
  }
  return [...rows.values()].map(({ names, cells }) => [quoted(names), ...cells])
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

const waits = (client: ClientName): string => {
  const { timeoutMs, timeoutsMs = {} } = GATES[client]
  const others = Object.entries(timeoutsMs).map(([name, ms]) => `${ms / 1000} s for \`${name}\``)
  const exceptions = others.length === 0 ? '' : ` (${others.join(', ')})`
  return `When its entry sets no time, it waits ${timeoutMs / 1000} s${exceptions}`
}

const render = (): string =>
  CLIENT_NAMES.flatMap((client) => {
    const others = CLIENTS[client].events.filter(({ event }) => event === undefined).map(({ name }) => name)
    return [
      `## ${CLIENTS[client].title}`,
      `${waits(client)}.`,
      tableOf(['Its event', 'Here', 'Can be refused', 'What to know'], rowsOf(client)),
      ...(others.length === 0 ? [] : [`These events have no counterpart here: ${quoted(others)}.`]),
    ]
  }).join('\n\n')

it('the page of clients says of every event what the tables say', () =>
  expectGenerated(page, 'clients', render()))

it('every event of every client stands in the page once, under its own client', () => {
  const sections = readFileSync(page, 'utf8').split('\n## ')
  for (const client of CLIENT_NAMES) {
    const section = sections.find((part) => part.startsWith(CLIENTS[client].title)) ?? ''
    const named = section
      .split('\n')
      .filter((line) => line.startsWith('| `') || line.startsWith('These events have no counterpart'))
      .flatMap((line) => [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name))
    expect(
      named.toSorted((a = '', b = '') => a.localeCompare(b)),
      client,
    ).toEqual(CLIENTS[client].events.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b)))
  }
})
