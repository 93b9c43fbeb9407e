import { expect, test } from 'vitest'
import { compilePattern } from '../../../../src/core/model/base/pattern.ts'

test('no pattern takes long to compile or to refuse', () => {
  const hostile = [
    'a{1000}',
    '(((a{10}){10}){10})',
    '((a?){30}){30}',
    '\\PL|',
    '[\\pL\\pN\\pS]',
    '(x+x+)+y',
    '(',
    '[',
    '\\',
    '{9',
    '(?:',
  ].map((piece) => piece.repeat(Math.floor(1000 / piece.length)))
  for (const source of hostile) {
    const startedAtMs = performance.now()
    compilePattern(source)
    expect(performance.now() - startedAtMs, source.slice(0, 20)).toBeLessThan(250)
  }
})
