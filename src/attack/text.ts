import type { Separation } from '../shared/gate/separation.ts'
import type { Forgery } from './forgery.ts'
import type { AttackResult } from './judge.ts'

/** How to get a missing separation. */
const separationFix =
  'Start hookgate as root or with the service unit, or install bwrap. Then the agent cannot do any of this.'

const byMeaning = (all: readonly Forgery[]): ReadonlyMap<string, readonly Forgery[]> =>
  Map.groupBy(all, ({ withoutSeparation }) => withoutSeparation ?? '')

const groups = (all: readonly Forgery[]): readonly string[] =>
  [...byMeaning(all)].map(([meaning, of]) => [meaning, ...of.map(({ title }) => `  ✗ ${title}`)].join('\n'))

const signs: Readonly<Record<AttackResult['kind'], string>> = { held: '✓', broken: '✗', untried: '–' }

export interface AttackTextOptions {
  readonly separation: Separation['kind']
  readonly isAll: boolean
  /** The differences between the gate before and after the attack. */
  readonly left?: readonly string[]
}

const isApartIn =
  (separation: Separation['kind']) =>
  ({ forgery }: AttackResult): boolean =>
    separation === 'none' && forgery.withoutSeparation !== undefined

/**
 * Returns the forgeries that worked although the gate should have stopped them, whatever user the agent runs
 * as.
 */
export const holesIn = (
  results: readonly AttackResult[],
  separation: Separation['kind'],
): readonly AttackResult[] => results.filter((one) => one.kind === 'broken' && !isApartIn(separation)(one))

/**
 * Returns the report of an attack: how many attempts were blocked, each one that worked with what it means,
 * and what to do.
 */
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
      ? `The gate blocked all ${of('held').length} bypasses that were tried with the agent’s rights.`
      : `The gate blocked ${of('held').length} of ${of('held').length + broken.length} bypasses that were tried with the agent’s rights.`
  return [
    head,
    ...holes.flatMap(({ forgery, why }) => [
      '',
      `✗ ${forgery.title}`,
      `  The gate should have blocked this. Please report it: ${why}`,
    ]),
    ...(apart.length === 0
      ? []
      : ['', 'Nothing prevents the agent from these:', ...groups(apart.map(({ forgery }) => forgery))]),
    ...(apart.length === 0 ? [] : [`→ ${separationFix}`]),
    ...(left.length === 0
      ? []
      : ['', `✗ The gate changed during the attack. Please report it: ${left.join('; ')}`]),
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
