import type { DatabaseSync } from 'node:sqlite'
import type { EventsFilter, EventsFound, EventsQuery, HistoryStats } from '../model/events/kept.ts'
import { createEvents } from './events.ts'
import { createStats } from './stats.ts'

/** A question to the thread of the history, as plain data. */
export type HistoryQuestion =
  | { readonly about: 'events'; readonly query: EventsQuery }
  | { readonly about: 'stats'; readonly query: EventsFilter }

export type HistoryAnswer = EventsFound | Omit<HistoryStats, 'missed'>

/** Answers every question about the file. The returned function may throw what SQLite throws. */
export const createAnswers = (
  db: DatabaseSync,
  now: () => number,
): ((question: HistoryQuestion) => HistoryAnswer | Promise<HistoryAnswer>) => {
  const events = createEvents(db)
  const stats = createStats(db, now)
  return (question) => (question.about === 'events' ? events(question.query) : stats(question.query))
}
