// @ts-check
import { language } from '../language/language.js'

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
