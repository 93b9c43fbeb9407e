// @ts-check
import { h } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { save } from '../chat/files.js'
import { language, t } from '../language/language.js'
import { download, post } from '../session/wire.js'
import { Event } from './event.js'
import { everything, questionOf, Search } from './filters.js'
import { HookTimes } from './hooks.js'
import { loadPlots } from './plot.js'
import { Timeline } from './timeline.js'

/**
 * @typedef {import('../../../../src/core/model/events/kept.ts').EventsFound} EventsFound
 * @typedef {import('../../../../src/core/model/events/kept.ts').HistoryStats} HistoryStats
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
  const [said, setSaid] = useState('')
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    if (isBusy) return
    setBusy(true)
    setSaid('')
    const got = await download('/api/history/export', questionOf(filter))
    setBusy(false)
    if ('why' in got) return setSaid(got.why)
    save(got.blob, 'hookgate-history.jsonl')
    const end = await got.blob.slice(-200).text()
    setSaid(/\n\{"more":[^\n]*\}\n$/.test(end) ? t.savedPart : t.saved)
  }
  return h(
    'p',
    { class: 'export' },
    h('span', { class: 'small', role: 'status' }, said),
    h(
      'button',
      { type: 'button', class: 'quiet', 'aria-disabled': isBusy, onClick: () => void run() },
      t.saveEvents,
    ),
  )
}

/** @param {HistoryStats} stats */
const countOf = ({ verdicts: { allow, ask, block } }) => allow + ask + block

/** @param {{ stats: HistoryStats }} props */
const Counted = ({ stats }) => {
  const { changed, missed, isPart } = stats
  const count = countOf(stats)
  return h(
    'p',
    { class: 'counted', role: 'status' },
    t.eventCount(count.toLocaleString(language), count),
    changed > 0 && ` · ${t.changedCount(changed.toLocaleString(language))}`,
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

  /** @param {number} [before] */
  const load = async (before) => {
    const turn = asked.current
    const answer = await post('/api/history', {
      ...questionOf(filter),
      before,
    })
    if (turn !== asked.current) return
    if (!answer.isDone) return setProblem(answer.why)
    const more = /** @type {EventsFound} */ (answer.value)
    setProblem('')
    setFound((known) =>
      before === undefined || known === undefined
        ? more
        : { ...more, events: [...known.events, ...more.events] },
    )
  }
  const count = async () => {
    const turn = asked.current
    const answer = await post('/api/history/stats', questionOf(filter))
    if (turn !== asked.current) return
    if (!answer.isDone) return setProblem(answer.why)
    const counted = /** @type {HistoryStats} */ (answer.value)
    setStats(counted)
    setChoices((known) => withSeen(known, counted))
  }
  // It comes while the numbers of the plots are counted.
  useEffect(() => void loadPlots(), [])
  useEffect(() => {
    asked.current += 1
    void load()
    void count()
    return () => {
      asked.current += 1
    }
  }, [filter])
  const chooseRange = useCallback(
    (/** @type {import('./timeline.js').Range} */ range) => setFilter((now) => ({ ...now, last: '', range })),
    [],
  )
  const chooseHook = useCallback((/** @type {string} */ hook) => setFilter((now) => ({ ...now, hook })), [])

  const next = found?.next
  return h(
    'div',
    {
      class: 'source history',
      tabIndex: 0,
      role: 'group',
      'aria-label': t.history,
      'aria-busy': found === undefined,
    },
    h(Search, { filter, choices, search: setFilter }),
    problem !== '' && h('p', { class: 'problem', role: 'alert' }, problem),
    stats !== undefined && [
      h(Counted, { key: 'counted', stats }),
      countOf(stats) > 0 && h(Timeline, { key: 'timeline', timeline: stats.timeline, choose: chooseRange }),
      h(HookTimes, { key: 'hooks', hooks: stats.hooks, choose: chooseHook }),
    ],
    found === undefined
      ? problem === '' && h('p', { class: 'empty', role: 'status' }, t.loadingHistory)
      : found.events.length === 0 && next === undefined
        ? h('p', { class: 'empty', role: 'status' }, t.noEvents)
        : [
            h(Export, { key: 'export', filter }),
            h(
              'ul',
              { key: 'events', class: 'rows' },
              found.events.map((event) => h(Event, { key: event.id, event })),
            ),
          ],
    next !== undefined &&
      h('button', { type: 'button', class: 'quiet', onClick: () => void load(next) }, t.olderEvents),
  )
}
