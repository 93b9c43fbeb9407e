/**
 * What a gate says of itself while it waits to take over counts for so long, in milliseconds. A receipt waits
 * no longer for it.
 */
export const standbySaidMs = 2000

/** A gate that waits to take over, as it says of itself. */
export interface Standby {
  /** The gate, in words. */
  readonly holder: string
  readonly version: string
  /** The number of lines of the ledger that it has not seen yet. */
  readonly behind: number
  /** What is wrong with the ledger as it sees it. Null: nothing is. */
  readonly why: string | null
}
