/** The limits of one agent program, in milliseconds and bytes. Tests make them smaller. */
export interface Limits {
  /** The time to answer `initialize`. */
  readonly initializeMs: number
  /** The time to open or resume a session. */
  readonly sessionMs: number
  /** The time in a turn without any message from the agent and without a request that we work on. */
  readonly idleMs: number
  /**
   * The time from the report that a call runs to the request for its permission. Some agents report the call
   * first.
   */
  readonly announcedMs: number
  /** The time from the cancel to the end of the turn. After it the program is killed. */
  readonly cancelMs: number
  readonly maxLineBytes: number
  /** The most bytes that the program may send in `floodMs`. */
  readonly maxFloodBytes: number
  readonly maxFloodLines: number
  readonly floodMs: number
  /** The most bytes of our messages that the program has not read. */
  readonly maxUnreadBytes: number
  /** The wait before each restart, by the number of failures without an answer between them. */
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
