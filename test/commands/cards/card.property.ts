import { inEnglish } from '../../../src/core/model/chat/prose.ts'
import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { card } from '../../../src/commands/cards/card.ts'
import { visibleText } from '../../../src/core/dispatcher/text/text.ts'
import { canonicalEntry } from '../../../src/core/model/approval/canonical.ts'
import type { ListedHook } from '../../../src/shared/gate/catalogue.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { tries } from '../../tries.ts'
import { anEntry } from '../../core/gatekeeper/gate-fixture.ts'
import { createBridgeService, textOf, type BridgeService } from '../rig.ts'

/** What passes for something else, cannot be seen, or could be read as a line of ours. */
const pieces = [
  'rm',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  '"',
  "'",
  '\\',
  '\\n',
  '\\u{200b}',
  '\u200b',
  '\u202e',
  '\u{1F6E1}',
  '\u{1F6E1}\uFE0F',
  '⟪',
  '⟫',
  '⇥',
  '│',
  ' · ',
  ': ',
  '=',
  'asked on: ',
  'everything',
  'env: A=b',
  'а',
  'a',
  'é',
  'e\u0301',
  '\u00A0',
  '\u3000',
  '\ud800',
  '…',
  'x'.repeat(700),
  '⏎',
  '\0',
  '|',
  '✓ approved',
]

const text = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((some) => some.join('')),
  fc.string({ maxLength: 6 }),
)

const name = fc.constantFrom('A', 'B', 'RULES_PATH', 'A_B')
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined })

/** An option that is undefined is absent, as in every entry. */
const anyEntry: fc.Arbitrary<Entry> = fc
  .record({
    event: fc.constantFrom('pre_tool_call', 'on_stop'),
    type: fc.constantFrom('command', 'process', 'http', 'builtin', 'llm'),
    command: text,
    args: fc.array(text, { maxLength: 3 }),
    shell: some(fc.constantFrom('sh', 'bash')),
    dialect: some(fc.record({ name: fc.constantFrom('claude-code', 'codex'), event: text })),
    matcher: some(fc.record({ tool: some(text), pattern: some(text), field: some(text) })),
    condition: some(text),
    timeoutMs: fc.integer({ min: 1, max: 3 }).map((seconds) => seconds * 1000),
    onError: fc.constantFrom('warn', 'block', 'ignore'),
    priority: fc.integer({ min: 0, max: 2 }),
    isAsync: fc.boolean(),
    isWarm: some(fc.constant(true)),
    cwd: some(text),
    env: fc.dictionary(name, text, { maxKeys: 3 }),
    files: fc.array(text, { maxLength: 2 }),
    root: some(text),
    headers: some(fc.dictionary(name, text, { minKeys: 1, maxKeys: 2 })),
    signWith: some(text),
    agents: some(fc.array(text, { minLength: 1, maxLength: 2 })),
    model: some(text),
    origin: text,
    description: some(text),
  })
  .map((options) => {
    const { matcher } = options
    const defined = (value: object): object =>
      Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))
    const isEmpty = matcher === undefined || Object.keys(defined(matcher)).length === 0
    const { matcher: _, ...rest } = options
    return { ...defined(rest), ...(isEmpty ? {} : { matcher: defined(matcher) }) } as Entry
  })

const rowOf = (entry: Entry): ListedHook => ({
  status: 'waiting',
  event: entry.event,
  command: entry.command,
  entry,
  unsealed: [],
  files: [],
  proposed: createHash('sha256').update(canonicalEntry(entry)).digest('hex'),
})

const none = {
  evidenceOf: () => undefined,
  handle: () => 'k7f2q',
  proposedBytes: () => undefined,
  sealedBytes: () => undefined,
  approved: () => undefined,
  shipped: () => [],
  world: { home: '/h', tmp: '/t', tmpdir: '/t' },
}

const at = { owner: 'o', address: { channel: 'c', chat_id: '1' } }

/** What may be absent from an entry. */
const optional: readonly string[] = [
  'cwd',
  'shell',
  'dialect',
  'matcher',
  'condition',
  'isWarm',
  'root',
  'headers',
  'signWith',
  'agents',
  'model',
  'description',
]

/** The one entry with one option of the other. */
const withOption = (one: Entry, other: Entry, key: string): Entry => {
  const value: unknown = Object.entries(other).find(([option]) => option === key)?.[1]
  if (value === undefined && !optional.includes(key)) return one
  const rest = Object.fromEntries(Object.entries(one).filter(([option]) => option !== key))
  return { ...rest, ...(value === undefined ? {} : { [key]: value }) } as unknown as Entry
}

/** What its owner reads of it, without the line that would tell any two apart. */
const readsAs = (entry: Entry): string => {
  const drawn = card(rowOf(entry), none, at, { isWhole: true, canTap: true, takesFiles: false })
  return inEnglish(drawn.text)
    .map((span) => ('fixed' in span ? span.fixed : visibleText(span.quoted, span.isWhole)))
    .join('')
    .replace(/\nfingerprint [0-9a-f]{16}$/, '')
}

