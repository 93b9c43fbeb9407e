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

/** @param {number} atMs */
export const timeWords = (atMs) =>
  new Date(atMs).toLocaleString(language, { dateStyle: 'short', timeStyle: 'medium' })

/** A part of a time, without what its two ends share. @param {{ sinceMs: number, untilMs: number }} range */
export const spanWords = ({ sinceMs, untilMs }) =>
  new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).formatRange(sinceMs, untilMs)

/** @param {number} ms */
export const msWords = (ms) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString(language)} ms`
