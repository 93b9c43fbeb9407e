import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isObject } from '../../core/model/base/json.ts'
import type { EventName } from '../../core/model/events/event.ts'
import type { EventsFound, EventsQuery, KeptEvent } from '../../shared/events/kept.ts'
import type { TrialScope } from '../../shared/hooks/evidence.ts'

const pageSize = 20
/** A sandbox with more mounts than this would take long to make. */
const maxFiles = 200

const filesOf = ({ payload }: KeptEvent): readonly string[] => {
  const files = payload?.['files']
  if (!Array.isArray(files)) return []
  return files.flatMap((file: unknown) => {
    const path = isObject(file) ? file['path'] : undefined
    return typeof path === 'string' ? [path] : []
  })
}

/**
 * The files of past pushes that the gate still keeps in its folder of files, those of the newest events
 * first. Rejects when the history cannot be read.
 */
export const keptFiles = async (
  events: (query: EventsQuery) => Promise<EventsFound>,
  event: EventName,
  { sinceMs, maxEvents }: TrialScope,
  folder: string,
): Promise<readonly string[]> => {
  if (event !== 'on_outbound_message') return []
  const found = new Set<string>()
  let looked = 0
  let before: number | undefined
  do {
    const page = await events({
      sinceMs,
      event,
      limit: Math.min(pageSize, maxEvents - looked),
      before,
    })
    for (const path of page.events.flatMap(filesOf)) {
      if (found.size >= maxFiles || dirname(path) !== folder || found.has(path)) continue
      const isKept = await access(path).then(
        () => true,
        () => false,
      )
      if (isKept) found.add(path)
    }
    looked += page.events.length
    before = page.next
  } while (before !== undefined && looked < maxEvents && found.size < maxFiles)
  return [...found]
}
