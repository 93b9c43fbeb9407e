// @ts-check
import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../language/language.js'
import { post } from '../session/wire.js'
import { visible, visibleCode } from '../text.js'

/**
 * @typedef {import('../../../../src/model/events/kept.ts').KeptEvent} KeptEvent
 * @typedef {import('../../../../src/model/events/kept.ts').EventsFound} EventsFound
 * @typedef {{ verdict: string, text: string }} Filter
 */

/** @type {Filter} */
const everything = { verdict: '', text: '' }

/** @param {number} atMs */
const timeWords = (atMs) =>
  new Date(atMs).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' })

/** @param {number} ms */
const msWords = (ms) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`

/** @param {unknown} value */
const codeOf = (value) => visibleCode(typeof value === 'string' ? value : JSON.stringify(value, null, 2))

/** @param {{ hooks: KeptEvent['hooks'] }} props */
const Hooks = ({ hooks }) =>
  hooks.length === 0
    ? h('p', { class: 'small' }, t.noHookAsked)
    : h(
        'ul',
        { class: 'details' },
        hooks.map(({ label, deed, durationMs }, index) =>
          h(
            'li',
            { key: index },
            `${t.deeds[deed]} · `,
            h('bdi', null, visible(label)),
            durationMs === undefined ? '' : ` · ${msWords(durationMs)}`,
          ),
        ),
      )

/** A field as it came, beside what hooks made of it. @param {{ event: KeptEvent }} props */
const Changes = ({ event: { payload, changed } }) =>
  changed === undefined
    ? null
    : h(
        'div',
        { class: 'changes' },
        Object.entries(changed).map(([field, after]) =>
          h(
            'section',
            { key: field, 'aria-label': t.changedField(field) },
            h('h3', { dir: 'auto' }, visible(field)),
            h(
              'div',
              { class: 'sides' },
              h(
                'div',
                null,
                h('p', { class: 'small' }, t.asItCame),
                h('pre', null, codeOf(payload?.[field] ?? null)),
              ),
              h('div', null, h('p', { class: 'small' }, t.asHooksLeftIt), h('pre', null, codeOf(after))),
            ),
          ),
        ),
      )

/** @param {{ event: KeptEvent }} props */
const Event = ({ event }) => {
  const { id, atMs, event: name, agent, tool, verdict, by, reason, payload, isCut } = event
  return h(
    'li',
    { class: `kept ${verdict}` },
    h(
      'details',
      null,
      h(
        'summary',
        null,
        h('span', { class: 'pill' }, t.verdicts[verdict]),
        h('span', { class: 'kept-name' }, visible(tool === undefined ? name : `${name} · ${tool}`)),
        h('span', { class: 'small' }, `${timeWords(atMs)} · ${visible(agent)}`),
      ),
      reason !== undefined &&
        h('p', { dir: 'auto' }, visible(by === undefined ? reason : `${by}: ${reason}`)),
      h(Hooks, { hooks: event.hooks }),
      h(Changes, { event }),
      isCut === true && h('p', { class: 'small' }, t.isCut),
      payload === undefined ? h('p', { class: 'small' }, t.noPayload) : h('pre', null, codeOf(payload)),
      h('p', { class: 'small' }, `/hooks why ${visible(id)}`),
    ),
  )
}

/** @param {{ search: (filter: Filter) => void }} props */
const Search = ({ search }) => {
  const [filter, setFilter] = useState(everything)
  /** @param {Filter} next */
  const choose = (next) => {
    setFilter(next)
    search(next)
  }
  return h(
    'form',
    {
      class: 'search',
      role: 'search',
      onSubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault()
        search(filter)
      },
    },
    h('input', {
      type: 'search',
      'aria-label': t.searchText,
      placeholder: t.searchText,
      maxLength: 200,
      value: filter.text,
      onInput: (/** @type {InputEvent} */ event) =>
        setFilter({ ...filter, text: /** @type {HTMLInputElement} */ (event.target).value }),
    }),
    h(
      'select',
      {
        'aria-label': t.verdict,
        value: filter.verdict,
        onChange: (/** @type {InputEvent} */ event) =>
          choose({ ...filter, verdict: /** @type {HTMLSelectElement} */ (event.target).value }),
      },
      h('option', { value: '' }, t.everyVerdict),
      Object.entries(t.verdicts).map(([verdict, words]) =>
        h('option', { key: verdict, value: verdict }, words),
      ),
    ),
    h('button', { type: 'submit', class: 'quiet' }, t.search),
  )
}

/** @param {Filter} filter @param {number | undefined} before */
const questionOf = ({ verdict, text }, before) => ({
  ...(verdict === '' ? {} : { verdict }),
  ...(text.trim() === '' ? {} : { text: text.trim() }),
  ...(before === undefined ? {} : { before }),
})

/** The events of the last days, the newest first. */
export const History = () => {
  const [filter, setFilter] = useState(everything)
  const [found, setFound] = useState(/** @type {EventsFound | undefined} */ (undefined))
  const [problem, setProblem] = useState('')
  /** @param {number} [before] @param {() => boolean} [isLate] */
  const load = async (before, isLate = () => false) => {
    const answer = await post('/api/history', questionOf(filter, before))
    if (isLate()) return
    if (!answer.isDone) return setProblem(answer.why)
    const more = /** @type {EventsFound} */ (answer.value)
    setProblem('')
    setFound((known) =>
      before === undefined || known === undefined
        ? more
        : { ...more, events: [...known.events, ...more.events] },
    )
  }
  useEffect(() => {
    let isLate = false
    void load(undefined, () => isLate)
    return () => {
      isLate = true
    }
  }, [filter])
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
    h(Search, { search: setFilter }),
    problem !== '' && h('p', { class: 'problem', role: 'alert' }, problem),
    found === undefined
      ? problem === '' && h('p', { class: 'empty', role: 'status' }, t.loadingHistory)
      : found.events.length === 0 && next === undefined
        ? h('p', { class: 'empty', role: 'status' }, t.noEvents)
        : h(
            'ul',
            { class: 'rows' },
            found.events.map((event) => h(Event, { key: event.id, event })),
          ),
    next !== undefined &&
      h('button', { type: 'button', class: 'quiet', onClick: () => void load(next) }, t.olderEvents),
  )
}
