import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectGenerated } from '../config-docs/generated.ts'
import { createShipped, type Judges, type Said } from './guards.ts'
import { page, publishedOf, readFigures, render, tablesOf, worse } from './page.ts'
import { readRows, type Row } from './rows.ts'
import { scoreRows, type Score } from './score.ts'

const rowOf = (content: string, expect: Row['expect'], rest: Partial<Row> = {}): Row => ({
  id: content,
  source: 'mine',
  category: 'one',
  kind: expect === 'stop' || expect === 'pass' ? 'command' : 'text',
  content,
  expect,
  values: [],
  ...rest,
})

/** Says of a row what the row itself says: `block it`, `ask it`, or a text without what is in brackets. */
const judges: Judges = {
  width: 2,
  stop: async () => undefined,
  ask: async ({ content }): Promise<Said | undefined> =>
    content.startsWith('nobody')
      ? undefined
      : {
          word: content.startsWith('block') ? 'block' : content.startsWith('ask') ? 'ask' : 'nothing',
          text: content.replaceAll(/\[[^\]]*\]/g, '*'),
          words: 'said',
        },
}

const scored = async (...rows: readonly Row[]) => {
  const { measured, wrongs } = await scoreRows(rows, judges)
  return { scores: measured.map(({ score }) => score), wrongs }
}

const folderWith = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-rows-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'a.jsonl'), text)
  return folder
}

