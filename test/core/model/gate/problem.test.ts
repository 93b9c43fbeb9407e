import { describe, expect, test } from 'vitest'
import { got, ProblemError } from '../../../../src/core/model/gate/problem.ts'
import { formatProblem } from '../../../../src/shared/base/problem.ts'

describe('problems', () => {
  test.each<[unknown, string]>([
    ['5s', '"5s" (string)'],
    [5, '5 (number)'],
    [null, 'null (null)'],
    [undefined, 'nothing'],
    [[1, 2], '[1,2] (list)'],
    [{ a: 1 }, '{"a":1} (object)'],
    ['x'.repeat(100), `"${'x'.repeat(56)}… (string)`],
    ['a\nb', '"a\\nb" (string)'],
    [true, 'true (boolean)'],
    [() => 1, 'something (function)'],
  ])('what came is shown short, on one line, with its type: %j', (value, expected) => {
    expect(got(value)).toBe(expected)
  })

  test('are written with their place', () => {
    const problem = { code: 'x', message: 'Expected a number.', fix: 'Correct it.' }
    expect(formatProblem(problem)).toBe('Expected a number. Correct it.')
    expect(formatProblem({ ...problem, file: 'f.yaml' })).toBe('f.yaml: Expected a number. Correct it.')
    expect(formatProblem({ ...problem, file: 'f.yaml', line: 3 })).toBe(
      'f.yaml:3: Expected a number. Correct it.',
    )
    expect(formatProblem({ ...problem, file: 'f.yaml', line: 3, column: 7 })).toBe(
      'f.yaml:3:7: Expected a number. Correct it.',
    )
    expect(new ProblemError(problem)).toMatchObject({
      name: 'ProblemError',
      message: 'Expected a number.',
      problem,
    })
  })
})
