import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { contractOf, EVENT_NAMES, isEventName, type EventName } from '../../src/core/model/events/event.ts'
import { BUILTINS } from '../../src/handlers/builtins/builtins.ts'
import { EFFECTS } from '../../src/handlers/builtins/guard/effects.ts'
import { judgeCall } from '../../src/handlers/builtins/guard/judge.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/model/base/json.ts'
import { expectGenerated } from './generated.ts'
import { tableOf } from './table.ts'

const page = new URL('../../config/context/references/agent-hooks.md', import.meta.url)
const skill = new URL('../../config/context/skills/agent-hooks/SKILL.md', import.meta.url)

/** A field's type, as its sample in the contract table shows it. */
const typeOf = (sample: Json): string => {
  if (Array.isArray(sample)) return sample[0] === undefined ? 'list' : `list of ${typeOf(sample[0])}`
  if (isObject(sample)) return `{${Object.keys(sample).join(', ')}}`
  return typeof sample === 'boolean' ? 'true or false' : typeof sample
}

/** tool_input's keys are the tool's own, so its sample's shape says nothing. */
const fieldOf = (event: EventName, field: string, sample: Json): string => {
  const name = contractOf(event).search.includes(field) ? `*${field}*` : field
  return field === 'tool_input' ? name : `${name} (${typeOf(sample)})`
}

const gateOf = (event: EventName): string => {
  const { gate, onBlock } = contractOf(event)
  const others = gate.filter((verdict) => verdict !== 'block')
  return (
    [...(gate.includes('block') ? [`block: ${onBlock ?? 'it does not happen'}`] : []), ...others].join(
      '; ',
    ) || '–'
  )
}

const render = (): string =>
  [
    'What each can do. "Gate" says what a verdict does there; without a gate a hook can only watch, rewrite or add context.',
    tableOf(
      ['Event', 'Fires', 'Gate', 'Rewrites', 'Context goes to'],
      EVENT_NAMES.map((event) => {
        const { when, rewrite, contextTo } = contractOf(event)
        return [`\`${event}\``, when, gateOf(event), rewrite.join(', ') || '–', contextTo ?? '–']
      }),
    ),
    'What each carries. A matcher without a field searches the fields in italics.',
    tableOf(
      ['Event', 'Fields'],
      EVENT_NAMES.map((event) => {
        const { fields, groupFields } = contractOf(event)
        const listed = (some: JsonObject): string =>
          Object.entries(some)
            .map(([field, sample]) => fieldOf(event, field, sample))
            .join(', ')
        return [
          `\`${event}\``,
          `${listed(fields)}${groupFields === undefined ? '' : `; in a group also ${listed(groupFields)}`}`,
        ]
      }),
    ),
  ].join('\n\n')

it('the reference page says of every event what the contract table says', () => {
  expectGenerated(page, 'events', render())
})

it('every event that page or skill name exists', () => {
  const named = [page, skill].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?<![\w./-])(?:on|pre|post|transform)_[a-z_]+/g)].map(
      ([name]) => name,
    ),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((name) => !isEventName(name))).toEqual([])
})

it('the page has a row for each builtin', () => {
  const text = readFileSync(page, 'utf8')
  const rows = text.slice(text.indexOf('| Builtin |'), text.indexOf('### `budget`'))
  expect(Object.keys(BUILTINS).filter((name) => !rows.includes(`\`${name}\``))).toEqual([])
})

it('the page has an example of each effect of guard_commands, which the guard asks about', () => {
  const text = readFileSync(page, 'utf8')
  const section = text.slice(text.indexOf('### `guard_commands`'), text.indexOf('### `redact_secrets`'))
  const rows = [...section.matchAll(/^\| `([\w-]+)` \| .* \| `(.+)` \|$/gm)]
  const found = rows.map(([, , command = '']) =>
    judgeCall({ tool: 'bash', input: { command: command.replaceAll('\\|', '|') }, cwd: '/srv/data/shop' }),
  )
  expect(rows.map(([, effect]) => effect)).toEqual(EFFECTS)
  expect(found.map((all) => all.map(({ effect, word }) => [effect, word]))).toEqual(
    EFFECTS.map((effect) => [[effect, 'ask']]),
  )
})

/** The first block of a page in that language. */
const firstBlock = (text: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(text)?.[1] ?? ''

/** What the guard of a page prints for a payload. A failure of the guard throws. */
const ask = (text: string, payload: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'my_guard.mjs')
  writeFileSync(file, firstBlock(text, 'js'), { mode: 0o755 })
  return execFileSync(process.execPath, [file], { input: payload, encoding: 'utf8' })
}

it('the guard on the first screen of the reference gives the answer that stands beside it', () => {
  const text = readFileSync(page, 'utf8')
  const payload = firstBlock(text, 'json')
  const [, answer = ''] = /blocks the call with this answer:\n\n```json\n(.*)\n```/.exec(text) ?? []
  expect(JSON.parse(ask(text, payload))).toEqual(JSON.parse(answer))
  expect(ask(text, payload.replace('rm -rf build', 'ls'))).toBe('')
})

it('the minimal guard of the skill blocks the first payload of its checklist and passes the second', () => {
  const text = readFileSync(skill, 'utf8')
  const payloads = [...text.matchAll(/echo '(\{.*\})' \| hookgate test/g)].map(([, payload = '']) => payload)
  const answers = payloads.map((payload) => ask(text, payload))
  expect(answers.length).toBe(2)
  expect(JSON.parse(answers[0] ?? '')).toMatchObject({ decision: 'block' })
  expect(answers[1]).toBe('')
})
