import type { EventEnd, EventsFilter } from '../shared/events/kept.ts'

/** A question looks at the payloads of at most so many events, so that it is answered soon. */
export const maxSearched = 5000

const ofDeed = '(?7 IS NULL OR fingerprint = ?7) AND (?8 IS NULL OR deed = ?8)'

/** How an event that went on ended, as `endOf` of the statistics has it. */
const endOfAllowed = `CASE WHEN EXISTS (SELECT 1 FROM deed WHERE deed.row = event.row AND deed = 'failed')
  THEN 'failed' WHEN isChanged = 1 THEN 'changed' ELSE 'allowed' END`

const conditionsWith = (deedCondition: string): string =>
  `row < ?1 AND at >= ?2 AND (?3 IS NULL OR at < ?3) AND (?4 IS NULL OR agent = ?4)
    AND (?5 IS NULL OR name = ?5) AND (?6 IS NULL OR verdict = ?6 OR verdict = 'allow' AND ?6 = ${endOfAllowed})
    AND (?7 IS NULL AND ?8 IS NULL OR ${deedCondition})`

/**
 * The condition on the table of events, with ?1 as the row that they come before, and ?2 to ?8 as the values
 * of a filter. It looks for the deeds of each event, which is best for a part of the events.
 */
export const conditions = conditionsWith(
  `EXISTS (SELECT 1 FROM deed WHERE deed.row = event.row AND ${ofDeed})`,
)

/** The same condition, which reads all deeds once. This is best where few of all events fit. */
export const conditionsOnAll = conditionsWith(`row IN (SELECT row FROM deed WHERE ${ofDeed})`)

export type FilterValues = readonly (string | number | null)[]

/** The verdicts that are ends, too. An event that was allowed can end in three ways. */
const verdictOf: Partial<Readonly<Record<EventEnd, string>>> = { asked: 'ask', blocked: 'block' }

/** The values of ?1 to ?8. */
export const valuesOfFilter = (
  { sinceMs, untilMs, agent, event, verdict, end, fingerprint, deed }: EventsFilter,
  before = Number.MAX_SAFE_INTEGER,
): FilterValues => [
  before,
  sinceMs,
  untilMs ?? null,
  agent ?? null,
  event ?? null,
  (end === undefined ? verdict : (verdictOf[end] ?? end)) ?? null,
  fingerprint ?? null,
  deed ?? null,
]

/** It holds where the payload, the tool or the reason fits the pattern, or where there is no pattern. */
export const textCondition = (pattern: `?${number}`): string =>
  `(${pattern} IS NULL OR tool LIKE ${pattern} ESCAPE '\\' OR reason LIKE ${pattern} ESCAPE '\\'
    OR EXISTS (SELECT 1 FROM payload WHERE payload.row = event.row AND whole LIKE ${pattern} ESCAPE '\\'))`

/** A text as a pattern of LIKE that fits every text with it inside. Null: every text is wanted. */
export const patternOf = ({ text }: EventsFilter): string | null =>
  text === undefined ? null : `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
