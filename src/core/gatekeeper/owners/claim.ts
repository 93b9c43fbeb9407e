/**
 * The first claim of a new gate. Until the gate has an owner, no agent runs that could read the console's
 * code.
 */
export interface Claim {
  isClaimed(): boolean
  /** The login on the console was used, so the person who reads the console owns the gate. */
  byConsole(): Promise<void>
  /**
   * Calls `begin` when the gate gets its owner, or at once when it has one. `by` is the new owner, or
   * undefined when the gate already had one. Returns a function that ends what `begin` started.
   */
  when(begin: (by: string | undefined) => void | (() => void | Promise<void>)): () => Promise<void>
}

/** `newest` returns the id of the latest owner. */
export const createClaim = (ports: {
  readonly isClaimed: () => boolean
  readonly newest: () => string | undefined
  /** Writes the owner of the console to the ledger. */
  readonly add: () => Promise<void>
  readonly onChange: (listener: () => void) => void
  /** Called once, when the gate is claimed. */
  readonly claimed: () => void
}): Claim => {
  const waiting = new Set<(by: string | undefined) => void>()
  let wasClaimed = ports.isClaimed()
  ports.onChange(() => {
    if (wasClaimed || !ports.isClaimed()) return
    wasClaimed = true
    ports.claimed()
    const by = ports.newest()
    for (const begin of waiting) begin(by)
    waiting.clear()
  })
  return {
    isClaimed: ports.isClaimed,
    byConsole: async () => {
      if (!ports.isClaimed()) await ports.add()
    },
    when: (begin) => {
      let end: void | (() => void | Promise<void>)
      const start = (by: string | undefined): void => {
        end = begin(by)
      }
      if (wasClaimed) start(undefined)
      else waiting.add(start)
      return async () => {
        waiting.delete(start)
        await end?.()
      }
    },
  }
}
