import type { Address } from './push.ts'

/** The hours without notices, such as `22:00-07:00`: for all owners, or by the owner's id. */
export type QuietHours = string | Readonly<Record<string, string>>

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
