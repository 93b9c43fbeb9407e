// @ts-check
import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { button, e, scrollBox } from '../elements.js'
import { dayWords, hourWords, language, spanWords, t, zone } from '../language/language.js'
import { axisLook, bars, Plot } from './plot.js'

/**
 * @typedef {import('../../../../src/shared/events/kept.ts').EventEnd} EventEnd
 * @typedef {import('../../../../src/shared/events/kept.ts').Timeline} Counted
 * @typedef {{ sinceMs: number, untilMs: number }} Range
 */

/**
 * How events ended, from the ground up, each with a colour of the page.
 * @type {Readonly<Record<EventEnd, string>>}
 */
const colours = {
  allowed: '--live',
  changed: '--notice-line',
  failed: '--muted',
  asked: '--waiting',
  blocked: '--careful',
}
const ends = /** @type {EventEnd[]} */ (Object.keys(colours))

const hour = 60 * 60
const day = 24 * hour
/** The steps between the times below the plot, in seconds. */
const tickSeconds = [
  60,
  300,
  900,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
  ...[1, 2, 7, 30, 365].map((days) => days * day),
]

/** @param {readonly number[]} counts */
const sum = (counts) => counts.reduce((all, count) => all + count, 0)

/** @param {number} count */
const counted = (count) => count.toLocaleString(language)

/** @param {Counted} timeline @param {number} step @returns {Range} */
const rangeOf = ({ startMs, stepMs }, step) => ({
  sinceMs: startMs + step * stepMs,
  untilMs: startMs + (step + 1) * stepMs,
})

/**
 * One bar for each step, in which the ends lie on each other.
 * @param {Counted} timeline
 * @param {readonly EventEnd[]} shown
 */
const stacked = ({ startMs, stepMs, ends: counts }, shown) => {
  const steps = counts.allowed.map((_, step) => (startMs + step * stepMs) / 1000)
  /** @type {number[]} */
  let below = steps.map(() => 0)
  const layers = ends.map((end) => {
    if (shown.includes(end)) below = below.map((count, step) => count + (counts[end][step] ?? 0))
    return below
  })
  // The highest comes first, so that each lower one is drawn in front of it.
  return /** @type {import('uplot').AlignedData} */ ([steps, ...layers.toReversed()])
}

/**
 * @param {Counted} timeline @param {(range: Range) => void} choose @param {(step: number | undefined) => void} point
 * @returns {import('./plot.js').Make}
 */
const makeBars =
  ({ startMs, stepMs, ends: { allowed } }, choose, point) =>
  (library, colour, width) => {
    const endMs = startMs + allowed.length * stepMs
    const isLong = endMs - startMs > 2 * 24 * 60 * 60_000
    const words = isLong ? dayWords : hourWords
    const bar = bars(library, { size: [0.86, 60], align: 1 })
    /** @param {import('uplot')} plot @param {number} left */
    const stepAt = (plot, left) => Math.floor((plot.posToVal(left, 'x') * 1000 - startMs) / stepMs)
    return {
      // Its days begin where those of the page begin.
      tzDate: (seconds) =>
        zone === undefined ? new Date(seconds * 1000) : library.tzDate(new Date(seconds * 1000), zone),
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, setScale: false },
      },
      select: { show: true, left: 0, top: 0, width: 0, height: 0 },
      scales: {
        x: { time: true, range: [startMs / 1000, endMs / 1000] },
        y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.06)] },
      },
      axes: [
        {
          ...axisLook(colour),
          grid: { show: false },
          size: 30,
          space: width < 500 ? 56 : 70,
          incrs: tickSeconds,
          values: (_plot, splits) => splits.map((seconds) => words(seconds * 1000)),
        },
        {
          ...axisLook(colour),
          size: 44,
          incrs: [1, 2, 5]
            .flatMap((first) => Array.from({ length: 9 }, (_, power) => first * 10 ** power))
            .toSorted((a, b) => a - b),
          values: (_plot, splits) =>
            splits.map((count) => count.toLocaleString(language, { notation: 'compact' })),
        },
      ],
      series: [{}, ...ends.toReversed().map((end) => bar(colour(colours[end])))],
      hooks: {
        setCursor: [
          (plot) => {
            const { left = -1 } = plot.cursor
            point(left < 0 ? undefined : stepAt(plot, left))
          },
        ],
        setSelect: [
          (plot) => {
            const { left, width: selected } = plot.select
            if (selected < 4) return
            choose({
              sinceMs: startMs + Math.max(0, stepAt(plot, left)) * stepMs,
              untilMs: Math.min(endMs, startMs + (stepAt(plot, left + selected) + 1) * stepMs),
            })
          },
        ],
      },
    }
  }

