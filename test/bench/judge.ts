import type { Timed } from './measure.ts'
import type { Aim, Row } from './rows.ts'
import type { Judged } from './table.ts'

type Quantile = 'p10' | 'median'
const unitUs = { µs: 1, ms: 1000, s: 1e6 } as const

/** What an aim is about, as a text. */
export const subjectOf = ({ of, over }: Aim): string => (over === undefined ? of : `${of}, over ${over}`)

const figureOf = (
  { of, over, unit }: Aim,
  times: readonly Timed[],
  quantile: Quantile,
): number | undefined => {
  const found = (name: string): number | undefined => times.find((timed) => timed.name === name)?.[quantile]
  const [figure, base, floor] = [found(of), over === undefined ? 0 : found(over), times[0]?.[quantile]]
  if (figure === undefined || base === undefined || floor === undefined) return undefined
  if (unit === '×') return figure / floor
  return (figure - base) / (unit === 'MB' ? 1 : unitUs[unit])
}

/** Each aim of a row beside what was measured. */
export const judgedOf = ({ name, aims }: Row, times: readonly Timed[]): readonly Judged[] =>
  aims.map((aim) => ({
    what: `${name}: ${subjectOf(aim)}`,
    unit: aim.unit,
    atMost: aim.atMost,
    isAsMeasured: aim.isAsMeasured,
    figure: figureOf(aim, times, 'median'),
  }))

/** One measurement of a row here and one at another revision, close after each other. */
export interface Turn {
  readonly here: readonly Timed[]
  readonly there: readonly Timed[]
}

export interface Ratio {
  readonly lowest: number
  readonly middle: number
  readonly highest: number
}

/** Undefined when a figure is missing in some turn, or is none. */
export const ratioOf = (
  figures: readonly (readonly [here?: number, there?: number])[],
): Ratio | undefined => {
  const sorted = figures
    .map(([here = Number.NaN, there = Number.NaN]) => here / there)
    .toSorted((a, b) => a - b)
  const [lowest, middle, highest] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)]
  if (lowest === undefined || middle === undefined || highest === undefined) return undefined
  return sorted.every((ratio) => ratio > 0 && ratio < Infinity) ? { lowest, middle, highest } : undefined
}

/** A smaller change is never told, however alike all turns are. */
const leastChange = 1.05

export type Fate = 'worsened' | 'better' | 'within chance'

/** How an aim's figure changed. */
export interface Change {
  readonly what: string
  readonly fate: Fate
  readonly ratio: Ratio
}

/**
 * Below this the clock's own steps and single lines of code make a floor, and its ratio measures no chance.
 */
const leastNoiseUs = 1

/**
 * How the figure of each aim changed. No revision changes a floor, so what its ratio is away from one is
 * chance. A figure has changed when its ratio is further away than that, and to the same side, in every turn.
 */
export const changesOf = ({ name, floor, aims }: Row, turns: readonly Turn[]): readonly Change[] => {
  const bare =
    typeof floor === 'string' ? turns.map(({ here, there }) => [here[0]?.p10, there[0]?.p10] as const) : []
  const byChance = bare.every(([here = 0]) => here >= leastNoiseUs) ? ratioOf(bare) : undefined
  const most = Math.max(leastChange, byChance?.highest ?? 1, 1 / (byChance?.lowest ?? 1))
  return aims.flatMap((aim) => {
    const ratio = ratioOf(
      turns.map(({ here, there }) => [figureOf(aim, here, 'p10'), figureOf(aim, there, 'p10')] as const),
    )
    if (ratio === undefined) return []
    const fate: Fate =
      ratio.lowest > most ? 'worsened' : ratio.highest < 1 / most ? 'better' : 'within chance'
    return [{ what: `${name}: ${subjectOf(aim)}`, fate, ratio }]
  })
}
