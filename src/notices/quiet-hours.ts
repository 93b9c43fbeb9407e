import type { QuietHours } from '../core/model/hooks/entry.ts'

const dayMinutes = 24 * 60
const written = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/

/** The minute of the day in a time zone. Without one, in that of the machine. */
export const minuteOfDay = (atMs: number, tz: string | undefined): number => {
  const format = new Intl.DateTimeFormat('sv-SE', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(tz === undefined ? {} : { timeZone: tz }),
  })
  const [hour = '0', minute = '0'] = format.format(atMs).split(':')
  return Number(hour) * 60 + Number(minute)
}

/** The hours of one owner. */
export const hoursOf = (quiet: QuietHours | undefined, owner: string): string | undefined => {
  if (typeof quiet !== 'object') return quiet
  return Object.hasOwn(quiet, owner) ? quiet[owner] : undefined
}

/**
 * The minutes until the quiet hours end, or 0 when it is not quiet now. Hours that end when they begin are
 * none.
 */
export const quietMinutesLeft = (hours: string | undefined, minute: number): number => {
  const parts = hours === undefined ? null : written.exec(hours)
  if (parts === null) return 0
  const [, fromHour, fromMinute, toHour, toMinute] = parts.map(Number)
  const from = (fromHour ?? 0) * 60 + (fromMinute ?? 0)
  const to = (toHour ?? 0) * 60 + (toMinute ?? 0)
  const since = (minute - from + dayMinutes) % dayMinutes
  const length = (to - from + dayMinutes) % dayMinutes
  return since < length ? length - since : 0
}
