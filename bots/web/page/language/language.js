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
