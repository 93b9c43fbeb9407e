import type { Judges, Said } from './guards.ts'
import type { Row } from './rows.ts'

/** How the guards did on one category of a corpus. What they missed is what is left. */
export interface Score {
  readonly corpus: string
  /** `all` for a corpus as a whole. */
  readonly category: string
  readonly kind: Row['kind']
  /** What has to be stopped, or found. */
  readonly bad: number
  readonly blocked: number
  readonly asked: number
  readonly found: number
  /** What has to pass, or to stay as it is. */
  readonly good: number
  readonly falselyBlocked: number
  readonly falselyAsked: number
  readonly falselyMarked: number
}

/** A score, and how long one row took on this machine. */
export interface Measured {
  readonly score: Score
  readonly medianMs: number
  readonly p99Ms: number
}

/** A row that the guards got wrong, for `--misses`. */
export interface Wrong {
  readonly id: string
  readonly wrong: 'missed' | 'falsely blocked' | 'falsely asked' | 'falsely marked'
  readonly value?: string
  readonly content: string
  readonly said: string
}

export interface Result {
  readonly measured: readonly Measured[]
  readonly wrongs: readonly Wrong[]
}

interface Case {
  readonly row: Row
  readonly category: string
  readonly outcome: 'blocked' | 'asked' | 'found' | 'nothing'
  readonly tookMs: number
  readonly said: Said
  readonly value?: string
}

const isBad = ({ row }: Case): boolean => row.expect === 'stop' || row.expect === 'find'

/** A text is found when it does not go on as it is. Of a command, only the word counts. */
const outcomeOf = ({ kind, content }: Row, { word, text }: Said): Case['outcome'] => {
  if (kind === 'text') return word !== 'nothing' || text !== content ? 'found' : 'nothing'
  return word === 'block' ? 'blocked' : word === 'ask' ? 'asked' : 'nothing'
}

/** A row is one case, or one for each value that has to be found. A value is found when it is gone. */
const casesOf = (row: Row, said: Said, tookMs: number): readonly Case[] => {
  const whole = { row, said, tookMs, category: row.category, outcome: outcomeOf(row, said) }
  return row.expect !== 'find' || row.values.length === 0
    ? [whole]
    : row.values.map(({ type, value }) => ({
        ...whole,
        value,
        category: type ?? row.category,
        outcome: said.word === 'nothing' && said.text.includes(value) ? 'nothing' : 'found',
      }))
}

const wrongOf = (one: Case): readonly Wrong[] => {
  const { row, outcome, said, value } = one
  if (isBad(one) !== (outcome === 'nothing')) return []
  const wrong =
    outcome === 'nothing' ? 'missed' : (`falsely ${outcome === 'found' ? 'marked' : outcome}` as const)
  return [
    {
      id: row.id,
      wrong,
      ...(value === undefined ? {} : { value }),
      content: row.content,
      said: [said.words, ...(row.kind === 'text' && said.text !== row.content ? [said.text] : [])].join('\n'),
    },
  ]
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

const measure = (corpus: string, category: string, cases: readonly Case[]): Measured => {
  const count = (bad: boolean, outcome?: Case['outcome']): number =>
    cases.filter((one) => isBad(one) === bad && (outcome === undefined || one.outcome === outcome)).length
  const times = cases.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
  return {
    score: {
      corpus,
      category,
      kind: cases[0]?.row.kind ?? 'command',
      bad: count(true),
      blocked: count(true, 'blocked'),
      asked: count(true, 'asked'),
      found: count(true, 'found'),
      good: count(false),
      falselyBlocked: count(false, 'blocked'),
      falselyAsked: count(false, 'asked'),
      falselyMarked: count(false, 'found'),
    },
    medianMs: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  }
}

export const missed = ({ bad, blocked, asked, found }: Score): number => bad - blocked - asked - found

/** Asks about every row. The scores are by corpus, first each category and then all of it. */
export const scoreRows = async (rows: readonly Row[], judges: Judges): Promise<Result> => {
  const cases: Case[] = []
  for (let at = 0; at < rows.length; at += judges.width)
    cases.push(
      ...(
        await Promise.all(
          rows.slice(at, at + judges.width).map(async (row) => {
            const startedAtMs = performance.now()
            const said = await judges.ask(row)
            return said === undefined ? [] : casesOf(row, said, performance.now() - startedAtMs)
          }),
        )
      ).flat(),
    )
  const corpora = Map.groupBy(cases, ({ row }) => `${row.source}\n${row.kind}`)
  return {
    measured: [...corpora.values()].flatMap((inside) => {
      const corpus = inside[0]?.row.source ?? ''
      const categories = Map.groupBy(inside, ({ category }) => category)
      return [
        ...[...categories].map(([category, some]) => measure(corpus, category, some)),
        measure(corpus, 'all', inside),
      ]
    }),
    wrongs: cases.flatMap(wrongOf),
  }
}
