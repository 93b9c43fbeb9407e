import { readFileSync, writeFileSync } from 'node:fs'
import { tableOf } from '../config-docs/table.ts'
import { missed, type Measured, type Score } from './score.ts'

export const page = new URL('../../config/context/references/scorecard.md', import.meta.url)
const figuresFile = new URL('./figures.json', import.meta.url)

/** Who was asked: what a fresh gate proposes, what it proposed before, and another guard. */
export const columns = ['now', 'before', 'peer'] as const
export type Column = (typeof columns)[number]
export type Figures = Readonly<Record<Column, readonly Score[]>>

export const readFigures = (): Figures => JSON.parse(readFileSync(figuresFile, 'utf8')) as Figures

/** A corpus with more categories than these is published as a whole. */
const maxCategories = 8

/** The scores that the page has, without their times, which are another machine's. */
export const publishedOf = (measured: readonly Measured[]): readonly Score[] => {
  const scores = measured.map(({ score }) => score)
  return scores.filter(({ corpus, kind, category }) => {
    const categories = scores.filter((one) => one.corpus === corpus && one.kind === kind).length - 1
    return category === 'all' ? categories > maxCategories : categories <= maxCategories
  })
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %`

const stopped = (score: Score | undefined): string =>
  score === undefined || score.bad === 0
    ? '–'
    : `${score.bad - missed(score)} (${percent(score.bad - missed(score), score.bad)})`
const falseAlarms = (score: Score | undefined): string =>
  score === undefined || score.good === 0 ? '–' : `${score.falselyBlocked} + ${score.falselyAsked}`
const falseMarks = (score: Score | undefined): string =>
  score === undefined || score.good === 0 ? '–' : `${score.falselyMarked}`

const isSame = (one: Score, { corpus, category, kind }: Score): boolean =>
  one.corpus === corpus && one.category === category && one.kind === kind

/** The generated part of the page. Who was not asked about a category has a dash there. */
export const render = (figures: Figures): string => {
  const all = columns
    .flatMap((column) => figures[column])
    .filter((score, at, scores) => scores.findIndex((one) => isSame(one, score)) === at)
  const rowsOf = (
    kind: Score['kind'],
    isShown: (score: Score) => boolean,
    cellsOf: (score: Score, by: Readonly<Record<Column, Score | undefined>>) => readonly string[],
  ) =>
    all
      .filter((score) => score.kind === kind && isShown(score))
      .map((score) => {
        const of = (column: Column) => figures[column].find((one) => isSame(one, score))
        const by = { now: of('now'), before: of('before'), peer: of('peer') }
        return [score.corpus, score.category, ...cellsOf(score, by)]
      })
  return [
    '### Commands that have to be stopped',
    tableOf(
      ['Corpus', 'Category', 'Rows', 'Blocked', 'Asked', 'Missed', 'Stopped', 'Before', 'cc-safety-net'],
      rowsOf(
        'command',
        ({ bad }) => bad > 0,
        ({ bad }, { now, before, peer }) => [
          `${bad}`,
          ...(now === undefined ? ['–', '–', '–'] : [now.blocked, now.asked, missed(now)].map(String)),
          ...[now, before, peer].map(stopped),
        ],
      ),
    ),
    '### Harmless commands',
    'Each cell has the rows that were falsely blocked and those that were falsely asked about. cc-safety-net does not ask.',
    tableOf(
      ['Corpus', 'Category', 'Rows', 'Now', 'Before', 'cc-safety-net'],
      rowsOf(
        'command',
        ({ good }) => good > 0,
        ({ good }, { now, before, peer }) => [`${good}`, ...[now, before, peer].map(falseAlarms)],
      ),
    ),
    '### Texts',
    tableOf(
      ['Corpus', 'Category', 'To find', 'Found', 'Before', 'Clean', 'Falsely marked', 'Before'],
      rowsOf(
        'text',
        () => true,
        ({ bad, good }, { now, before }) => [
          `${bad}`,
          ...[now, before].map(stopped),
          `${good}`,
          ...[now, before].map(falseMarks),
        ],
      ),
    ),
  ].join('\n\n')
}

/**
 * Puts the figures of one column in the place of the older ones, and writes the page's part anew. A category
 * that was not asked about keeps its figures.
 */
export const publish = (column: Column, measured: readonly Measured[]): void => {
  const older = readFigures()
  const newer = publishedOf(measured)
  const kept = older[column].filter((score) => !newer.some((one) => isSame(one, score)))
  const figures = { ...older, [column]: [...newer, ...kept] }
  writeFileSync(figuresFile, `${JSON.stringify(figures, undefined, 2)}\n`)
  const [opening, closing] = ['<!-- generated: scorecard -->', '<!-- /generated: scorecard -->']
  const [before = '', rest = ''] = readFileSync(page, 'utf8').split(opening)
  writeFileSync(page, `${before}${opening}\n${render(figures)}\n${closing}${rest.split(closing)[1] ?? ''}`)
}

/**
 * The figures that are worse than those on the page, one in a line. The same corpus may have other rows
 * meanwhile, so shares are compared.
 */
export const worse = (published: readonly Score[], scores: readonly Score[]): readonly string[] =>
  published.flatMap((was) => {
    const name = `${was.corpus}, ${was.category}`
    const is = scores.find((one) => isSame(one, was))
    if (is === undefined)
      return scores.some(({ corpus }) => corpus === was.corpus)
        ? [`${name}: expected ${was.bad + was.good} rows, got none`]
        : []
    const figures = [
      ['missed', missed(was), missed(is), 'bad'],
      ['falsely blocked', was.falselyBlocked, is.falselyBlocked, 'good'],
      ['falsely asked', was.falselyAsked, is.falselyAsked, 'good'],
      ['falsely marked', was.falselyMarked, is.falselyMarked, 'good'],
    ] as const
    return figures
      .filter(([, before, after, rows]) => after * was[rows] > before * is[rows])
      .map(
        ([figure, before, after, rows]) =>
          `${name}: at most ${before} of ${was[rows]} ${figure}, got ${after} of ${is[rows]}`,
      )
  })

const inColumns = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const all = [head, ...rows]
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** What the terminal shows: every category of every corpus. */
export const tablesOf = (measured: readonly Measured[]): string => {
  const rowsOf = (kind: Score['kind'], figuresOf: (score: Score) => readonly number[]) =>
    measured
      .filter(({ score }) => score.kind === kind)
      .map(({ score, medianMs, p99Ms }) => [
        score.corpus,
        score.category,
        ...figuresOf(score).map(String),
        medianMs.toFixed(2),
        p99Ms.toFixed(2),
      ])
  const commands = rowsOf('command', (one) => [
    one.bad,
    one.blocked,
    one.asked,
    missed(one),
    one.good,
    one.falselyBlocked,
    one.falselyAsked,
  ])
  const texts = rowsOf('text', (one) => [one.bad, one.found, missed(one), one.good, one.falselyMarked])
  const first = ['corpus', 'category']
  const last = ['median ms', 'p99 ms']
  const asked = ['to stop', 'blocked', 'asked', 'missed', 'harmless', 'falsely blocked', 'falsely asked']
  const read = ['to find', 'found', 'missed', 'clean', 'falsely marked']
  return [
    ...(commands.length === 0 ? [] : [inColumns([...first, ...asked, ...last], commands)]),
    ...(texts.length === 0 ? [] : [inColumns([...first, ...read, ...last], texts)]),
  ].join('\n\n')
}
