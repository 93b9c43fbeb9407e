/** How far a gate is between its start and its stop. */
export type Phase = 'starting' | 'started' | 'stopping'

/** What decides whether a gate works. */
export interface Standing {
  readonly phase: Phase
  /** False while another gate may have taken over the database. */
  readonly isInCharge: boolean
  readonly isInLockdown: boolean
}

/** What a gate says that waits until another one ends. */
export const waitingWords = 'This hookgate waits, because another one works on the database.'
export const startingWords = 'This hookgate is starting.'

/**
 * The reason why a gate does not work now, as one line. Undefined: it works. Anybody on this machine may read
 * it, so it names no place, no person and no cause.
 */
export const unreadyWords = ({ phase, isInCharge, isInLockdown }: Standing): string | undefined => {
  if (phase === 'starting') return startingWords
  if (phase === 'stopping') return 'This hookgate is stopping.'
  if (!isInCharge) return 'This hookgate cannot reach its database.'
  return isInLockdown ? 'This hookgate is in lockdown. Its owners know why.' : undefined
}
