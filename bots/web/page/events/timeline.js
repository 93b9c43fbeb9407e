// @ts-check
import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { language, t } from '../language/language.js'
import { axisLook, Plot } from './plot.js'
import { spanWords } from './words.js'

/**
 * @typedef {import('../../../../src/core/model/events/kept.ts').EventEnd} EventEnd
 * @typedef {import('../../../../src/core/model/events/kept.ts').Timeline} Counted
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
    /** @type {Intl.DateTimeFormatOptions} */
    const format = isLong
      ? { day: 'numeric', month: 'numeric' }
      : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
    const bars = library.paths.bars?.({ size: [0.86, 60], align: 1 })
    return {
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
          values: (_plot, splits) =>
            splits.map((seconds) => new Date(seconds * 1000).toLocaleString(language, format)),
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
      series: [
        {},
        ...ends.toReversed().map((end) => ({
          ...(bars === undefined ? {} : { paths: bars }),
          points: { show: false },
          fill: colour(colours[end]),
          width: 0,
        })),
      ],
      hooks: {
        setCursor: [
          (plot) =>
            point(
              plot.cursor.left === undefined || plot.cursor.left < 0
                ? undefined
                : Math.floor((plot.posToVal(plot.cursor.left, 'x') * 1000 - startMs) / stepMs),
            ),
        ],
        setSelect: [
          (plot) => {
            const { left, width: selected } = plot.select
            if (selected < 4) return
            const [first, last] = [left, left + selected].map((at) =>
              Math.floor((plot.posToVal(at, 'x') * 1000 - startMs) / stepMs),
            )
            choose({
              sinceMs: startMs + Math.max(0, first ?? 0) * stepMs,
              untilMs: Math.min(endMs, startMs + ((last ?? 0) + 1) * stepMs),
            })
          },
        ],
      },
    }
  }

/**
 * A button that shows or hides how events ended.
 * @param {{ end: EventEnd, count: number, isShown: boolean, onToggle: () => void }} props
 */
const EndButton = ({ end, count, isShown, onToggle }) =>
  h(
    'button',
    { type: 'button', class: `end ${end}`, 'aria-pressed': isShown, onClick: onToggle },
    `${t.ends[end]} ${count.toLocaleString(language)}`,
  )

/** The numbers of the plot. @param {{ timeline: Counted, choose: (range: Range) => void }} props */
const Numbers = ({ timeline, choose }) => {
  // What is rare comes first, since a narrow page shows the first columns.
  const used = ends.filter((end) => sum(timeline.ends[end]) > 0).toReversed()
  const steps = timeline.ends.allowed
    .map((_, step) => step)
    .filter((step) => used.some((end) => (timeline.ends[end][step] ?? 0) > 0))
  return h(
    'details',
    { class: 'numbers' },
    h('summary', null, t.asTable),
    h(
      'div',
      { class: 'wide', tabIndex: 0, role: 'group', 'aria-label': t.timeline },
      h(
        'table',
        null,
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            h('th', { scope: 'col' }, t.time),
            used.map((end) => h('th', { key: end, scope: 'col' }, t.ends[end])),
          ),
        ),
        h(
          'tbody',
          null,
          steps.toReversed().map((step) => {
            const range = rangeOf(timeline, step)
            return h(
              'tr',
              { key: step },
              h(
                'th',
                { scope: 'row' },
                h(
                  'button',
                  { type: 'button', class: 'quiet', onClick: () => choose(range) },
                  spanWords(range),
                ),
              ),
              used.map((end) =>
                h('td', { key: end }, (timeline.ends[end][step] ?? 0).toLocaleString(language)),
              ),
            )
          }),
        ),
      ),
    ),
  )
}

/**
 * How events ended over time.
 * @param {{ timeline: Counted, choose: (range: Range) => void }} props `choose` is called with a part of the
 * time
 */
export const Timeline = ({ timeline, choose }) => {
  const [hidden, setHidden] = useState(/** @type {readonly EventEnd[]} */ ([]))
  const [step, setStep] = useState(/** @type {number | undefined} */ (undefined))
  const shown = ends.filter((end) => !hidden.includes(end))
  const data = useMemo(() => stacked(timeline, shown), [timeline, hidden])
  const make = useMemo(() => makeBars(timeline, choose, setStep), [timeline])
  const isIn = step !== undefined && step >= 0 && step < timeline.ends.allowed.length
  return h(
    'figure',
    { class: 'timeline' },
    h('figcaption', null, t.timeline),
    h(
      'div',
      { class: 'ends', role: 'group', 'aria-label': t.shownEnds },
      ends
        .filter((end) => sum(timeline.ends[end]) > 0)
        .map((end) =>
          h(EndButton, {
            key: end,
            end,
            count: sum(timeline.ends[end]),
            isShown: shown.includes(end),
            onToggle: () =>
              setHidden(hidden.includes(end) ? hidden.filter((one) => one !== end) : [...hidden, end]),
          }),
        ),
    ),
    h(Plot, { make, data, height: 170 }),
    h(
      'p',
      { class: 'small pointed', 'aria-hidden': true },
      isIn
        ? [
            spanWords(rangeOf(timeline, step)),
            ...shown
              .filter((end) => (timeline.ends[end][step] ?? 0) > 0)
              .map((end) => `${t.ends[end]} ${(timeline.ends[end][step] ?? 0).toLocaleString(language)}`),
          ].join(' · ')
        : t.timelineHow,
    ),
    h(Numbers, { timeline, choose }),
  )
}
