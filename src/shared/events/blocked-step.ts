import type { EventName } from '../../core/model/events/event.ts'

/** A step that hooks blocked, or a turn that they ended, in the terms of a notice. */
export interface BlockedStep {
  readonly event: EventName
  readonly event_id: string
  readonly agent_id: string
  /** The name of the tool, or of the subagent. */
  readonly name?: string
  /** The beginning of the arguments, on one line. Absent when there are none. */
  readonly argument?: string
  /** The label of the hook, and its fingerprint. Without a fingerprint hookgate itself blocked the step. */
  readonly by: string
  readonly fingerprint?: string
  readonly why: string
  /** The step itself went on, and the turn ends after it. */
  readonly isOver: boolean
}
