import { fixed, joinProse, type Prose } from '../../model/prose.ts'
import type { Separation } from '../../model/separation.ts'
import type { Forgery } from './forgery.ts'
import type { AttackResult } from './judge.ts'

/** What anybody can do about a missing separation who knows nothing else of this machine. */
export const separationFix =
  'Start hookgate as root or with the service unit, or install bwrap: then the agent is kept away from all of this.'

const byMeaning = (all: readonly Forgery[]): ReadonlyMap<string, readonly Forgery[]> =>
  Map.groupBy(all, ({ withoutSeparation }) => withoutSeparation?.meaning ?? '')

const groups = (all: readonly Forgery[]): readonly string[] =>
  [...byMeaning(all)].map(([meaning, of]) => [meaning, ...of.map(({ title }) => `  ✗ ${title}`)].join('\n'))

const signs: Readonly<Record<AttackResult['kind'], string>> = { held: '✓', broken: '✗', untried: '–' }

export interface AttackTextOptions {
  readonly separation: Separation['kind']
  readonly isAll: boolean
  readonly fix?: string
}

/**
 * What a run found, for a phone: how many held, each that did not with what it means, and what to do. What held stands
 * here by name only when all is asked for.
 */
export const attackText = (
  results: readonly AttackResult[],
  { separation, isAll, fix = separationFix }: AttackTextOptions,
): Prose => {
  const of = (kind: AttackResult['kind']): readonly AttackResult[] =>
    results.filter((one) => one.kind === kind)
  const broken = of('broken')
  const isApart = ({ forgery }: AttackResult): boolean =>
    separation === 'none' && forgery.withoutSeparation !== undefined
  const apart = broken.filter(isApart)
  const holes = broken.filter((one) => !isApart(one))
  const possible =
    apart.length === 0 ? [] : of('untried').filter(({ forgery }) => forgery.withoutSeparation !== undefined)
  const untried = of('untried').length
  const head =
    broken.length === 0
      ? `The gate held: ${of('held').length} forgeries were tried with the agent’s rights.`
      : `The gate held against ${of('held').length} of ${of('held').length + broken.length} forgeries, tried with the agent’s rights.`
  return joinProse(
    [
      head,
      ...holes.flatMap(({ forgery, why }) => [
        '',
        `✗ ${forgery.title}`,
        `  This should have held. Please report it: ${why}`,
      ]),
      ...(apart.length === 0
        ? []
        : ['', 'Nothing keeps the agent from these:', ...groups(apart.map(({ forgery }) => forgery))]),
      ...(possible.length === 0
        ? []
        : ['', 'Not tried here, and then possible too:', ...groups(possible.map(({ forgery }) => forgery))]),
      ...(apart.length === 0 ? [] : [`→ ${fix}`]),
      ...(isAll
        ? [
            '',
            ...results.map(
              ({ forgery, kind, why }) =>
                `${signs[kind]} ${forgery.title}${kind === 'held' ? '' : `: ${why}`}`,
            ),
          ]
        : []),
      ...(isAll
        ? []
        : [
            '',
            `${untried === 0 ? '' : `${untried} ${untried === 1 ? 'was' : 'were'} not tried here. `}→ /hooks doctor --attack all`,
          ]),
    ].map((line) => fixed(line)),
    '\n',
  )
}
