/** What this process holds after its garbage was collected, in bytes. It needs `--expose-gc`. */
export const heldHere = async (): Promise<number> => {
  globalThis.gc?.()
  // After the second collection nothing is left that only waited for its finalizer.
  await new Promise((done) => setTimeout(done, 50))
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
