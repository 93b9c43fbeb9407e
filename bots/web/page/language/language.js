// @ts-check
import { en } from './en.js'
import { zh } from './zh.js'

/** @typedef {'en' | 'zh'} Language */

/** The texts of each language. @type {Readonly<Record<Language, typeof en>>} */
export const tables = { en, zh }
const tags = { en: 'en', zh: 'zh-Hans' }
const storageKey = 'hookgate.language'

/** The language of the page now. @type {Language} */
export let language = 'en'
/** The texts of the page now. @type {typeof en} */
export let t = en

/** @param {string | null | undefined} name @returns {name is Language} */
const isLanguage = (name) => name === 'en' || name === 'zh'

/** The first language of this browser that the page has. */
const ofBrowser = () =>
  navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((name) => isLanguage(name)) ?? 'en'

/** @param {Language} name */
const use = (name) => {
  language = name
  t = tables[name]
  document.documentElement.lang = tags[name]
}

/**
 * Uses the language that the person chose for the chat, else the one chosen in this browser, else that of the
 * browser.
 * @param {string} [ofGate]
 */
export const startLanguage = (ofGate) => {
  const chosen = localStorage.getItem(storageKey)
  use(isLanguage(ofGate) ? ofGate : isLanguage(chosen) ? chosen : ofBrowser())
}

/** Uses this language from now on, in each tab of this browser. @param {Language} name */
export const chooseLanguage = (name) => {
  localStorage.setItem(storageKey, name)
  use(name)
}

/**
 * The time zone that the gate knows of its person. Undefined: that of this browser.
 * @type {string | undefined}
 */
export let zone
/**
 * One formatter for each zone, because making one takes long.
 * @type {Map<string | undefined, Intl.DateTimeFormat>}
 */
const formatters = new Map()

/** @param {string | undefined} name */
export const useZone = (name) => {
  zone = name
}

/** The parts of a time in the time zone of the page. @param {number} atMs */
const partsOf = (atMs) => {
  const formatter =
    formatters.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
  formatters.set(zone, formatter)
  const parts = Object.fromEntries(formatter.formatToParts(atMs).map(({ type, value }) => [type, value]))
  const { year = '', month = '', day = '', hour = '', minute = '', second = '' } = parts
  return { date: `${year}-${month}-${day}`, dayOfYear: `${month}-${day}`, time: `${hour}:${minute}`, second }
}

/** The month and the day of a time, for the marks of a plot. @param {number} atMs */
export const dayWords = (atMs) => partsOf(atMs).dayOfYear
/** The hour and the minute of a time, for the marks of a plot. @param {number} atMs */
export const hourWords = (atMs) => partsOf(atMs).time

/**
 * A time as the gate writes it in its notices: `21:51`, and on another day than today with its date.
 * @param {number} atMs @param {boolean} [isExact] with the seconds
 */
export const timeWords = (atMs, isExact = false) => {
  const { date, time, second } = partsOf(atMs)
  return `${date === partsOf(Date.now()).date ? '' : `${date} `}${time}${isExact ? `:${second}` : ''}`
}

/**
 * A part of a time. Its end has no date on the same day.
 * @param {{ sinceMs: number, untilMs: number }} range
 */
export const spanWords = ({ sinceMs, untilMs }) => {
  const [since, until] = [partsOf(sinceMs), partsOf(untilMs)]
  return since.date === until.date
    ? `${timeWords(sinceMs)}–${until.time}`
    : `${since.date} ${since.time} – ${until.date} ${until.time}`
}

/** @param {number} ms */
export const msWords = (ms) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString(language)} ms`
