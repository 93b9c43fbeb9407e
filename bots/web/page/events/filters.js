// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../language/language.js'
import { shortName, visible } from '../text.js'
import { spanWords } from './words.js'

/**
 * @typedef {{ text: string, what: string, agent: string, event: string, hook: string, last: string,
 *   range?: import('./timeline.js').Range | undefined }} Filter
 * @typedef {{ agents: readonly string[], events: readonly string[],
 *   hooks: readonly { fingerprint: string, label: string, event: string }[] }} Choices
 */

/** @type {Filter} */
export const everything = { text: '', what: '', agent: '', event: '', hook: '', last: '' }

const hourMs = 60 * 60_000
/** @type {Readonly<Record<string, number>>} */
const lastMs = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs }
const verdicts = /** @type {const} */ (['allow', 'ask', 'block'])
const deeds = /** @type {const} */ (['wrote', 'failed', 'shadow blocked', 'shadow wrote', 'shadow asked'])

/** A choice and its words. @param {string} key @param {string} words */
const pair = (key, words) => /** @type {const} */ ([key, words])

/** What the server is asked. @param {Filter} filter */
export const questionOf = ({ text, what, agent, event, hook, last, range }) => ({
  text: text.trim() || undefined,
  ...(what === '' ? {} : verdicts.some((verdict) => verdict === what) ? { verdict: what } : { deed: what }),
  agent: agent || undefined,
  event: event || undefined,
  hook: hook || undefined,
  last_ms: last === '' ? undefined : lastMs[last],
  since_ms: range?.sinceMs,
  until_ms: range?.untilMs,
})

/**
 * @param {{ label: string, value: string, all: string, choose: (value: string) => void,
 *   options: readonly (readonly [string, string])[] }} props
 */
const Choice = ({ label, value, all, choose, options }) =>
  h(
    'select',
    {
      'aria-label': label,
      value,
      onChange: (/** @type {InputEvent} */ event) =>
        choose(/** @type {HTMLSelectElement} */ (event.target).value),
    },
    h('option', { value: '' }, all),
    options.map(([key, words]) => h('option', { key, value: key }, words)),
  )

/** @param {{ filter: Filter, choices: Choices, search: (filter: Filter) => void }} props */
export const Search = ({ filter, choices, search }) => {
  const [text, setText] = useState(filter.text)
  /** @param {Partial<Filter>} change */
  const choose = (change) => search({ ...filter, text, ...change })
  return h(
    'form',
    {
      class: 'search',
      role: 'search',
      onSubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault()
        choose({})
      },
    },
    h('input', {
      type: 'search',
      'aria-label': t.searchText,
      placeholder: t.searchText,
      maxLength: 200,
      value: text,
      onInput: (/** @type {InputEvent} */ event) =>
        setText(/** @type {HTMLInputElement} */ (event.target).value),
    }),
    h('button', { type: 'submit', class: 'quiet' }, t.search),
    h(
      'div',
      { class: 'choices' },
      h(Choice, {
        label: t.time,
        value: filter.last,
        all: t.everyTime,
        choose: (last) => choose({ last, range: undefined }),
        options: Object.entries(t.lastTimes),
      }),
      h(Choice, {
        label: t.verdict,
        value: filter.what,
        all: t.everyVerdict,
        choose: (what) => choose({ what }),
        options: [
          ...verdicts.map((verdict) => pair(verdict, t.verdicts[verdict])),
          ...deeds.map((deed) => pair(deed, t.withDeed[deed])),
        ],
      }),
      h(Choice, {
        label: t.agentName,
        value: filter.agent,
        all: t.everyAgent,
        choose: (agent) => choose({ agent }),
        options: choices.agents.map((agent) => pair(agent, shortName(agent))),
      }),
      h(Choice, {
        label: t.eventName,
        value: filter.event,
        all: t.everyEvent,
        choose: (event) => choose({ event }),
        options: choices.events.map((event) => pair(event, visible(event))),
      }),
      h(Choice, {
        label: t.hookName,
        value: filter.hook,
        all: t.everyHook,
        choose: (hook) => choose({ hook }),
        options: choices.hooks.map(({ fingerprint, label, event }) =>
          pair(fingerprint, `${shortName(label)} · ${visible(event)}`),
        ),
      }),
    ),
    filter.range !== undefined &&
      h(
        'button',
        { type: 'button', class: 'quiet range', onClick: () => choose({ range: undefined }) },
        t.wholeTime(spanWords(filter.range)),
      ),
  )
}
