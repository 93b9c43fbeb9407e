import type { JsonObject } from '../../model/base/json.ts'

export interface CalendarClock {
  now(): number
  /** An IANA name; absent: the machine's. */
  readonly tz?: string
}

/** The date as the owner's configured zone has it. Throws a RangeError for a zone that this machine does not know. */
export const dateBuiltin = ({ now, tz }: CalendarClock): JsonObject => {
  // Swedish writes a date as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    ...(tz === undefined ? {} : { timeZone: tz }),
  })
  return { context: `Today's date: ${format.format(now())}` }
}
