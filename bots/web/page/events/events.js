// @ts-check
import { h } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { save } from '../chat/files.js'
import { button, e, emptyLine, problemLine, scrollBox, useWork } from '../elements.js'
import { language, t } from '../language/language.js'
import { download, post } from '../session/wire.js'
import { Event } from './event.js'
import { everything, questionOf, Search } from './filters.js'
import { HookTimes } from './hooks.js'
import { loadPlots } from './plot.js'
import { Timeline } from './timeline.js'

/**
 * @typedef {import('../../../../src/shared/events/kept.ts').EventsFound} EventsFound
 * @typedef {import('../../../../src/shared/events/kept.ts').HistoryStats} HistoryStats
 * @typedef {import('./filters.js').Filter} Filter
 * @typedef {import('./filters.js').Choices} Choices
 */

/** A list of choices has so many at most. */
const maxChoices = 200

/**
 * What was seen before stays a choice, also where a filter leaves it out.
 * @param {Choices} known
 * @param {HistoryStats} stats
 * @returns {Choices}
 */
const withSeen = (known, { agents, events, hooks }) => {
  const news = hooks.filter(({ fingerprint }) =>
    known.hooks.every((hook) => hook.fingerprint !== fingerprint),
  )
  return {
    agents: [...new Set([...known.agents, ...agents])].slice(0, maxChoices),
    events: [...new Set([...known.events, ...events.map(({ name }) => name)])].slice(0, maxChoices),
    hooks: [...known.hooks, ...news].slice(0, maxChoices),
  }
}

/** Saves the events that the filter finds. @param {{ filter: Filter }} props */
const Export = ({ filter }) => {
  const { said, say, isBusy, run } = useWork()
  const load = async () => {
    say('')
    const got = await download('/api/history/export', questionOf(filter))
    if (!got.isDone) return got.why
    const blob = /** @type {Blob} */ (got.value)
    save(blob, 'hookgate-history.jsonl')
    return /\n\{"more":[^\n]*\}\n$/.test(await blob.slice(-200).text()) ? t.savedPart : t.saved
  }
  return [
    button('quiet', t.saveEvents, () => run(load), { key: 'save', 'aria-disabled': isBusy }),
    e('p.small', { key: 'said', role: 'status' }, said),
  ]
}

/** @param {HistoryStats} stats */
const countOf = ({ verdicts: { allow, ask, block } }) => allow + ask + block

/**
 * The number of events that the whole filter finds.
 * @param {HistoryStats} stats @param {Filter['end']} end
 */
const countedOf = (stats, end) => {
  const { missed, isPart, timeline } = stats
  const count = end === '' ? countOf(stats) : timeline.ends[end].reduce((sum, each) => sum + each, 0)
  return e(
    'p.counted',
    { key: 'counted', role: 'status' },
    t.eventCount(count.toLocaleString(language), count),
    isPart === true && ` · ${t.partSearched}`,
    missed > 0 && ` · ${t.missedEvents(missed.toLocaleString(language))}`,
  )
}

/** The events of the last days: what came of them over time, what hooks did, and each of them. */
export const History = () => {
  const [filter, setFilter] = useState(everything)
  const [found, setFound] = useState(/** @type {EventsFound | undefined} */ (undefined))
  const [stats, setStats] = useState(/** @type {HistoryStats | undefined} */ (undefined))
  const [choices, setChoices] = useState(/** @type {Choices} */ ({ agents: [], events: [], hooks: [] }))
  const [problem, setProblem] = useState('')
  const asked = useRef(0)

  /**
   * Asks hookgate, and gives the answer to `take` while the filter is the same.
   * @param {string} path @param {object} question @param {(value: never) => void} take
   */
  const load = async (path, question, take) => {
    const turn = asked.current
    const answer = await post(path, question)
    if (turn !== asked.current) return
    if (!answer.isDone) return setProblem(answer.why)
    take(/** @type {never} */ (answer.value))
  }
  /** @param {number} [before] */
  const loadEvents = (before) =>
    load('/api/history', { ...questionOf(filter), before }, (/** @type {EventsFound} */ more) => {
      setProblem('')
      setFound((known) =>
        before === undefined || known === undefined
          ? more
          : { ...more, events: [...known.events, ...more.events] },
      )
    })
  const count = () =>
    // How many ended in each way is counted for all of them, also while one way is chosen.
    load('/api/history/stats', questionOf({ ...filter, end: '' }), (/** @type {HistoryStats} */ counted) => {
      setStats(counted)
      setChoices((known) => withSeen(known, counted))
    })
  // It comes while the numbers of the plots are counted.
  useEffect(() => void loadPlots(), [])
  useEffect(() => {
    asked.current += 1
    void loadEvents()
    void count()
    return () => {
      asked.current += 1
    }
  }, [filter])
  const chooseRange = useCallback(
    (/** @type {import('./timeline.js').Range} */ range) => setFilter((now) => ({ ...now, last: '', range })),
    [],
  )
  const chooseEnd = (/** @type {Filter['end']} */ end) => setFilter((now) => ({ ...now, end }))
  const chooseHook = useCallback((/** @type {string} */ hook) => setFilter((now) => ({ ...now, hook })), [])

  const next = found?.next
  return scrollBox(
    'source.history',
    t.history,
    { 'aria-busy': found === undefined },
    h(Search, { filter, choices, search: setFilter }),
    problemLine(problem),
    e(
      'div.export',
      { key: 'export' },
      stats !== undefined && countedOf(stats, filter.end),
      found !== undefined && found.events.length > 0 && h(Export, { filter }),
    ),
    stats !== undefined && [
      countOf(stats) > 0 &&
        h(Timeline, {
          key: 'timeline',
          timeline: stats.timeline,
          end: filter.end,
          chooseEnd,
          choose: chooseRange,
        }),
      h(HookTimes, { key: 'hooks', hooks: stats.hooks, choose: chooseHook }),
    ],
    found === undefined
      ? problem === '' && emptyLine(t.loadingHistory)
      : found.events.length === 0 && next === undefined
        ? emptyLine(t.noEvents)
        : e(
            'ul.rows',
            { key: 'events' },
            found.events.map((event) => h(Event, { key: event.id, event })),
          ),
    next !== undefined && button('quiet', t.olderEvents, () => loadEvents(next)),
  )
}
