import type { Separation } from '../model/gate/separation.ts'
import type { Forgery } from './forgery.ts'
import type { AttackResult } from './judge.ts'

/** What anybody can do about a missing separation. */
const separationFix =
  'Start hookgate as root or with the service unit, or install bwrap: then the agent is kept away from all of this.'

const byMeaning = (all: readonly Forgery[]): ReadonlyMap<string, readonly Forgery[]> =>
  Map.groupBy(all, ({ withoutSeparation }) => withoutSeparation?.meaning ?? '')

const groups = (all: readonly Forgery[]): readonly string[] =>
  [...byMeaning(all)].map(([meaning, of]) => [meaning, ...of.map(({ title }) => `  ✗ ${title}`)].join('\n'))

const signs: Readonly<Record<AttackResult['kind'], string>> = { held: '✓', broken: '✗', untried: '–' }

export interface AttackTextOptions {
  readonly separation: Separation['kind']
  readonly isAll: boolean
  /** How the gate differs in the end from what it was. */
  readonly left?: readonly string[]
}

const isApartIn =
  (separation: Separation['kind']) =>
  ({ forgery }: AttackResult): boolean =>
    separation === 'none' && forgery.withoutSeparation !== undefined

/** What got through although it should have been stopped, whoever the agent runs as. */
export const holesIn = (
  results: readonly AttackResult[],
  separation: Separation['kind'],
): readonly AttackResult[] => results.filter((one) => one.kind === 'broken' && !isApartIn(separation)(one))

/** What an attack found: how many ways held, each that did not with what it means, and what to do. */
export const attackText = (
  results: readonly AttackResult[],
  { separation, isAll, left = [] }: AttackTextOptions,
): string => {
  const of = (kind: AttackResult['kind']): readonly AttackResult[] =>
    results.filter((one) => one.kind === kind)
  const broken = of('broken')
  const apart = broken.filter(isApartIn(separation))
  const holes = holesIn(results, separation)
  const untried = of('untried').length
  const head =
    broken.length === 0
      ? `The gate held against all ${of('held').length} ways around it that were tried with the agent’s rights.`
      : `The gate held against ${of('held').length} of ${of('held').length + broken.length} ways around it that were tried with the agent’s rights.`
  return [
    head,
    ...holes.flatMap(({ forgery, why }) => [
      '',
      `✗ ${forgery.title}`,
      `  This should have held. Please report it: ${why}`,
    ]),
    ...(apart.length === 0
      ? []
      : ['', 'Nothing keeps the agent from these:', ...groups(apart.map(({ forgery }) => forgery))]),
    ...(apart.length === 0 ? [] : [`→ ${separationFix}`]),
    ...(left.length === 0 ? [] : ['', `✗ The gate is not what it was. Please report it: ${left.join('; ')}`]),
    ...(isAll
      ? [
          '',
          ...results.map(
            ({ forgery, kind, why }) => `${signs[kind]} ${forgery.title}${kind === 'held' ? '' : `: ${why}`}`,
          ),
        ]
      : []),
    ...(isAll
      ? []
      : [
          '',
          `${untried === 0 ? '' : `${untried} ${untried === 1 ? 'was' : 'were'} not tried here. `}→ hookgate attack --all`,
        ]),
  ].join('\n')
}
