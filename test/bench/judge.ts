import type { Timed } from './measure.ts'
import { slowest, type Aim, type Row } from './rows.ts'
import { medianOf, type Judged } from './table.ts'

const unitUs = { µs: 1, ms: 1000, s: 1e6 } as const

const figureOf = ({ of, over, unit }: Aim, times: readonly Timed[]): number | undefined => {
  const [floor, ...others] = times
  const median = of === slowest ? Math.max(...others.map((timed) => timed.median)) : medianOf({ times }, of)
  const base = over === undefined ? 0 : medianOf({ times }, over)
  if (median === undefined || base === undefined || floor === undefined) return undefined
  if (unit === '×') return median / floor.median
  return (median - base) / (unit === 'MB' ? 1 : unitUs[unit])
}

/** Each aim of a row beside what was measured. */
export const judgedOf = ({ name, aims }: Row, times: readonly Timed[]): readonly Judged[] =>
  aims.map((aim) => ({
    what: `${name}: ${aim.of}${aim.over === undefined ? '' : `, over ${aim.over}`}`,
    unit: aim.unit,
    atMost: aim.atMost,
    figure: figureOf(aim, times),
  }))
