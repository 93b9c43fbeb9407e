import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { historyFile } from './history.ts'
import type { EventsFound, EventsQuery } from '../shared/events/kept.ts'
import { createEvents } from './events.ts'

/** Opens the history to read it, also while the gate writes it. Undefined: there is none. */
export const readHistory = (
  home: string,
): { events(query: EventsQuery): EventsFound; close(): void } | undefined => {
  const path = historyFile(home)
  if (!existsSync(path)) return undefined
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  return { events: createEvents(db), close: () => db.close() }
}
