const units = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000 } as const
const written = /^(\d{1,5}) ?(s|min|m|h)$/

/** Parses `90s`, `15m` or `2h` into milliseconds. Undefined for anything else and for zero. */
export const readDuration = (text: string): number | undefined => {
  const [, count, unit] = written.exec(text.trim().toLowerCase()) ?? []
  const each = unit === 's' || unit === 'm' || unit === 'min' || unit === 'h' ? units[unit] : 0
  const ms = Number(count) * each
  return ms > 0 ? ms : undefined
}

/** Formats milliseconds as a person would type them. */
export const durationWords = (ms: number): string => {
  if (ms % units.h === 0) return `${ms / units.h}h`
  return ms % units.m === 0 ? `${ms / units.m}m` : `${Math.ceil(ms / 1000)}s`
}
