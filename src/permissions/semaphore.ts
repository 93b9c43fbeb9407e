/** Counts how many requests of each agent wait for a person. An agent has at most `max` permits at once. */
export const createSemaphore = (max: number) => {
  const taken = new Map<string, number>()
  return (caller: string) => {
    let hasPermit = false
    const change = (by: number): void => {
      const count = (taken.get(caller) ?? 0) + by
      if (count === 0) taken.delete(caller)
      else taken.set(caller, count)
    }
    return {
      /** False: too many requests wait already. One request takes one permit, however often it asks. */
      acquire: (): boolean => {
        if (hasPermit) return true
        if ((taken.get(caller) ?? 0) >= max) return false
        change(1)
        hasPermit = true
        return true
      },
      release: (): void => {
        if (hasPermit) change(-1)
        hasPermit = false
      },
    }
  }
}

export type Permit = ReturnType<ReturnType<typeof createSemaphore>>
