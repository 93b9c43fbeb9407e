import type { Timed } from './measure.ts'

/** Contenders measured side by side; the first one is the floor. */
export interface Subject {
  readonly name: string
  readonly times: readonly Timed[]
}

/** What a figure should come to at most. `figure` is undefined when it could not be taken. */
export interface Aim {
  readonly what: string
  readonly unit: string
  readonly atMost: number
  readonly figure: number | undefined
}

const shown = (us: number): string => (us < 10 ? us.toFixed(2) : us < 1000 ? us.toFixed(1) : us.toFixed(0))
/** Below this a floor is an empty loop, and a ratio to it says nothing. */
const leastFloorUs = 0.015

const row = (name: string, p10: string, median: string, p95: string, ratio: string): string =>
  `${name.padEnd(46)}${p10.padStart(11)}${median.padStart(11)}${p95.padStart(11)}${ratio.padStart(11)}`

const rowsOf = ({ name, times }: Subject): readonly string[] => {
  const floor = times[0]?.medianUs ?? 0
  return [
    name,
    ...times.map((timed, index) => {
      const ratio = floor < leastFloorUs ? '–' : `${(timed.medianUs / floor).toFixed(2)} ×`
      return row(
        `  ${timed.name}`,
        `${shown(timed.p10Us)} µs`,
        `${shown(timed.medianUs)} µs`,
        `${shown(timed.p95Us)} µs`,
        index === 0 ? 'floor' : ratio,
      )
    }),
  ]
}

export const table = (subjects: readonly Subject[]): string =>
  [row('', 'p10', 'median', 'p95', 'of medians'), ...subjects.flatMap(rowsOf)].join('\n')

const verdictOf = ({ what, unit, atMost, figure }: Aim): string => {
  if (figure === undefined) return `unknown  ${what}: not measured`
  const share = `${Math.abs((figure / atMost - 1) * 100).toFixed(0)} %`
  const word =
    figure <= atMost
      ? `reached  ${what}: ${figure.toFixed(2)} ${unit}, ${share} below`
      : `missed   ${what}: ${figure.toFixed(2)} ${unit}, ${share} above`
  return `${word} ${atMost} ${unit}`
}

export const verdicts = (aims: readonly Aim[]): string => aims.map(verdictOf).join('\n')

/** The median of one contender, by name. */
export const medianOf = (subject: Subject | undefined, name: string): number | undefined =>
  subject?.times.find((timed) => timed.name === name)?.medianUs

export const ratioOf = (subject: Subject | undefined, name: string): number | undefined => {
  const [floor, median] = [subject?.times[0]?.medianUs, medianOf(subject, name)]
  return floor === undefined || median === undefined ? undefined : median / floor
}
