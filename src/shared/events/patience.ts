import type { Step } from '../../core/model/events/step.ts'

/** An event without its context. */
export type Happening = Pick<Step, 'event' | 'fields'>
/** How long a caller waits for a person. */
export interface Patience {
  /**
   * How long it waits for a person's decision on a tool call, in milliseconds. Absent: it does not wait and
   * gets `ask`.
   */
  readonly askMs?: number
  /** Aborted when the caller is gone. */
  readonly signal?: AbortSignal
  /** Called when it starts to wait for a person. Such a call does not count as in flight. */
  waits?(): void
  /** It takes the answers of a person to the questions of an agent. */
  readonly takesAnswers?: true
  /** It can ask the person the questions of an agent itself, where that person sits. */
  readonly canAskItself?: true
  /** It can run the call with changed arguments. */
  readonly takesChange?: true
}

/** How a caller wants its event handled. */
export interface FireOptions extends Pick<Step, 'deadlineMs' | 'chain'>, Patience {
  /** The caller can end and make the same call again later. */
  readonly canPark?: true
}
