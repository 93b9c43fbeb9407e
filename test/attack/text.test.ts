import { expect, test } from 'vitest'
import type { AttackResult } from '../../src/attack/judge.ts'
import { forgeries } from '../../src/attack/table.ts'
import { attackText } from '../../src/attack/text.ts'

const one = (name: string, kind: AttackResult['kind'], why = ''): AttackResult => {
  const forgery = forgeries.find((known) => known.name === name)
  if (forgery === undefined) throw new Error(`There is no forgery ${name}.`)
  return { forgery, kind, why }
}
const text = (results: readonly AttackResult[], isAll = false): string =>
  attackText(results, { separation: 'none', isAll })

test('a gate that held says so in one line, and where all of it can be read', () => {
  expect(text([one('secrets.key', 'held'), one('switch.flip', 'held'), one('signal.winch', 'untried')])).toBe(
    'The gate blocked all 2 bypasses that were tried with the agent’s rights.\n\n1 was not tried here. → hookgate attack --all',
  )
})

test('what got through for want of separation stands under what it means, with one thing to do', () => {
  expect(
    text([
      one('secrets.key', 'broken'),
      one('secrets.memory', 'broken'),
      one('signal.kill', 'broken'),
      one('folder.older', 'untried'),
      one('switch.flip', 'held'),
    ]),
  ).toBe(
    [
      'The gate blocked 1 of 4 bypasses that were tried with the agent’s rights.',
      '',
      'Nothing prevents the agent from these:',
      'It could sign as the gate, or command your bot.',
      '  ✗ read the ledger’s key',
      '  ✗ read the gate’s memory',
      'It could stop the gate: nothing would be judged, and no message would be sent.',
      '  ✗ kill the gate (SIGKILL)',
      '→ Start hookgate as root or with the service unit, or install bwrap. Then the agent cannot do any of this.',
      '',
      '1 was not tried here. → hookgate attack --all',
    ].join('\n'),
  )
})

test('what separation would not stop comes first, with what was seen', () => {
  expect(text([one('secrets.key', 'broken'), one('switch.flip', 'broken', 'isOn: true → false')])).toMatch(
    /^.*\n\n✗ change the switch in agent\.yaml\n {2}The gate should have blocked this\. Please report it: isOn: true → false\n\nNothing prevents/,
  )
})

test('where agent and gate are apart, whatever got through should have held', () => {
  const told = attackText([one('secrets.key', 'broken', 'it was read'), one('switch.flip', 'held')], {
    separation: 'users',
    isAll: false,
  })
  expect(told).toContain(
    '✗ read the ledger’s key\n  The gate should have blocked this. Please report it: it was read',
  )
  expect(told).not.toContain('Nothing prevents the agent')
})

test('all of it has one line for each', () => {
  const lines = text(
    [
      one('secrets.key', 'broken', 'it was read'),
      one('switch.flip', 'held', 'refused'),
      one('signal.winch', 'untried', 'not here'),
    ],
    true,
  ).split('\n')
  expect(lines.slice(-3)).toEqual([
    '✗ read the ledger’s key: it was read',
    '✓ change the switch in agent.yaml',
    '– send the gate a signal that means nothing (SIGWINCH): not here',
  ])
})

test('how the gate differs in the end is told, and is to be reported', () => {
  expect(
    attackText([one('secrets.key', 'held')], {
      separation: 'users',
      isAll: false,
      left: ['isOn: true → false'],
    }),
  ).toContain('✗ The gate changed during the attack. Please report it: isOn: true → false')
})

test('every title is a short phrase that begins with a verb', () => {
  for (const { title } of forgeries) expect(title).toMatch(/^[a-z].{5,78}[^.]$/)
})
