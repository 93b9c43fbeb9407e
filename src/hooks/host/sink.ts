/** Holds at most `maxBytes` of a stream. Its memory is bounded by that, however small the pieces come. */
export interface Sink {
  /** False when the bytes did not all fit; what fits is kept. */
  readonly add: (chunk: Buffer) => boolean
  /** Decoded once, so that a character split over two writes is whole. */
  readonly text: () => string
}

export const createSink = (maxBytes: number): Sink => {
  let held: Buffer = Buffer.alloc(0)
  let length = 0
  return {
    add: (chunk) => {
      const part = chunk.subarray(0, maxBytes - length)
      if (length === 0) held = part
      else {
        if (length + part.length > held.length) {
          const larger = Buffer.allocUnsafe(Math.min(maxBytes, 2 * (length + part.length)))
          held.copy(larger, 0, 0, length)
          held = larger
        }
        part.copy(held, length)
      }
      length += part.length
      return part.length === chunk.length
    },
    text: () => held.toString('utf8', 0, length),
  }
}
