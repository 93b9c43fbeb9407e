/** What one agent program may take. Tests make them smaller. */
export interface Limits {
  /** Until it answered `initialize`. */
  readonly initializeMs: number
  /** Until it opened a session, or took one up again. */
  readonly sessionMs: number
  /** In a turn, without any sign of life and with nothing asked of us. */
  readonly idleMs: number
  /** From the word that a call runs to a request for its permission: some agents say so first. */
  readonly announcedMs: number
  /** From the cancel to the end of the turn; then the program is killed. */
  readonly cancelMs: number
  readonly maxLineBytes: number
  /** In `floodMs`, before it counts as a flood. */
  readonly maxFloodBytes: number
  readonly maxFloodLines: number
  readonly floodMs: number
  /** What it does not read of ours. */
  readonly maxUnreadBytes: number
  /** The waits before a start, after so many deaths without an answer between them. */
  readonly restartAfterMs: readonly number[]
}

export const usualLimits: Limits = {
  initializeMs: 30_000,
  sessionMs: 60_000,
  idleMs: 600_000,
  announcedMs: 2_000,
  cancelMs: 5_000,
  maxLineBytes: 16 * 1024 * 1024,
  maxFloodBytes: 64 * 1024 * 1024,
  maxFloodLines: 20_000,
  floodMs: 10_000,
  maxUnreadBytes: 32 * 1024 * 1024,
  restartAfterMs: [0, 200, 1_000, 5_000, 15_000],
}
