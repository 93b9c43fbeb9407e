/** Whoever wants to hear of something. They are told in the order in which they came. */
export const createListeners = <Heard extends readonly unknown[]>() => {
  const listeners = new Set<(...heard: Heard) => void>()
  return {
    /** The returned function ends it. */
    on: (listener: (...heard: Heard) => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell: (...heard: Heard): void => {
      for (const listener of listeners) listener(...heard)
    },
  }
}
