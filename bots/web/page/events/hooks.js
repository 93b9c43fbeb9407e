// @ts-check
import { button, e } from '../elements.js'
import { msWords, t } from '../language/language.js'
import { shortName, visible } from '../text.js'

/**
 * @typedef {import('../../../../src/shared/events/kept.ts').HookStats} HookStats
 * @typedef {import('../../../../src/shared/events/kept.ts').HookDeed} HookDeed
 */

/** @param {Readonly<Record<HookDeed, number>>} deeds */
const sumOf = (deeds) => Object.values(deeds).reduce((sum, count) => sum + count, 0)

const told = /** @type {const} */ (['blocked', 'asked', 'wrote', 'failed'])

/** @param {HookStats} hook */
const factsOf = ({ deeds, shadow, p50Ms, p95Ms }) => {
  const asked = sumOf(deeds)
  /** @param {Readonly<Record<HookDeed, number>>} counts @param {Readonly<Record<HookDeed, (count: number) => string>>} words */
  const did = (counts, words) =>
    told.flatMap((deed) => (counts[deed] === 0 ? [] : [words[deed](counts[deed])]))
  return [
    ...(asked === 0 ? [] : [[t.wasAsked(asked), ...did(deeds, t.didCount)].join(' · ')]),
    ...(shadow === undefined
      ? []
      : [[t.wasAskedAsShadow(sumOf(shadow.deeds)), ...did(shadow.deeds, t.wouldCount)].join(' · ')]),
    ...(p50Ms === undefined || p95Ms === undefined ? [] : [t.tookTime(msWords(p50Ms), msWords(p95Ms))]),
  ]
}

/**
 * What each hook did, and how long it took.
 * @param {{ hooks: readonly HookStats[], choose: (fingerprint: string) => void }} props `choose` is called with
 * the hook whose events the person wants
 */
export const HookTimes = ({ hooks, choose }) =>
  hooks.length > 0 &&
  e(
    'details.hook-times',
    e('summary', t.hookTimes(hooks.length)),
    e(
      'ul.hook-facts',
      hooks.map((hook) =>
        e(
          'li',
          { key: hook.fingerprint },
          e('p', e('bdi.kept-name', shortName(hook.label)), e('span.small', ` ${visible(hook.event)}`)),
          factsOf(hook).map((fact, index) => e('p.small', { key: index }, fact)),
          button('quiet', t.itsEvents, () => choose(hook.fingerprint), {
            'aria-label': t.eventsOfHook(shortName(hook.label)),
          }),
        ),
      ),
    ),
  )
