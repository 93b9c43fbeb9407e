import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createGateHome } from './gate-home.ts'
import { errorOf, problemOf } from './problem-of.ts'
import { measureProcessor } from '../processor-time.ts'

const gate = createGateHome()
const { load, yaml } = gate

describe('what is wrong is told as a person can correct it', () => {
  test.each([
    ['agents: {main: {kind: openia}}', 'openai'],
    ['separation: sandbx', 'sandbox'],
    ['channels: {telegram: {mode: pulling}}', 'polling'],
    ['bridge: {unreachable: denny}', 'deny'],
  ])('%s: the nearest value is named', (text, meant) => {
    yaml(text)
    expect(problemOf(load).fix).toBe(`Did you mean "${meant}"? Correct or remove the option.`)
  })

  test('everything that is wrong is told at once, each with its line, the file before the environment', () => {
    yaml(`# a comment
agents:
  main:
    kind: openai
    base_url: ftp://x
    api_key: secret
previews: maybe
channels:
  telegram: {tken_env: A, mode: pulling}
foo: 1
bar: 2
`)
    const { problems } = errorOf(() => load({ HOOKGATE_PORT: 'x', HOOKGATE_OWNERS: '8' }))
    expect(problems.map(({ message, line }) => [line, message.replace(/, got .*/, '')])).toEqual([
      [3, 'Expected "agents.main.model" to be the name of a model'],
      [5, expect.stringMatching(/^Expected "agents.main.base_url" to be an https/)],
      [6, 'Expected only known options under "agents.main"'],
      [7, 'Expected "previews" to be true or false'],
      [9, 'Expected only known options under "channels.telegram"'],
      [9, 'Expected "channels.telegram.mode" to be polling or webhook'],
      [10, 'Expected only known options under "gate.yaml"'],
      [11, 'Expected only known options under "gate.yaml"'],
      [undefined, 'Expected HOOKGATE_PORT to be a port from 0 to 65535'],
      [undefined, 'Expected HOOKGATE_OWNERS to be a list such as telegram:7,telegram:8'],
    ])
    expect(problems[2]?.message).not.toContain('secret')
  })

  test('a file with more mistakes than anybody reads is told in a bounded list', () => {
    yaml(Array.from({ length: 500 }, (_, index) => `wrong${index}: 1\n`).join(''))
    expect(errorOf(load).problems).toHaveLength(20)
  })

  test('half a megabyte of short keys is read in a moment', () => {
    yaml(Array.from({ length: 50_000 }, (_, index) => `k${index}: 1\n`).join(''))
    const tookMs = measureProcessor()
    expect(errorOf(load).problems).toHaveLength(20)
    expect(tookMs()).toBeLessThan(7500)
  })

  test.each([
    '__proto__: {previews: true}',
    'agents: {main: {kind: demo}, __proto__: {kind: demo}}',
    'agents: {main: {kind: demo, __proto__: {user: root}}}',
  ])('a name that JavaScript treats in a special way is no option: %s', (text) => {
    yaml(text)
    expect(errorOf(load).problems).toMatchObject([
      { code: 'gate.value', message: 'Expected only known options, got "__proto__".', line: 1 },
    ])
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('constructor is an unknown option like any other', () => {
    yaml('constructor: 1')
    expect(problemOf(load).message).toBe('Expected only known options under "gate.yaml", got "constructor".')
  })
})

describe('a file that cannot be YAML is told, and stops nothing in the parser', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
    .split('')
    .map(
      (name, index) =>
        `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[index]}`).join()}]`,
    )
    .join('\n')}\n`
  test.each([
    ['a bracket that is not closed', 'channels: {web: [', /^Expected YAML, but /],
    [
      'the same key twice',
      'agents: {main: {kind: demo}}\nagents: {}\n',
      /^Expected YAML, but the key "agents" occurs twice\.$/,
    ],
    ['aliases that unfold without end', bomb, /^Expected YAML, but /],
    ['brackets without end', '['.repeat(100_000), /^Expected YAML, but /],
    [
      'a value that contains itself',
      'separation: &a [*a]\n',
      /^Expected YAML, but an alias stands inside the value that it names\.$/,
    ],
    [
      'two documents',
      'previews: true\n---\npreviews: false\n',
      /^Expected YAML, but it has more than one document\.$/,
    ],
    ['a tab in front', 'agents:\n\tmain: {kind: demo}\n', /^Expected YAML, but /],
  ])('%s', (_, text, message) => {
    yaml(text)
    expect(problemOf(load)).toMatchObject({
      code: 'gate.syntax',
      message: expect.stringMatching(message),
      fix: 'Correct the file.',
    })
  })

  test.each<[string, () => void, string]>([
    [
      'a named pipe',
      () => execFileSync('mkfifo', [path.join(gate.path(), 'gate.yaml')]),
      'not a regular file',
    ],
    ['a link', () => fs.symlinkSync('/dev/zero', path.join(gate.path(), 'gate.yaml')), 'not a regular file'],
    ['a folder', () => fs.mkdirSync(path.join(gate.path(), 'gate.yaml')), 'not a regular file'],
    ['a file that is too large', () => yaml(`# ${'x'.repeat(1_000_001)}`), 'too large'],
    ['a file of 10 MB', () => yaml('a: 1\n'.repeat(2_000_000)), 'too large'],
    [
      'a file in another encoding',
      () => fs.writeFileSync(path.join(gate.path(), 'gate.yaml'), Buffer.from('# caf\u00e9\n', 'latin1')),
      'not in UTF-8',
    ],
    [
      'a file in UTF-16',
      () =>
        fs.writeFileSync(
          path.join(gate.path(), 'gate.yaml'),
          Buffer.from('\uFEFFpreviews: true\n', 'utf16le'),
        ),
      'not in UTF-8',
    ],
  ])('%s in its place does not hang the start', (_, place, why) => {
    place()
    expect(problemOf(load)).toMatchObject({
      code: 'gate.unreadable',
      message: `Expected gate.yaml to be a readable file of at most 1 MB, but it is ${why}.`,
    })
  })
})
