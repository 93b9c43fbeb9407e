/** The gate's first moments: nobody owns it yet, and no agent runs that could read the console's code. */
export interface Claim {
  isClaimed(): boolean
  /** The console's login was used: whoever reads the console owns the gate. */
  byConsole(): void
  /** Begins something once the gate has an owner, at once when it has. `by` is who claimed it, if it was just now. Returns what ends it. */
  when(begin: (by: string | undefined) => void | (() => void | Promise<void>)): () => Promise<void>
}

/** `newest` names whoever became an owner last. */
export const createClaim = (ports: {
  readonly isClaimed: () => boolean
  readonly newest: () => string | undefined
  /** Writes that the console's owner is there. */
  readonly add: () => void
  readonly onChange: (listener: () => void) => void
  /** Once, when the gate is claimed. */
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
    byConsole: () => {
      if (!ports.isClaimed()) ports.add()
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
