// @ts-check
import { useState } from 'preact/hooks'
import { bound, button, e, form } from '../elements.js'
import { spanWords, t } from '../language/language.js'
import { shortName, visible } from '../text.js'

/**
 * @typedef {{ text: string, end: import('./timeline.js').EventEnd | '', what: string, agent: string,
 *   event: string, hook: string, last: string, range?: import('./timeline.js').Range | undefined }} Filter
 * @typedef {{ agents: readonly string[], events: readonly string[],
 *   hooks: readonly { fingerprint: string, label: string, event: string }[] }} Choices
 */

/** @type {Filter} */
export const everything = { text: '', end: '', what: '', agent: '', event: '', hook: '', last: '' }

const hourMs = 60 * 60_000
/** @type {Readonly<Record<string, number>>} */
const lastMs = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs }
const deeds = /** @type {const} */ (['wrote', 'failed', 'shadow blocked', 'shadow wrote', 'shadow asked'])

/** A choice and its words. @param {string} key @param {string} words */
const pair = (key, words) => /** @type {const} */ ([key, words])

/** What the server is asked. @param {Filter} filter */
export const questionOf = ({ text, end, what, agent, event, hook, last, range }) => ({
  text: text.trim() || undefined,
  end: end || undefined,
  deed: what || undefined,
  agent: agent || undefined,
  event: event || undefined,
  hook: hook || undefined,
  last_ms: last === '' ? undefined : lastMs[last],
  since_ms: range?.sinceMs,
  until_ms: range?.untilMs,
})

/**
 * A list of choices: its name, its value, the words of no choice, and the choices.
 * @param {readonly [label: string, value: string, all: string, options: readonly (readonly [string, string])[]]} list
 * @param {(value: string) => void} choose
 */
const choiceOf = ([label, value, all, options], choose) =>
  e(
    'select',
    {
      key: label,
      'aria-label': label,
      value,
      onChange: (/** @type {{ currentTarget: HTMLSelectElement }} */ event) =>
        choose(event.currentTarget.value),
    },
    e('option', { value: '' }, all),
    options.map(([key, words]) => e('option', { key, value: key }, words)),
  )

/** @param {{ filter: Filter, choices: Choices, search: (filter: Filter) => void }} props */
export const Search = ({ filter, choices, search }) => {
  const [text, setText] = useState(filter.text)
  /** @param {Partial<Filter>} change */
  const choose = (change) => search({ ...filter, text, ...change })
  const { last, what, agent, event, hook, range } = filter
  const agents = choices.agents.map((name) => pair(name, shortName(name)))
  const events = choices.events.map((name) => pair(name, visible(name)))
  const hooks = choices.hooks.map(({ fingerprint, label, event: of }) =>
    pair(fingerprint, `${shortName(label)} · ${visible(of)}`),
  )
  const done = deeds.map((deed) => pair(deed, t.withDeed[deed]))
  const used = [last, what, agent, event, hook].filter((value) => value !== '').length
  return form(
    'search',
    { role: 'search' },
    () => choose({}),
    e('input', {
      type: 'search',
      'aria-label': t.searchText,
      placeholder: t.searchText,
      maxLength: 200,
      ...bound(text, setText),
    }),
    e('button.quiet', { type: 'submit' }, t.search),
    e(
      'details.filters',
      e('summary', used === 0 ? t.filters : t.filtersUsed(used)),
      e(
        'div.choices',
        choiceOf([t.time, last, t.everyTime, Object.entries(t.lastTimes)], (last) =>
          choose({ last, range: undefined }),
        ),
        choiceOf([t.deedName, what, t.everyDeed, done], (what) => choose({ what })),
        choiceOf([t.agentName, agent, t.everyAgent, agents], (agent) => choose({ agent })),
        choiceOf([t.eventName, event, t.everyEvent, events], (event) => choose({ event })),
        choiceOf([t.hookName, hook, t.everyHook, hooks], (hook) => choose({ hook })),
      ),
    ),
    range !== undefined &&
      button('quiet.range', t.wholeTime(spanWords(range)), () => choose({ range: undefined })),
  )
}
