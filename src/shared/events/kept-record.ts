import type { JsonObject } from '../../core/model/base/json.ts'
import type { EventRecord } from '../../core/model/events/record.ts'
import { toolOf } from '../../core/model/events/stored.ts'
import { abstain } from '../../core/model/hooks/answer.ts'
import type { KeptEvent } from './kept.ts'

/**
 * An event of the history as a record. What its hooks answered is known by a word, and its shadows are not.
 */
export const recordOf = (kept: KeptEvent): EventRecord => ({
  event_id: kept.id,
  atMs: kept.atMs,
  kind: 'event',
  subject: kept.event,
  outcome: kept.verdict,
  agent_id: kept.agent,
  session_id: kept.session,
  tool_name: kept.tool,
  ...toolOf({ ...kept.payload, ...kept.changed } as JsonObject),
  reason: kept.reason && `${kept.by ?? 'hookgate'}: ${kept.reason}`,
  hooks: kept.hooks
    .filter(({ isShadow }) => isShadow !== true)
    // Without a record, a hook had nothing to say.
    .map(({ deed, ...hook }) =>
      kept.silent === undefined
        ? { ...hook, fired: true, why: deed }
        : { ...hook, fired: true, why: 'matched', answer: abstain },
    ),
  missed: 0,
  ...kept.silent,
  durationMs: kept.durationMs,
})
