import { describe, expect, test } from 'vitest'
import type { Facts } from '../../src/attack/facts.ts'
import { done, open, refused, type Forgery } from '../../src/attack/forgery.ts'
import { differences, judge, type Evidence } from '../../src/attack/judge.ts'

const forgery: Forgery = { name: 'a.b', title: 'try it', attempt: () => refused('') }
const facts = (over: Partial<Facts> = {}, gate: Facts['gate'] = { revision: 4, isOn: true }): Facts => ({
  gate,
  files: new Map([['ledger.jsonl', '600 0 abc']]),
  passing: { gate: '7 runs', hookHost: 'runs', sockets: 'main.sock 1', debugger: 'closed' },
  ...over,
})
const evidence = (over: Partial<Evidence> = {}): Evidence => ({
  changed: [],
  after: facts(),
  secrets: new Map([['feed', 'the key']]),
  isSeen: true,
  ...over,
})
const kind = (...of: Parameters<typeof judge>): string => judge(...of).kind

describe('what held is judged by the gate, whatever the attempt says of itself', () => {
  test('something that changed did not hold, even where the attempt says that it was refused', () => {
    expect(judge(forgery, refused('EACCES'), evidence({ changed: ['isOn: true → false'] }))).toMatchObject({
      kind: 'broken',
      why: 'isOn: true → false',
    })
  })
  test('a secret that was read is told by name, even where the attempt says that it was refused', () => {
    expect(judge(forgery, { ...refused('EACCES'), read: ['beef', 'feed'] }, evidence())).toMatchObject({
      kind: 'broken',
      why: 'the key was read',
    })
    expect(kind(forgery, { ...done('read'), read: ['beef'] }, evidence())).toBe('held')
  })
  test('what was carried out and changed nothing held; a way that stands open did not', () => {
    expect(kind(forgery, done('it was written'), evidence())).toBe('held')
    expect(kind(forgery, open('it can be written'), evidence())).toBe('broken')
  })
  test('a file that only the agent sees opened nothing', () => {
    expect(kind(forgery, open('it can be written'), evidence({ isSeen: false }))).toBe('held')
  })
})

describe('lockdown', () => {
  const locked = evidence({
    after: facts({}, { lockdown: 'the ledger is damaged' }),
    changed: ['lockdown: none → it'],
  })
  test('counts as held where it is the designed answer, and says so', () => {
    expect(judge({ ...forgery, answer: 'lockdown' }, done('it was written'), locked)).toMatchObject({
      kind: 'held',
      why: 'the gate went into lockdown, as it should',
    })
  })
  test('does not count where it is not designed', () => {
    expect(kind(forgery, done('it was written'), locked)).toBe('broken')
  })
  test('does not count when the harmful step passed before it', () => {
    expect(kind({ ...forgery, answer: 'lockdown' }, open('the harmful step was allowed'), locked)).toBe(
      'broken',
    )
  })
})

describe('what only a messenger’s pinned notice answers', () => {
  const rolledBack: Forgery = { ...forgery, answer: 'anchor' }
  const could = open('it can be replaced')
  test('held where one is kept, or where it locked the gate', () => {
    expect(kind(rolledBack, could, evidence({ after: facts({}, { isAnchored: true }) }))).toBe('held')
    expect(
      kind(
        rolledBack,
        done('an older one'),
        evidence({ after: facts({}, { lockdown: 'older' }), changed: ['lockdown'] }),
      ),
    ).toBe('held')
  })
  test('did not where none is', () => {
    expect(kind(rolledBack, could, evidence({ after: facts({}, { isAnchored: false }) }))).toBe('broken')
    expect(kind({ ...forgery, answer: 'lockdown' }, could, evidence())).toBe('held')
  })
})

describe('what is not as it was', () => {
  const of = (over: Partial<Facts>, hasRestarted = false): readonly string[] =>
    differences(facts(), facts(over), { hasRestarted })
  test.each<[string, Partial<Facts>, RegExp]>([
    ['the gate’s own state', { gate: { revision: 5, isOn: true } }, /^revision: 4 → 5$/],
    ['a new fact', { gate: { revision: 4, isOn: true, lockdown: 'x' } }, /^lockdown: none → "x"$/],
    ['a file’s bytes', { files: new Map([['ledger.jsonl', '600 0 abd']]) }, /^ledger\.jsonl changed$/],
    [
      'a file more',
      {
        files: new Map([
          ['ledger.jsonl', '600 0 abc'],
          ['seal/x', ''],
        ]),
      },
      /^seal\/x changed$/,
    ],
    ['a file less', { files: new Map() }, /^ledger\.jsonl changed$/],
    [
      'a frozen gate',
      { passing: { ...facts().passing, gate: '7 stopped' } },
      /^the gate’s process: 7 runs → 7 stopped$/,
    ],
    ['another socket', { passing: { ...facts().passing, sockets: 'main.sock 2' } }, /an agent’s socket/],
    [
      'an open debugger',
      { passing: { ...facts().passing, debugger: 'open' } },
      /the debugger’s port: closed → open/,
    ],
  ])('%s', (_, over, words) => {
    expect(of(over)).toEqual([expect.stringMatching(words)])
  })
  test('after a restart another process and other sockets are no difference, and a dead gate is one', () => {
    expect(of({ passing: { ...facts().passing, gate: '8 runs', sockets: 'main.sock 9' } }, true)).toEqual([])
    expect(of({ passing: { ...facts().passing, gate: '8 gone' } }, true)).toEqual([
      expect.stringContaining('gone'),
    ])
  })
})
