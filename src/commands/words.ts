/** How long ago, as a person says it. */
export const ago = (atMs: number, nowMs: number): string => {
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1000))
  if (seconds < 60) return 'just now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} d ago`
}

/** A long command by head and tail, for one line of a phone. */
export const shorten = (text: string, max = 36): string =>
  text.length <= max ? text : `${text.slice(0, Math.ceil(max * 0.55))}…${text.slice(-Math.floor(max * 0.4))}`

export const kilobytes = (bytes: number): string => (bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 100) / 10} kB`)

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
