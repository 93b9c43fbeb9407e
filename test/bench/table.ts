import type { Timed } from './measure.ts'

/** Contenders measured side by side. */
export interface Subject {
  readonly name: string
  readonly times: readonly Timed[]
  /** Absent: µs. */
  readonly unit?: 'µs' | 'MB'
  /** Absent: the first contender is the floor. */
  readonly isWithoutFloor?: boolean
}

/** What a figure should come to at most. `figure` is undefined when it could not be taken. */
export interface Judged {
  readonly what: string
  readonly unit: string
  readonly atMost: number
  /** Absent: somebody set it. */
  readonly isAsMeasured?: true | undefined
  readonly figure: number | undefined
}

const shown = (figure: number): string =>
  figure < 10 ? figure.toFixed(2) : figure < 1000 ? figure.toFixed(1) : figure.toFixed(0)
/** A figure with its unit. A time of many seconds is told in seconds, so that it fits its column. */
export const withUnit = (figure: number, unit: 'µs' | 'MB' = 'µs'): string =>
  unit === 'µs' && figure >= 1e7 ? `${shown(figure / 1e6)} s` : `${shown(figure)} ${unit}`

/** Below this a floor is an empty loop, and a ratio to it says nothing. */
export const leastFloorUs = 0.015

const line = (name: string, p10: string, median: string, p95: string, ratio: string): string =>
  `${name.padEnd(46)}${p10.padStart(11)}${median.padStart(11)}${p95.padStart(11)}${ratio.padStart(11)}`

/** The head of the columns of `linesOf`. */
export const head = line('', 'p10', 'median', 'p95', 'of medians')

export const linesOf = ({ name, times, unit, isWithoutFloor }: Subject): readonly string[] => {
  const floor = times[0]?.median ?? 0
  const ratioTo = (index: number, median: number): string => {
    if (isWithoutFloor === true) return ''
    if (index === 0) return 'floor'
    return floor < leastFloorUs ? '–' : `${(median / floor).toFixed(2)} ×`
  }
  return [
    name,
    ...times.map((timed, index) =>
      line(
        `  ${timed.name}`,
        withUnit(timed.p10, unit),
        withUnit(timed.median, unit),
        withUnit(timed.p95, unit),
        ratioTo(index, timed.median),
      ),
    ),
  ]
}

const verdictOf = ({ what, unit, atMost, isAsMeasured, figure }: Judged): string => {
  if (figure === undefined) return `unknown  ${what}: not measured`
  const share = `${Math.abs((figure / atMost - 1) * 100).toFixed(0)} %`
  const word =
    figure <= atMost
      ? `reached  ${what}: ${figure.toFixed(2)} ${unit}, ${share} below`
      : `missed   ${what}: ${figure.toFixed(2)} ${unit}, ${share} above`
  return `${word} ${atMost} ${unit}${isAsMeasured === true ? ' as measured' : ''}`
}

export const verdicts = (aims: readonly Judged[]): string => aims.map(verdictOf).join('\n')
