/** A list of listeners. They are called in the order in which they were added. */
export const createListeners = <Heard extends readonly unknown[]>() => {
  const listeners = new Set<(...heard: Heard) => void>()
  return {
    /** Adds a listener. The returned function removes it. */
    on: (listener: (...heard: Heard) => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell: (...heard: Heard): void => {
      for (const listener of listeners) listener(...heard)
    },
  }
}
