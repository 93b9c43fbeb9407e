import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { editHooks } from '../../../src/bridge/install/json-hooks.ts'
import { readJsonc, valueOf } from '../../../src/bridge/install/jsonc.ts'
import { isObject, type Json, type JsonObject } from '../../../src/core/model/base/json.ts'
import { stretched } from '../../stretched.ts'
import { tries } from '../../tries.ts'
import { measureProcessor } from '../../processor-time.ts'

const isOurs = (item: Json): boolean => isObject(item) && item['ours'] === true
const wanted = new Map<string, JsonObject>([
  ['A', { ours: true, n: 1 }],
  ['B', { ours: true, n: 2 }],
])
const values = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const settings = fc.record(
  {
    before: values,
    hooks: fc.dictionary(fc.constantFrom('A', 'B', 'C'), fc.array(values, { maxLength: 3 })),
    after: values,
  },
  { requiredKeys: [] },
)

test('Whatever stands in a file, its own values stay, ours stand once, a second time changes nothing, and taken away nothing is left', () => {
  fc.assert(
    fc.property(settings, fc.constantFrom(undefined, 2, '\t'), (file, indent) => {
      const text = JSON.stringify(file, null, indent)
      const edited = editHooks(text, { wanted, isOurs })
      const { hooks = {}, ...others } = file
      const lists = hooks as Readonly<Record<string, readonly Json[]>>
      const expected = JSON.parse(
        JSON.stringify({
          ...others,
          hooks: {
            ...lists,
            A: [...(lists['A'] ?? []), wanted.get('A')],
            B: [...(lists['B'] ?? []), wanted.get('B')],
          },
        }),
      ) as Json
      expect(JSON.parse(edited)).toEqual(expected)
      expect(editHooks(edited, { wanted, isOurs })).toBe(edited)
      const bare = JSON.parse(editHooks(edited, { wanted: new Map(), isOurs })) as JsonObject
      expect(JSON.stringify(bare)).not.toContain('"ours"')
      const kept = Object.fromEntries(
        Object.entries(lists).filter(([event, list]) => list.length > 0 || !wanted.has(event)),
      )
      expect(bare).toEqual(JSON.parse(JSON.stringify({ ...others, hooks: kept })))
    }),
    { numRuns: tries(300) },
  )
})

test('A byte order mark, line ends of Windows and a key that comes twice are kept as they are', () => {
  const text = '\uFEFF{\r\n  "hooks": 1,\r\n  "hooks": {}\r\n}\r\n'
  const edited = editHooks(text, { wanted: new Map([['A', { ours: true }]]), isOurs })
  expect(edited).toBe(
    '\uFEFF{\r\n  "hooks": 1,\r\n  "hooks": {\r\n    "A": [\r\n      {\r\n        "ours": true\r\n      }\r\n    ]\r\n  }\r\n}\r\n',
  )
})

test('What a person wrote about theirs stays beside it when ours goes', () => {
  const text = `{
  "hooks": {
    "A": [
      {"ours": true},
      // why it is there
      {"mine": 1}, // and since when
      {"ours": true}
    ],
    "B": [
      {"ours": true}
      // not yet
    ],
    // the last
    "C": [{"mine": 2} /* keep */, {"ours": true}],
    "D": [{"ours": true}]
  }
}`
  expect(editHooks(text, { wanted: new Map(), isOurs })).toBe(`{
  "hooks": {
    "A": [
      // why it is there
      {"mine": 1} // and since when
    ],
    "B": [
      // not yet
    ],
    // the last
    "C": [{"mine": 2} /* keep */ ]
  }
}`)
})

test('Reading a text is bounded, whatever it is', () => {
  for (const text of [
    '['.repeat(500_000),
    `{"a": "${'\\'.repeat(500_000)}`,
    `/*${'*'.repeat(900_000)}`,
    ' '.repeat(1_000_000),
    '{"a":1}}',
    '',
    '"\u0000',
    '// only a comment',
    `[${','.repeat(999_000)}`,
    `{"a":1}${'}'.repeat(900_000)}`,
    `[${'1 '.repeat(450_000)}`,
  ]) {
    const tookMs = measureProcessor()
    expect(() => readJsonc(text)).toThrow(/ at line \d+, column \d+/)
    expect(tookMs()).toBeLessThan(stretched(1000))
  }
})

test('Editing a text is bounded, whatever stands in it', () => {
  const full = (piece: string): string => piece.repeat(Math.floor(990_000 / piece.length)).slice(0, -1)
  for (const [text, why] of [
    [`{"hooks": {${full('"A":[],')}}}`],
    [`{"hooks": {"A": [${'{"ours":true},'.repeat(100)}]}}`, 'too many hooks of hookgate'],
  ] as const) {
    const tookMs = measureProcessor()
    const edited = (): string => editHooks(text, { wanted, isOurs })
    if (why === undefined) expect(edited()).toContain('"ours"')
    else expect(edited).toThrow(why)
    expect(tookMs()).toBeLessThan(15_000)
  }
})

test('A file without hooks stays as it is when ours go', () => {
  expect(editHooks('{"a": 1}', { wanted: new Map(), isOurs })).toBe('{"a": 1}')
})

test('A key that other programs take for a prototype is one like any other', () => {
  const text =
    '{"__proto__": {"ours": true}, "hooks": {"__proto__": [{"ours": true}], "A": [{"__proto__": 1}]}}'
  expect(valueOf(readJsonc(text))).not.toHaveProperty('ours')
  expect(JSON.parse(editHooks(text, { wanted: new Map(), isOurs }))).toEqual(
    JSON.parse('{"__proto__": {"ours": true}, "hooks": {"A": [{"__proto__": 1}]}}'),
  )
})
