import type { QuietHours } from '../../core/model/hooks/entry.ts'
import type { Address } from '../../core/model/chat/push.ts'

/** News of an agent for its owners. `count`: how often it happened since the last news of this kind. */
export interface OwnerNewsItem {
  readonly kind: 'ended' | 'waits' | 'failed' | 'busy'
  readonly agent_id: string
  readonly count: number
  /** `waits`: the question. `failed`: the error. Text of the agent. */
  readonly detail?: string
  /** `busy`: how long the turn has lasted. */
  readonly minutes?: number
  /** The chat of the session. The people there see what happened by themselves, unless the agent is busy. */
  readonly address?: Address
  readonly quiet?: QuietHours
}
