/**
 * Runs one piece of work after another, in the order in which they came. Each caller gets what became of its
 * own work. Work that fails stops none of the later work.
 */
export const createMutex = (): (<T>(work: () => T | Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