/** The numbers of the plot. @param {{ timeline: Counted, choose: (range: Range) => void }} props */
const Numbers = ({ timeline, choose }) => {
  // What is rare comes first, since a narrow page shows the first columns.
  const used = ends.filter((end) => sum(timeline.ends[end]) > 0).toReversed()
  const steps = timeline.ends.allowed
    .map((_, step) => step)
    .filter((step) => used.some((end) => (timeline.ends[end][step] ?? 0) > 0))
  return e(
    'details.numbers',
    e('summary', t.asTable),
    scrollBox(
      'wide',
      t.timeline,
      {},
      e(
        'table',
        e(
          'thead',
          e(
            'tr',
            e('th', { scope: 'col' }, t.time),
            used.map((end) => e('th', { key: end, scope: 'col' }, t.ends[end])),
          ),
        ),
        e(
          'tbody',
          steps.toReversed().map((step) => {
            const range = rangeOf(timeline, step)
            return e(
              'tr',
              { key: step },
              e(
                'th',
                { scope: 'row' },
                button('quiet', spanWords(range), () => choose(range)),
              ),
              used.map((end) => e('td', { key: end }, counted(timeline.ends[end][step] ?? 0))),
            )
          }),
        ),
      ),
    ),
  )
}

/**
 * How events ended over time. The names of the ends are the key of the plot, and a tap on one shows only its
 * events.
 * @param {{ timeline: Counted, end: EventEnd | '', chooseEnd: (end: EventEnd | '') => void,
 *   choose: (range: Range) => void }} props `choose` is called with a part of the time
 */
export const Timeline = ({ timeline, end: chosen, chooseEnd, choose }) => {
  const [step, setStep] = useState(/** @type {number | undefined} */ (undefined))
  const shown = chosen === '' ? ends : [chosen]
  const data = useMemo(() => stacked(timeline, shown), [timeline, chosen])
  const make = useMemo(() => makeBars(timeline, choose, setStep), [timeline])
  const isIn = step !== undefined && step >= 0 && step < timeline.ends.allowed.length
  return e(
    'figure.timeline',
    { 'aria-label': t.timeline },
    e(
      'div.ends',
      { role: 'group', 'aria-label': t.shownEnds },
      ends
        .filter((end) => sum(timeline.ends[end]) > 0 || end === chosen)
        .toReversed()
        .map((end) => {
          const label = `${t.ends[end]} ${counted(sum(timeline.ends[end]))}`
          const toggle = () => chooseEnd(end === chosen ? '' : end)
          return button(`end.${end}`, label, toggle, { key: end, 'aria-pressed': end === chosen })
        }),
    ),
    h(Plot, { make, data, height: 120 }),
    e(
      'p.small.pointed',
      { 'aria-hidden': true },
      isIn
        ? [
            spanWords(rangeOf(timeline, step)),
            ...shown
              .filter((end) => (timeline.ends[end][step] ?? 0) > 0)
              .map((end) => `${t.ends[end]} ${counted(timeline.ends[end][step] ?? 0)}`),
          ].join(' · ')
        : t.timelineHow,
    ),
    h(Numbers, { timeline, choose }),
  )
}
