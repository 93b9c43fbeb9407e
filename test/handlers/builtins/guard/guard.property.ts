import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeCall } from '../../../../src/handlers/builtins/guard/judge.ts'
import { step, tries } from '../../../tries.ts'
import { effects } from './effects.ts'
import { harmless } from './harmless.ts'
import { wrappings } from './wrappings.ts'

const said = (command: string): 'nothing' | 'ask' | 'block' => {
  const words = judgeCall({
    tool: 'bash',
    input: { command },
    cwd: '/home/me/project',
  }).map(({ word }) => word)
  return words.includes('block') ? 'block' : words.includes('ask') ? 'ask' : 'nothing'
}
const commands = Object.values(effects).flat()

test.each(Object.entries(effects))('what does %s is stopped', (_, some) => {
  expect(some.filter((command) => said(command) === 'nothing')).toEqual([])
})

test.each(Object.entries(harmless))('daily work with %s passes', (_, some) => {
  expect(some.filter((command) => said(command) !== 'nothing')).toEqual([])
})

describe('wrapping never makes a command safer', () => {
  // The quick tier tries one command or two in each wrapping.
  test('one wrapping around each command', () => {
    const passing = wrappings.flatMap(([name, wrap], at) =>
      commands
        .filter((_, place) => (place + at) % step() === 0)
        .map((command) => wrap(command) ?? command)
        .filter((wrapped) => said(wrapped) === 'nothing')
        .map((wrapped) => `${name}: ${wrapped}`),
    )
    expect(passing).toEqual([])
  })

  test('one wrapping around another', () => {
    const some = fc.constantFrom(...wrappings)
    fc.assert(
      fc.property(fc.constantFrom(...commands), some, some, (command, [, inner], [, outer]) => {
        const wrapped = outer(inner(command) ?? command)
        if (wrapped !== undefined) expect(said(wrapped), wrapped).not.toBe('nothing')
      }),
      { numRuns: tries(4000) },
    )
  })
})
