/** How long ago, as a person says it. */
export const ago = (atMs: number, nowMs: number): string => {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1000))
  if (seconds < 60) return 'just now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} d ago`
}

const leftWords = (ms: number): string => {
  if (ms < 60_000) return `${Math.max(0, Math.ceil(ms / 1000))} s`
  const minutes = Math.ceil(ms / 60_000)
  return minutes < 60
    ? `${minutes} min`
    : `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`
}

/** When something ends, for readers in any time zone. */
export const untilWords = (atMs: number, nowMs: number): string =>
  `until ${new Date(atMs).toISOString().slice(11, 16)} UTC (${leftWords(atMs - nowMs)})`

/** What a file or a person spread over lines, as one of them. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** What a phone shows of a line of code without breaking it. */
export const maxColumns = 44

/** Two pieces on one line where they fit on it, else on two. */
export const gap = (before: string, separator: string, after: string): string =>
  before.length + separator.length + after.length <= maxColumns ? separator : '\n  '

/** A long text by head and tail, for one line of a phone. */
export const shorten = (text: string, max = 36): string =>
  text.length <= max ? text : `${text.slice(0, Math.ceil(max * 0.55))}…${text.slice(-Math.floor(max * 0.4))}`

/** A handler on one line: a long one by head, tail and length. */
export const brief = (text: string, max = 60): string => {
  const line = oneLine(text)
  if (line.length <= max) return line
  const size = ` (${line.length} chars)`
  return shorten(line, max - size.length) + size
}

export const kilobytes = (bytes: number): string =>
  bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 100) / 10} kB`

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
