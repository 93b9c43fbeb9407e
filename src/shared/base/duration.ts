import { units } from '../../core/model/base/clock.ts'

/** A time limit in words, with two digits. */
export const secondsWords = (ms: number): string => `${Number((ms / 1000).toPrecision(2))} s`

const written = /^(\d{1,5}) ?(s|min|m|h)$/
/** Parses `90s`, `15m` or `2h` into milliseconds. Undefined for anything else and for zero. */
export const readDuration = (text: string): number | undefined => {
  const [, count, unit] = written.exec(text.trim().toLowerCase()) ?? []
  const each = unit === 's' || unit === 'm' || unit === 'min' || unit === 'h' ? units[unit] : 0
  const ms = Number(count) * each
  return ms > 0 ? ms : undefined
}
