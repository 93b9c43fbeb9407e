import { changesOf, judgedOf, ratioOf, type Change, type Turn } from './judge.ts'
import type { Timed } from './measure.ts'
import type { Row } from './rows.ts'
import type { Outcome } from './run-row.ts'
import { head, linesOf, verdicts, withUnit, type Judged } from './table.ts'

type Run = (name: string) => Promise<Outcome>
type Tell = (words: string) => void

const maxWhy = 400
/** Why a row has no figures, on one line. */
const reasonOf = (why: string): string => why.replaceAll(/\s+/g, ' ').trim().slice(0, maxWhy)

const unitOf = ({ isMemory }: Row) => (isMemory === true ? 'MB' : 'µs')

const titleOf = ({ name, what }: Row, [first]: readonly Timed[]): string =>
  `${name}: ${what} (${first?.samples === 1 ? 'one sample' : `${first?.samples} samples`})`

const tellList = (title: string, lines: readonly string[], tell: Tell): void => {
  if (lines.length > 0) tell(`\n${title}:\n${lines.map((words) => `  ${words}`).join('\n')}`)
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
    const { times, note } = outcome
    const isWithoutFloor = typeof row.floor !== 'string'
    tell(linesOf({ name: titleOf(row, times), times, unit: unitOf(row), isWithoutFloor }).join('\n'))
    if (note !== undefined) tell(`  ${note}`)
    judged.push(...judgedOf(row, times))
  }
  tell(`\n${verdicts(judged)}`)
  tellList('Without figures', missing, tell)
  return rows.length - missing.length
}

/** Rows that chance does not explain after three turns are measured twice more. */
const [fewTurns, allTurns] = [3, 5]

const comparedLine = (row: Row, turns: readonly Turn[], { name }: Timed, isFloor: boolean): string => {
  const p10Of = (times: readonly Timed[]) => times.find((timed) => timed.name === name)?.p10
  const figures = turns.map(({ here, there }) => [p10Of(here), p10Of(there)] as const)
  const least = (all: readonly (number | undefined)[]): string => {
    const found = all.filter((figure) => figure !== undefined)
    return found.length === 0 ? '–' : withUnit(Math.min(...found), unitOf(row))
  }
  const ratio = ratioOf(figures)
  // A line may be new, or may need packages that the other revision does not name.
  const words = [
    least(figures.map(([, there]) => there)),
    least(figures.map(([here]) => here)),
    ratio === undefined ? '–' : `${ratio.middle.toFixed(2)} ×`,
  ]
  const spread = ratio === undefined ? '–' : `${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)}`
  return `  ${`${name}${isFloor ? ' (floor)' : ''}`.padEnd(44)}${words.map((word) => word.padStart(11)).join('')}   ${spread}`
}

export interface Compared {
  /** The number of rows that have figures. */
  readonly measured: number
  /** The number of aims whose figure is worse here, beyond chance. */
  readonly worsened: number
}

/**
 * Measures each row in this tree and at another revision by turns, and tells the ratios of what it takes when
 * nothing else wants the processor. At the end it tells which figures have worsened, which are better, and
 * which changed no more than by chance.
 */
export const compareRows = async (
  rows: readonly Row[],
  runs: Readonly<Record<'here' | 'there', Run>>,
  revision: string,
  tell: Tell,
): Promise<Compared> => {
  const missing: string[] = []
  const changes: Change[] = []
  const judged: Judged[] = []
  const turn = async (row: Row, isHereFirst: boolean): Promise<Turn | string> => {
    const found: Record<'here' | 'there', readonly Timed[]> = { here: [], there: [] }
    for (const where of isHereFirst ? (['here', 'there'] as const) : (['there', 'here'] as const)) {
      const outcome = await runs[where](row.name)
      if (outcome.kind === 'failed')
        return `${row.name}: ${where === 'here' ? 'not measured' : `cannot be measured at ${revision}`}: ${reasonOf(outcome.why)}`
      found[where] = outcome.times
    }
    return found
  }
  /** Both have the same noise, since neither always runs behind the other. */
  const compare = async (row: Row): Promise<readonly Turn[] | string> => {
    const turns: Turn[] = []
    const isLikelyChance = (): boolean => changesOf(row, turns).every(({ fate }) => fate === 'within chance')
    while (turns.length < fewTurns || (turns.length < allTurns && !isLikelyChance())) {
      const taken = await turn(row, turns.length % 2 === 1)
      if (typeof taken === 'string') return taken
      turns.push(taken)
    }
    return turns
  }
  tell(
    `${'p10'.padEnd(46)}${revision.slice(0, 10).padStart(11)}${'this tree'.padStart(11)}${'ratio'.padStart(11)}   lowest–highest`,
  )
  const withFate = (fate: Change['fate']): readonly string[] =>
    changes.flatMap((one) =>
      one.fate === fate
        ? [
            `${one.what}: ${one.ratio.middle.toFixed(2)} × (${one.ratio.lowest.toFixed(2)}–${one.ratio.highest.toFixed(2)})`,
          ]
        : [],
    )
  try {
    for (const row of rows) {
      const turns = await compare(row)
      if (typeof turns === 'string') {
        missing.push(turns)
        tell(turns)
        continue
      }
      const times = turns[0]?.here ?? []
      const lines = times.map((timed, index) =>
        comparedLine(row, turns, timed, index === 0 && typeof row.floor === 'string'),
      )
      tell([titleOf(row, times), ...lines].join('\n'))
      changes.push(...changesOf(row, turns))
      judged.push(...judgedOf(row, times))
    }
  } finally {
    // Also when it is stopped before its end.
    if (judged.length > 0) tell(`\n${verdicts(judged)}`)
    tellList('Without figures', missing, tell)
    const worse = withFate('worsened')
    tellList(
      `Against ${revision}, worsened`,
      changes.length > 0 && worse.length === 0 ? ['nothing'] : worse,
      tell,
    )
    tellList('Better', withFate('better'), tell)
    tellList('Within chance', withFate('within chance'), tell)
  }
  return { measured: rows.length - missing.length, worsened: withFate('worsened').length }
}
