import { expect, test } from 'vitest'
import { compilePattern, maxProgramSize, searchAll, type LinearPattern } from '../../src/hooks/pattern.ts'

const linear = (source: string): LinearPattern => {
  const pattern = compilePattern(source)
  if ('wrong' in pattern || pattern.kind !== 'linear') throw new Error(`Expected "${source}" to be linear, got ${JSON.stringify(pattern)}.`)
  return pattern
}

test.each([
  ['rm -rf|mkfs', 'sudo rm -rf /', true],
  ['rm -rf', 'RM -RF', false],
  ['(?i)rm -rf', 'RM -RF', true],
  ['^rm', 'bash\ncommand\nrm x', true],
  ['x$', 'echo x\nmore', true],
  ['^rm', 'echo rm', false],
  ['\\Arm', 'bash\nrm', false],
  ['a.b', 'a\nb', false],
  ['(?s)a.b', 'a\nb', true],
  ['\\pL+', 'é', true],
  ['', 'anything', true],
])('%j in %j', (source, text, isHit) => expect(linear(source).test(text)).toBe(isHit))

test.each([
  ['a(', 'missing closing )'],
  ['[z', 'missing closing ]'],
  ['*', 'missing argument to repetition operator'],
  ['(?=a', 'Unterminated group'],
  ['a{1000}', `it is too costly (1002 instructions; at most ${maxProgramSize}): use smaller repeat counts`],
  ['((a{100}){100}){100}', 'it is too costly (1000000 instructions'],
  ['a'.repeat(1001), 'it has 1001 characters; at most 1000 are allowed'],
  // What RegExp would read otherwise than RE2 is refused, not misread.
  ['(?!x)\\pL', 'Invalid property name'],
  ['(?!x)[[:alpha:]]', 'Lone quantifier brackets'],
  ['(?!x)\\Qa', 'Invalid escape'],
])('%j is refused in one clause', (source, wrong) => {
  const refused = compilePattern(source)
  expect('wrong' in refused && refused.wrong).toContain(wrong)
  expect('wrong' in refused && refused.wrong).not.toMatch(/\n|error parsing|regular expression:/)
})

test.each([
  ['a(?!b)', 'a(?!b)', 'mu'],
  ['(a)\\1', '(a)\\1', 'mu'],
  ['(?<=x)y', '(?<=x)y', 'mu'],
  ['(?i)key(?!s)', 'key(?!s)', 'mui'],
  ['(?is)key.(?!s)', 'key.(?!s)', 'muis'],
])('%j needs backtracking', (source, rest, flags) => expect(compilePattern(source)).toEqual({ kind: 'backtracking', source: rest, flags }))

test('no pattern takes long to compile or to refuse', () => {
  const hostile = ['a{1000}', '(((a{10}){10}){10})', '((a?){30}){30}', '\\PL|', '[\\pL\\pN\\pS]', '(x+x+)+y', '(', '[', '\\', '{9', '(?:'].map((piece) => piece.repeat(Math.floor(1000 / piece.length)))
  for (const source of hostile) {
    const startedAtMs = performance.now()
    compilePattern(source)
    expect(performance.now() - startedAtMs, source.slice(0, 20)).toBeLessThan(250)
  }
})

test('patterns searched together give what each gives alone, over random patterns and texts', () => {
  let state = 42
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * below)
  }
  const atoms = ['a', 'b', 'ab', 'rm -rf', '.', '[ab]', '[^a]', '\\b', '^', '$', '\\d', '(?i)a', '(?i:B)', 'é', '\\n', '\\z', 'a?', 'b*', '(a|)', '\\Qa.\\E', '\\Qa(', '(?P<x>a)', 'a{2,3}', '(?s).', '-']
  const pieces = ['a', 'b', 'A', 'B', '\n', ' ', 'é', '1', '-', '.', '\u{1F600}', '\uD800', 'rm -rf', '(']
  const pick = (from: readonly string[], most: number): string => Array.from({ length: random(most + 1) }, () => from[random(from.length)]).join('')
  let hits = 0
  let compared = 0
  for (let round = 0; round < 10_000; round++) {
    const patterns = Array.from({ length: 1 + random(6) }, () => compilePattern(pick(atoms, 3))).flatMap((pattern) => ('wrong' in pattern || pattern.kind !== 'linear' ? [] : [pattern]))
    const search = searchAll(patterns)
    for (let texts = 0; texts < 4; texts++) {
      const text = pick(pieces, 10)
      const alone = patterns.flatMap((pattern, index) => (pattern.test(text) ? [index] : []))
      expect([...search(text)].toSorted((a, b) => a - b), JSON.stringify([patterns.map(({ source }) => source), text])).toEqual(alone)
      hits += alone.length
      compared += patterns.length
    }
  }
  expect(hits).toBeGreaterThan(compared / 10)
  expect(hits).toBeLessThan(compared * 0.9)
})