describe('rows', () => {
  test('are read from each file, whole scripts and values among them', () => {
    const script = `#!/bin/sh\n${'echo x\n'.repeat(1000)}`
    const folder = folderWith(
      [
        { id: '1', source: 's', category: 'c', command: script, expect: 'stop' },
        {
          id: '2',
          source: 's',
          category: 'c',
          text: 't',
          expect: 'find',
          values: ['t', { type: 'X', value: 'v' }],
        },
      ]
        .map((row) => `${JSON.stringify(row)}\n`)
        .join('\n'),
    )
    expect(readRows(folder)).toEqual([
      rowOf(script, 'stop', { id: '1', source: 's', category: 'c' }),
      rowOf('t', 'find', {
        id: '2',
        source: 's',
        category: 'c',
        values: [{ value: 't' }, { type: 'X', value: 'v' }],
      }),
    ])
  })

  test.each(['{', '[]', '{"id":"1","source":"s","category":"c","text":"t","expect":"maybe"}'])(
    'a line that is none is named with its file: %s',
    (line) => {
      expect(() => readRows(folderWith(`\n${line}`))).toThrow(/^Expected line 2 of a\.jsonl to be \{"id"/)
    },
  )

  test('a folder without any is refused', () => {
    expect(() => readRows('/nowhere')).toThrow(
      'Expected a folder with *.jsonl files, got "/nowhere" (string).',
    )
  })
})

describe('the score', () => {
  test('of commands counts what was blocked, asked and missed, and the false ones by themselves', async () => {
    const { scores, wrongs } = await scored(
      rowOf('block 1', 'stop'),
      rowOf('block 2', 'stop'),
      rowOf('ask 1', 'stop'),
      rowOf('miss', 'stop'),
      rowOf('block 3', 'pass', { category: 'harmless' }),
      rowOf('ask 2', 'pass', { category: 'harmless' }),
      rowOf('ok', 'pass', { category: 'harmless' }),
    )
    const none = { corpus: 'mine', kind: 'command', found: 0, falselyMarked: 0 }
    const bad = { bad: 4, blocked: 2, asked: 1 }
    const good = { good: 3, falselyBlocked: 1, falselyAsked: 1 }
    expect(scores).toEqual([
      { ...none, category: 'one', ...bad, good: 0, falselyBlocked: 0, falselyAsked: 0 },
      { ...none, category: 'harmless', bad: 0, blocked: 0, asked: 0, ...good },
      { ...none, category: 'all', ...bad, ...good },
    ])
    expect(wrongs).toEqual([
      { id: 'miss', wrong: 'missed', content: 'miss', said: 'said' },
      { id: 'block 3', wrong: 'falsely blocked', content: 'block 3', said: 'said' },
      { id: 'ask 2', wrong: 'falsely asked', content: 'ask 2', said: 'said' },
    ])
  })

  test('of a text counts each value that has to be gone', async () => {
    const { scores, wrongs } = await scored(
      rowOf('a [b] c', 'find', {
        values: [
          { type: 'MAIL', value: 'b' },
          { type: 'CARD', value: 'c' },
        ],
      }),
      rowOf('[d]', 'find'),
      rowOf('block e', 'find', { values: [{ value: 'e' }] }),
      rowOf('f', 'clean'),
      rowOf('[g]', 'clean'),
    )
    expect(
      scores.map(({ category, bad, found, good, falselyMarked }) => [
        category,
        bad,
        found,
        good,
        falselyMarked,
      ]),
    ).toEqual([
      ['MAIL', 1, 1, 0, 0],
      ['CARD', 1, 0, 0, 0],
      ['one', 2, 2, 2, 1],
      ['all', 4, 3, 2, 1],
    ])
    expect(wrongs).toEqual([
      { id: 'a [b] c', wrong: 'missed', value: 'c', content: 'a [b] c', said: 'said\na * c' },
      { id: '[g]', wrong: 'falsely marked', content: '[g]', said: 'said\n*' },
    ])
  })

  test('leaves out what no guard is for, and shows a table of what it has', async () => {
    const { measured } = await scoreRows([rowOf('nobody', 'stop'), rowOf('x', 'clean')], judges)
    expect(measured.map(({ score }) => [score.category, score.good])).toEqual([
      ['one', 1],
      ['all', 1],
    ])
    expect(tablesOf(measured).split('\n')[0]).toMatch(/^corpus +category +to find +found +missed +clean/)
  })
})

test('the shipped guards are asked as in use: a corpus that nobody knows goes to all guards of texts', async () => {
  const shipped = createShipped()
  onTestFinished(() => shipped.stop())
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const rows = ['gitleaks', 'mine'].flatMap((source) => [
    rowOf(`before ${token}`, 'find', { source, values: [{ value: token }] }),
    rowOf('nothing here', 'clean', { source }),
  ])
  const { wrongs } = await scoreRows(rows, shipped)
  expect(wrongs).toEqual([])
})

describe('the page', () => {
  test('has the figures that were measured last', () =>
    expectGenerated(page, 'scorecard', render(readFigures())))

  test('shows a corpus of many categories as a whole', async () => {
    const rows = Array.from({ length: 9 }, (_, at) => rowOf('x', 'clean', { category: `c${at}` }))
    const few = await scoreRows(rows.slice(0, 8), judges)
    expect(publishedOf(few.measured).map(({ category }) => category)).not.toContain('all')
    const many = await scoreRows(rows, judges)
    expect(publishedOf(many.measured).map(({ category }) => category)).toEqual(['all'])
  })

  test('tells which figure is worse by its share, since a corpus may have other rows than it had', () => {
    const was: Score = {
      corpus: 'mine',
      category: 'one',
      kind: 'command',
      bad: 9,
      blocked: 3,
      asked: 3,
      found: 0,
      good: 5,
      falselyBlocked: 1,
      falselyAsked: 1,
      falselyMarked: 0,
    }
    expect(worse([was], [{ ...was, blocked: 5, falselyAsked: 0 }])).toEqual([])
    expect(worse([was], [{ ...was, blocked: 2, falselyBlocked: 2 }])).toEqual([
      'mine, one: at most 3 of 9 missed, got 4 of 9',
      'mine, one: at most 1 of 5 falsely blocked, got 2 of 5',
    ])
    expect(worse([was], [{ ...was, bad: 18, blocked: 9, good: 4 }])).toEqual([
      'mine, one: at most 1 of 5 falsely blocked, got 1 of 4',
      'mine, one: at most 1 of 5 falsely asked, got 1 of 4',
    ])
    // A folder may lack a corpus, but a corpus lacks none of its categories.
    expect(worse([was], [{ ...was, corpus: 'other' }])).toEqual([])
    expect(worse([was], [{ ...was, category: 'other' }])).toEqual(['mine, one: expected 14 rows, got none'])
  })
})