describe('the card', () => {
  test('of two entries that differ anywhere reads differently', () => {
    fc.assert(
      fc.property(anyEntry, anyEntry, fc.nat(), (one, other, place) => {
        const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])]
        // Two that differ in one option alone are the ones that could look alike.
        for (const twin of [withOption(one, other, keys[place % keys.length] ?? 'command'), other]) {
          expect(readsAs(one) === readsAs(twin)).toBe(canonicalEntry(one) === canonicalEntry(twin))
        }
      }),
      { numRuns: tries(6000) },
    )
  }, 120_000)

  test('shows what could look like nothing, or like a word of its own', () => {
    const base = anEntry({ condition: 'x', description: 'x', model: 'x' })
    for (const option of ['condition', 'description', 'model'] as const) {
      const values = ['', ' ', '🛡', '""', '⏎', '\n', 'none']
      const read = values.map((value) => readsAs({ ...base, [option]: value }))
      expect(new Set([readsAs(base), ...read]).size, option).toBe(values.length + 1)
    }
  })
})

/** What somebody does between two looks, and what the agent does behind their back. */
type Step =
  | { readonly kind: 'propose'; readonly entries: readonly number[] }
  | { readonly kind: 'show' | 'pending' | 'list' | 'news' | 'approve' | 'diff' }

const long = ['A', 'B', 'C', 'D', 'E']
const variants = [
  '{event: pre_tool_call, command: ./guard.sh}',
  '{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never}',
  '{event: pre_tool_call, command: ./guard.sh, matcher: zzz-never, priority: 7}',
  `{event: pre_tool_call, command: ./guard.sh, env: {${long.map((name) => `${name}: ${'x'.repeat(600)}`).join(', ')}}}`,
]

describe('a typed approval', () => {
  const proposing = fc.record({
    kind: fc.constant('propose' as const),
    entries: fc.uniqueArray(fc.nat({ max: variants.length - 1 }), { minLength: 1, maxLength: 2 }),
  })
  const acting = fc.record({ kind: fc.constantFrom('show', 'pending', 'list', 'news', 'approve', 'diff') })
  const steps: fc.Arbitrary<readonly Step[]> = fc.array(
    fc.oneof({ weight: 3, arbitrary: proposing }, { weight: 5, arbitrary: acting }),
    { minLength: 3, maxLength: 14 },
  )
  const typed = '/hooks approve pre_tool_call ./guard.sh'
  const printsIn = (said: string): readonly string[] =>
    [...said.matchAll(/^fingerprint ([0-9a-f]{16})$/gm)].map(([, print = '']) => print)
  const shorten = (fingerprints: Iterable<string>): readonly string[] =>
    [...fingerprints].map((one) => one.slice(0, 16))
  const lines = {
    show: '/hooks show ./guard.sh',
    pending: '/hooks pending',
    list: '/hooks',
    diff: '/hooks diff ./guard.sh',
    approve: typed,
  } as const
  let count = 0

  const play = async (desk: BridgeService, played: readonly Step[]): Promise<void> => {
    const chat = String(1000 + count++)
    const owner = `telegram:${chat}`
    const live = (): readonly string[] => shorten(desk.gatekeeper.state().approvals.keys())
    /** The entries on the cards that this owner saw whole, and on the last of them. */
    const whole = new Set<string>()
    let last: readonly string[] | undefined
    const saw = (said: string): void => {
      // A reply may hold several cards, and one of them may be cut while the others are whole.
      const prints = said
        .split('\n\n')
        .flatMap((one) => (one.includes('⚠ Too long for one message') ? [] : printsIn(one)))
      for (const print of prints) whole.add(print)
      if (prints.length > 0) last = prints
    }
    const act = async (kind: Exclude<Step['kind'], 'propose'>): Promise<void> => {
      const rows = desk.ports.rows()
      const [first] = rows
      if (kind === 'news') {
        const place = { owner, address: { channel: 'telegram', chat_id: chat }, canTap: true }
        if (first !== undefined) saw(textOf(desk.table.cardButtons.news(first, rows, place)))
        return
      }
      const before = live()
      const said = await desk.say(lines[kind], { owner, chat })
      const sealed = live().filter((print) => !before.includes(print))
      if (sealed.length === 0) return saw(said)
      if (last !== undefined) {
        // What is approved and gone from the file has a card, too.
        const standing = shorten(rows.flatMap(({ proposed = '', live = '' }) => [proposed, live]))
        expect(sealed.filter((print) => !whole.has(print))).toEqual([])
        expect(last.filter((print) => !standing.includes(print))).toEqual([])
      }
      // A receipt shows all that it sealed.
      for (const print of sealed) whole.add(print)
      last = sealed
    }
    // Also after a play that failed.
    for (const fingerprint of desk.gatekeeper.state().approvals.keys())
      await desk.ports.revoke(fingerprint, desk.consentOf(owner))
    desk.propose(`hooks:\n  - ${variants[0]}\n`)
    for (const step of played) {
      if (step.kind !== 'propose') await act(step.kind)
      else desk.propose(`hooks:\n${step.entries.map((at) => `  - ${variants[at]}\n`).join('')}`)
    }
  }

  test('never seals what differs from what its owner was last shown', async () => {
    const desk = await createBridgeService()
    try {
      desk.fixture.write('guard.sh', '#!/bin/sh\necho one\n')
      await fc.assert(
        fc.asyncProperty(steps, (played) => play(desk, played)),
        { numRuns: tries(240) },
      )
    } finally {
      await desk.stop()
    }
  }, 240_000)
})
