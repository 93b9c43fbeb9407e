import { judgedOf } from './judge.ts'
import type { Timed } from './measure.ts'
import type { Row } from './rows.ts'
import type { Outcome } from './run-row.ts'
import { head, linesOf, verdicts, withUnit, type Judged } from './table.ts'

type Run = (name: string) => Promise<Outcome>
type Tell = (words: string) => void

const maxWhy = 400
/** Why a row has no figures, on one line. */
const reasonOf = (why: string): string => why.replaceAll(/\s+/g, ' ').trim().slice(0, maxWhy)

const subjectOf = (row: Row, times: readonly Timed[]) => ({
  name: `${row.name}: ${row.what}`,
  times,
  ...(row.isMemory === true ? { unit: 'MB' as const } : {}),
  ...(typeof row.floor === 'string' ? {} : { isWithoutFloor: true as const }),
})

const tellMissing = (missing: readonly string[], tell: Tell): void => {
  if (missing.length > 0) tell(`\nWithout figures:\n${missing.map((words) => `  ${words}`).join('\n')}`)
}

/**
 * Measures each row, tells its figures at once, and at the end how each aim fared and which rows have no
 * figures. Resolves with the number of rows that have.
 */
export const reportRows = async (rows: readonly Row[], run: Run, tell: Tell): Promise<number> => {
  const judged: Judged[] = []
  const missing: string[] = []
  tell(head)
  for (const row of rows) {
    const outcome = await run(row.name)
    if (outcome.kind === 'failed') {
      const words = `${row.name}: not measured: ${reasonOf(outcome.why)}`
      tell(words)
      missing.push(words)
      continue
    }
    tell(linesOf(subjectOf(row, outcome.times)).join('\n'))
    if (outcome.note !== undefined) tell(`  ${outcome.note}`)
    judged.push(...judgedOf(row, outcome.times))
  }
  tell(`\n${verdicts(judged)}`)
  tellMissing(missing, tell)
  return rows.length - missing.length
}

/** Both revisions at once have the same noise, and the order turns: neither always runs behind the other. */
const turns = [
  ['here', 'there'],
  ['there', 'here'],
  ['here', 'there'],
] as const

const middle = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN

type Both = Readonly<Record<'here' | 'there', readonly (readonly Timed[])[]>>

const comparedLines = (row: Row, { here, there }: Both): readonly string[] => {
  const unit = row.isMemory === true ? 'MB' : 'µs'
  return (here[0] ?? []).flatMap(({ name }, index) => {
    const medians = (runs: readonly (readonly Timed[])[]): readonly number[] =>
      runs.flatMap((times) => times.find((timed) => timed.name === name)?.median ?? [])
    const [now, then] = [medians(here), medians(there)]
    const ratios = now.map((figure, turn) => figure / (then[turn] ?? Number.NaN))
    // A line may be new, or may need packages that the other revision does not name.
    const shown = (words: string): string => (then.length > 0 ? words : '–')
    const isFloor = index === 0 && typeof row.floor === 'string'
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    const figures = [
      shown(withUnit(middle(then), unit)),
      withUnit(middle(now), unit),
      shown(`${middle(ratios).toFixed(2)} ×`),
    ]
    return `  ${`${name}${isFloor ? ' (floor)' : ''}`.padEnd(44)}${figures.map((figure) => figure.padStart(11)).join('')}   ${shown(spread)}`
  })
}

/**
 * Measures each row in this tree and at another revision by turns, and tells the ratio of the medians. The
 * ratio of a floor says how much of it is chance, since no revision changes a floor.
 */
export const compareRows = async (
  rows: readonly Row[],
  runs: Readonly<Record<'here' | 'there', Run>>,
  revision: string,
  tell: Tell,
): Promise<number> => {
  const missing: string[] = []
  tell(
    `${''.padEnd(46)}${revision.slice(0, 10).padStart(11)}${'this tree'.padStart(11)}${'ratio'.padStart(11)}   lowest–highest`,
  )
  const compare = async (row: Row): Promise<readonly string[] | string> => {
    const found: Record<'here' | 'there', (readonly Timed[])[]> = { here: [], there: [] }
    for (const where of turns.flat()) {
      const outcome = await runs[where](row.name)
      if (outcome.kind === 'failed')
        return where === 'here'
          ? `${row.name}: not measured: ${reasonOf(outcome.why)}`
          : `${row.name}: cannot be measured at ${revision}: ${reasonOf(outcome.why)}`
      found[where].push(outcome.times)
    }
    return comparedLines(row, found)
  }
  for (const row of rows) {
    const lines = await compare(row)
    if (typeof lines === 'string') {
      missing.push(lines)
      tell(lines)
    } else tell([`${row.name}: ${row.what}`, ...lines].join('\n'))
  }
  tellMissing(missing, tell)
  return rows.length - missing.length
}
