import { expect, test } from 'vitest'
import { readYaml } from '../../../src/proposals/sources/yaml.ts'
import { formatProblem } from '../../../src/shared/base/problem.ts'

const options = { file: 'x.yaml', maxChars: 10_000 }
const read = (text: string, firstLine?: number) =>
  readYaml(text, { ...options, ...(firstLine === undefined ? {} : { firstLine }) })

const rootOf = (text: string): unknown => {
  const document = read(text)
  if ('problem' in document) throw new Error(document.problem.message)
  return document.root
}

const wrong = (text: string, firstLine?: number): string => {
  const document = read(text, firstLine)
  return 'problem' in document ? formatProblem(document.problem) : 'no problem'
}

test('what it gives is JSON, whatever version and tags the text claims', () => {
  expect(rootOf('a: on\nb: yes\nc: 010\nd: ~\n')).toEqual({ a: 'on', b: 'yes', c: 10, d: null })
  expect(rootOf('%YAML 1.1\n---\na: 2020-01-01\nb: on\n')).toEqual({ a: '2020-01-01', b: 'on' })
  expect(
    rootOf('a: !!timestamp 2020-01-01\nb: !!set {x, y}\nc: !!binary aGk=\nd: !!js/function x\n'),
  ).toEqual({ a: '2020-01-01', b: { x: null, y: null }, c: 'aGk=', d: 'x' })
  expect(rootOf('a: &a {x: 1}\nb: {<<: *a}\n')).toEqual({ a: { x: 1 }, b: { '<<': { x: 1 } } })
})

test('a line is that of the value, or of the nearest around it', () => {
  const document = read('a:\n  - b: 1\n    c: [2,\n      3]\n  - &x d\n  - *x\n7: e\n')
  if ('problem' in document) throw new Error('expected a document')
  const { lineOf } = document
  expect([
    lineOf(['a', 0, 'b']),
    lineOf(['a', 0, 'c', 1]),
    lineOf(['a', 1]),
    lineOf(['a', 2, 'deeper']),
    lineOf(['7']),
    lineOf(['a', 0, 'none', 5]),
    lineOf(['none']),
  ]).toEqual([2, 4, 5, 6, 7, 2, undefined])
})

test('a part of a file has its lines counted from where it begins', () => {
  expect(wrong('a: 1\na: 2\n', 5)).toContain(
    'x.yaml:6:1: Expected YAML, but the key "a" (string) occurs twice.',
  )
  const document = read('a:\n  b: 1\n', 3)
  expect('problem' in document ? 0 : document.lineOf(['a', 'b'])).toBe(4)
})

test('bounds are told', () => {
  expect(wrong('#'.repeat(10_001))).toContain('Expected a file of at most 10000 characters, got 10001.')
  expect(wrong(`${'['.repeat(66)}${']'.repeat(66)}`)).toContain('nested too deep')
  expect(rootOf(`${'['.repeat(60)}${']'.repeat(60)}`)).toBeDefined()
  expect(wrong('1: a\n"1": b\n')).toContain('the key "1" (string) occurs twice')
})
