import type { JsonObject } from '../../core/model/base/json.ts'

export interface CalendarClock {
  now(): number
  /** An IANA time zone name. When it is absent, the machine's zone is used. */
  readonly tz?: string
}

/**
 * Answers with the date in the owner's configured time zone. Throws a RangeError for a zone that this machine
 * does not know.
 */
export const dateBuiltin = ({ now, tz }: CalendarClock): JsonObject => {
  // The Swedish date format is the one of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    timeZone: tz,
  })
  return { context: `Today's date: ${format.format(now())}` }
}
