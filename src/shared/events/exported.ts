import type { Json } from '../../core/model/base/json.ts'
import type { KeptEvent } from './kept.ts'

/** A kept event as a line of an export. */
export const exported = (event: KeptEvent): string => {
  const { atMs, ...rest } = event
  return JSON.stringify({
    at: new Date(atMs).toISOString(),
    ...(rest as unknown as { [name: string]: Json }),
  })
}
