import { prose, type Timestamp, type Prose } from '../core/model/chat/prose.ts'

/** The age of a time, in words for a person. */
export const agoWords = (atMs: number, nowMs: number): Prose => {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1000))
  if (seconds < 60) return prose`just now`
  if (seconds < 3600) return prose`${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return prose`${Math.floor(seconds / 3600)} h ago`
  return prose`${Math.floor(seconds / 86_400)} d ago`
}

const leftWords = (ms: number): Prose => {
  if (ms < 60_000) return prose`${Math.max(0, Math.ceil(ms / 1000))} s`
  const minutes = Math.ceil(ms / 60_000)
  if (minutes < 60) return prose`${minutes} min`
  return minutes % 60 === 0
    ? prose`${Math.floor(minutes / 60)} h`
    : prose`${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A time as a clock shows it to the reader, with the date where it is another day. */
export const clock = (atMs: number, nowMs: number, precision: Timestamp['precision'] = 'minute'): Prose => [
  { atMs, nowMs, precision },
]

/** When something ends. */
export const untilWords = (atMs: number, nowMs: number): Prose =>
  prose`until ${clock(atMs, nowMs)} (${leftWords(atMs - nowMs)})`

/** When something happens. */
export const atWords = (atMs: number, nowMs: number): Prose =>
  prose`at ${clock(atMs, nowMs)} (in ${leftWords(atMs - nowMs)})`

/** The text on one line: every run of white space becomes one space. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Shortens a long text to its beginning and end, for one line of a phone. */
export const shorten = (text: string, max = 36): string =>
  text.length <= max ? text : `${text.slice(0, Math.ceil(max * 0.55))}…${text.slice(-Math.floor(max * 0.4))}`

/** The beginning of a sentence that may be too long. */
export const beginning = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`

/** A handler on one line. A long one is shown by its beginning, end and length. */
export const brief = (text: string, max = 60): string => {
  const line = oneLine(text)
  if (line.length <= max) return line
  const size = ` (${line.length} chars)`
  return shorten(line, max - size.length) + size
}

/** The same in the language of its reader. */
export const briefWords = (text: string, max = 60): Prose => {
  const line = oneLine(text)
  if (line.length <= max) return prose`${line}`
  const size = ` (${line.length} chars)`
  return prose`${shorten(line, max - size.length)} (${line.length} chars)`
}

export const kilobytes = (bytes: number): string =>
  bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 100) / 10} kB`

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
