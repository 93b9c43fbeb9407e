// @ts-check
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { button, e } from '../elements.js'
import { msWords, t } from '../language/language.js'
import { shortName, visible } from '../text.js'
import { axisLook, bars, Plot } from './plot.js'

/**
 * @typedef {import('../../../../src/shared/events/kept.ts').HookStats} HookStats
 * @typedef {import('../../../../src/shared/events/kept.ts').HookDeed} HookDeed
 */

/** The plot has so many hooks at most. The list below it has more. */
const maxPlotted = 12
const rowHeight = 26
const axisHeight = 34

/** The end of a name, which tells hooks of one folder apart. @param {string} label @param {number} most */
const endOfName = (label, most) => {
  const name = visible(label.slice(-200).toWellFormed())
  return name.length <= most ? name : `…${name.slice(1 - most).toWellFormed()}`
}

/**
 * Two bars for each hook, one below the other in the list.
 * @param {readonly HookStats[]} hooks
 * @returns {import('./plot.js').Make}
 */
const makeRows = (hooks) => (library, colour, width) => {
  const labelUnits = width < 500 ? 15 : 26
  const row = bars(library, { size: [0.62, 16] })
  return {
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, ori: 1, dir: -1, range: [-0.5, hooks.length - 0.5] },
      y: { ori: 0, range: (_plot, _least, most) => [0, Math.max(1, most * 1.06)] },
    },
    // The first axis is below the plot, and the second one is left of it.
    axes: [
      {
        ...axisLook(colour),
        scale: 'y',
        size: axisHeight,
        space: 60,
        values: (_plot, splits) => splits.map((ms) => msWords(ms).replace('.0 ', ' ')),
      },
      {
        ...axisLook(colour),
        scale: 'x',
        size: width < 500 ? 118 : 190,
        grid: { show: false },
        ticks: { show: false },
        splits: () => hooks.map((_, at) => at),
        values: (_plot, splits) => splits.map((at) => endOfName(hooks[at]?.label ?? '', labelUnits)),
      },
    ],
    series: [{}, row(colour('--notice-line')), row(colour('--accent'))],
  }
}

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
export const HookTimes = ({ hooks, choose }) => {
  const plotted = useMemo(
    () => hooks.filter(({ p95Ms }) => p95Ms !== undefined).slice(0, maxPlotted),
    [hooks],
  )
  const make = useMemo(() => makeRows(plotted), [plotted])
  const data = useMemo(
    () =>
      /** @type {import('uplot').AlignedData} */ ([
        plotted.map((_, at) => at),
        plotted.map(({ p95Ms = 0 }) => p95Ms),
        plotted.map(({ p50Ms = 0 }) => p50Ms),
      ]),
    [plotted],
  )
  if (hooks.length === 0) return null
  return e(
    'details.hook-times',
    e('summary', t.hookTimes(hooks.length)),
    plotted.length > 0 &&
      e(
        'figure',
        e('figcaption.small', e('span.key.half', t.halfWithin), e('span.key.most', t.mostWithin)),
        h(Plot, { make, data, height: plotted.length * rowHeight + axisHeight + 12 }),
      ),
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
}
