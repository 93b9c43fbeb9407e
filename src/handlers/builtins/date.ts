import type { JsonObject } from '../../core/model/base/json.ts'

export interface CalendarClock {
  now(): number
  /** An IANA time zone name. When it is absent, the machine's zone is used. */
  readonly tz?: string
}

/** The Swedish date format is the one of ISO 8601. */
export const dayFormat = (timeZone: string | undefined): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('sv-SE', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone })

/**
 * Answers with the date in the owner's configured time zone. Throws a RangeError for a zone that this machine
 * does not know.
 */
export const dateBuiltin = ({ now, tz }: CalendarClock): JsonObject => ({
  context: `Today's date: ${dayFormat(tz).format(now())}`,
})
