/**
 * The current step of a thread, in memory that it shares with the thread that may kill it. It needs no
 * message.
 */
const maxBytes = 4096
const head = 3 * Int32Array.BYTES_PER_ELEMENT

export const stepMemory = (): SharedArrayBuffer => new SharedArrayBuffer(head + maxBytes)

/** One step at a time. `count` grows with each; a step whose count stays the same has not ended. */
export const createStep = (memory: SharedArrayBuffer) => {
  const [state, text] = [new Int32Array(memory, 0, 3), new Uint8Array(memory, head)]
  return {
    begin: (what: string): void => {
      const bytes = Buffer.from(what).subarray(0, maxBytes)
      text.set(bytes)
      Atomics.store(state, 1, bytes.length)
      Atomics.add(state, 0, 1)
    },
    end: (): void => {
      Atomics.store(state, 1, 0)
      Atomics.add(state, 0, 1)
    },
    now: (): { readonly count: number; readonly what?: string } => {
      const [count, length] = [Atomics.load(state, 0), Atomics.load(state, 1)]
      return { count, ...(length === 0 ? {} : { what: Buffer.from(text.slice(0, length)).toString() }) }
    },
  }
}
