import { tableOf } from '../config-docs/table.ts'
import type { AtHome } from './home.ts'
import type { Here } from './here.ts'
import { SYSTEMS, type System, type WildCase, type WildSet } from './lock.ts'

export interface Result {
  readonly repository: string
  readonly system: System
  readonly one: WildCase
  /** It is as at home, or its row said before approval what comes of it here. */
  readonly isRight: boolean
  readonly isDifferent: boolean
  /** What is wrong, or what its row says of the difference. */
  readonly line: string
}

export interface Compared {
  readonly repository: string
  readonly set: WildSet
  readonly one: WildCase
  readonly raw: AtHome
  readonly seen: Here
  readonly leftThere: boolean
  readonly left: boolean
}

/** Without the folders of this run. */
const masked = (text: string): string =>
  text
    .replaceAll(/\/[^\s"']*\/hookgate-wild-\w+\/home(?=\/)/g, '~')
    .replaceAll(/\/[^\s"']*\/hookgate-plane-\w+/g, '')

const short = (text: string): string => masked(text).replaceAll(/\s+/g, ' ').slice(0, 600)

/** Compares what was expected, what came of it at home, and what came of it here. */
export const judge = ({ repository, set, one, raw, seen, leftThere, left }: Compared): Result => {
  const base = { repository, system: set.system, one }
  const { expect, differs } = one
  const ranAs =
    raw.ran === undefined
      ? ''
      : `exit ${String(raw.ran.status)}, stdout ${short(raw.ran.stdout)}, stderr ${short(raw.ran.stderr)}`
  if (raw.outcome !== expect)
    return {
      ...base,
      isRight: false,
      isDifferent: false,
      line: `the lock expects ${expect}, at home it was ${raw.outcome} (${ranAs})`,
    }
  if (!leftThere)
    return {
      ...base,
      isRight: false,
      isDifferent: false,
      line: `the lock expects ${one.leaves ?? ''}, at home it was not written (${ranAs})`,
    }
  const said = `its row says: ${seen.said.join(' / ') || 'nothing'}`
  if (seen.outcome === expect && left) {
    const stale = differs === undefined ? '' : `it behaves now: take "differs" out of the lock`
    return { ...base, isRight: differs === undefined, isDifferent: false, line: stale }
  }
  const isSaid =
    differs !== undefined &&
    seen.outcome === differs.here &&
    seen.said.some((words) => words.includes(differs.says))
  if (isSaid)
    return {
      ...base,
      isRight: true,
      isDifferent: true,
      line: `here ${seen.outcome}; ${masked(seen.said.find((words) => words.includes(differs.says)) ?? '')}`,
    }
  const wrote = left ? '' : `, and ${one.leaves ?? ''} was not written`
  return {
    ...base,
    isRight: false,
    isDifferent: true,
    line: `at home ${expect}, here ${seen.outcome}${wrote} (${short(seen.detail)}); ${short(said)}`,
  }
}

/** Counts for each system, and what differs with the words of the card. */
export const tables = (results: readonly Result[]): string => {
  const systems = Object.keys(SYSTEMS) as System[]
  const rows = systems.flatMap((system) => {
    const of = results.filter((one) => one.system === system)
    if (of.length === 0) return []
    const different = of.filter(({ isRight, isDifferent }) => isRight && isDifferent).length
    const wrong = of.filter(({ isRight }) => !isRight).length
    const repositories = new Set(of.map(({ repository }) => repository)).size
    return [
      [
        SYSTEMS[system].title,
        String(repositories),
        String(of.length),
        String(of.length - different - wrong),
        String(different),
        ...(wrong > 0 ? [String(wrong)] : []),
      ],
    ]
  })
  const differences = results
    .filter(({ isRight, isDifferent }) => isRight && isDifferent)
    .map(({ repository, one, line }) => [
      `${repository}: \`${one.hook}\``,
      one.expect,
      one.differs?.here ?? '',
      line.replace(/^here [^;]+; /, ''),
    ])
  return [
    tableOf(
      ['System', 'Repositories', 'Hooks', 'As at home', 'Told on the card'],
      rows.map((row) => row.slice(0, 5)),
    ),
    ...(differences.length === 0
      ? []
      : [tableOf(['Hook', 'There', 'Here', 'What its card says before approval'], differences)]),
  ].join('\n\n')
}
