import { describe, expect, test } from 'vitest'
import { readShellHooks } from '../../../src/proposals/sources/shell-hooks.ts'
import { costOf, knowledge, problemOf } from './ports.ts'

const read = (text: string) => readShellHooks(text, 'hooks.yaml', knowledge)

describe('hostile files', () => {
  test('thousands of brackets are told, not a stack overflow', () => {
    for (const depth of [100, 500, 1000, 5000, 60_000]) {
      const brackets = `${'['.repeat(depth)}${']'.repeat(depth)}`
      for (const text of [
        `hooks: ${brackets}`,
        `hooks:\n  - event: on_stop\n    command: x\n    env: ${brackets}\n`,
        `x: ${brackets}\nhooks: []\n`,
      ]) {
        const { problem, proposed } = read(text)
        if (problem === undefined) expect(proposed.map(({ kind }) => kind)).toEqual(['invalid'])
        else expect(problem.message).toBe('Expected YAML, but its brackets are nested too deep to read.')
      }
    }
    expect(problemOf(read(`hooks: ${'['.repeat(5000)}${']'.repeat(5000)}`))).toContain('nested too deep')
  })

  test('no file of that size keeps the gate from its work for long', () => {
    const fill = (piece: string, head = ''): string => head + piece.repeat(Math.floor(131_000 / piece.length))
    const numbered = (line: (index: number) => string): string =>
      Array.from({ length: 28_000 }, (_, index) => line(index))
        .join('')
        .slice(0, 131_000)
    const patterns = [
      '(((a{10}){10}){10})'.repeat(19),
      '\\PL|'.repeat(240),
      '((a?){30}){30}'.repeat(10),
      '(x+x+)+y'.repeat(60),
    ]
    const files = [
      fill('- a\n', 'hooks:\n'),
      fill('['),
      fill('{a,'),
      fill('- '),
      fill('"a" '),
      fill('\t- a\n'),
      fill('}', '['),
      fill('&a ', '- '),
      numbered((index) => `a${index.toString(36)}: 1\n`),
      `{${numbered((index) => `${index.toString(36)},`)}}`,
      numbered((index) => `- &a${index} x\n- *a${index}\n`),
      ...patterns.map((pattern) =>
        fill(`- {event: on_stop, command: x, matcher: '${pattern}'}\n`, 'hooks:\n'),
      ),
    ]
    for (const file of files)
      expect(
        costOf(() => read(file)),
        file.slice(0, 80),
      ).toBeLessThan(6000)
  })
})
