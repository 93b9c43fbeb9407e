/** How many requests of each agent wait for a person, until they are answered altogether. */
export const createSeats = (max: number) => {
  const taken = new Map<string, number>()
  return (caller: string) => {
    let hasSeat = false
    const change = (by: number): void => {
      const count = (taken.get(caller) ?? 0) + by
      if (count === 0) taken.delete(caller)
      else taken.set(caller, count)
    }
    return {
      /** False: too many wait already. One request takes one seat, however often it asks. */
      sit: (): boolean => {
        if (hasSeat) return true
        if ((taken.get(caller) ?? 0) >= max) return false
        change(1)
        hasSeat = true
        return true
      },
      leave: (): void => {
        if (hasSeat) change(-1)
        hasSeat = false
      },
    }
  }
}

export type Seat = ReturnType<ReturnType<typeof createSeats>>
