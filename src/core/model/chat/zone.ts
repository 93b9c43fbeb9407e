/**
 * The time zone in which a person reads times. `isOwn`: the person chose it. Otherwise the machine's is used.
 */
export interface Zone {
  /** A name of the IANA time zone database, such as Asia/Shanghai. */
  readonly name: string
  readonly isOwn: boolean
}

export const utc: Zone = { name: 'UTC', isOwn: false }

/** One formatter for each zone, because making one takes milliseconds. */
const formatters = new Map<string, Intl.DateTimeFormat>()
const maxFormatters = 100

const formatterOf = (name: string): Intl.DateTimeFormat => {
  const known = formatters.get(name)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: name,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  })
  if (formatters.size >= maxFormatters) formatters.clear()
  formatters.set(name, made)
  return made
}

export const partsOf = (atMs: number, name: string): ((type: Intl.DateTimeFormatPartTypes) => string) => {
  const parts = formatterOf(name).formatToParts(atMs)
  return (type) => parts.find((part) => part.type === type)?.value ?? ''
}

export const dateOf = (part: (type: Intl.DateTimeFormatPartTypes) => string): string =>
  `${part('year')}-${part('month')}-${part('day')}`

/**
 * A time as a clock of the zone shows it: `21:51`, or `21:51:03`. On another day than `nowMs` it has the
 * date. A reader who chose no zone sees the zone's name behind the minutes, since it may not be theirs.
 */
export const clockWords = (
  at: { readonly atMs: number; readonly nowMs: number; readonly precision: 'minute' | 'second' },
  zone: Zone,
): string => {
  const part = partsOf(at.atMs, zone.name)
  const seconds = at.precision === 'second' ? `:${part('second')}` : ''
  const time = `${part('hour')}:${part('minute')}${seconds}`
  const date = dateOf(part)
  const isToday = date === dateOf(partsOf(at.nowMs, zone.name))
  const suffix = zone.isOwn || at.precision === 'second' ? '' : ` ${part('timeZoneName')}`
  return `${isToday ? '' : `${date} `}${time}${suffix}`
}
