/** A list of listeners. They are called in the order in which they were added. */
export const createListeners = <Heard extends readonly unknown[], Reply = void>() => {
  const listeners = new Set<(...heard: Heard) => Reply>()
  return {
    /** Adds a listener. The returned function removes it. */
    on: (listener: (...heard: Heard) => Reply): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    tell: (...heard: Heard): void => {
      for (const listener of listeners) listener(...heard)
    },
    /** Calls every listener, and returns their replies. */
    ask: (...heard: Heard): readonly Reply[] => Array.from(listeners, (listener) => listener(...heard)),
  }
}
