/** Keeps at most `maxBytes` of a stream. That also bounds its memory, however small the chunks are. */
export interface Sink {
  /** False when some bytes did not fit. The bytes that fit are kept. */
  readonly add: (chunk: Buffer) => boolean
  /** The kept bytes are decoded together, so that a character that is split over two writes stays whole. */
  readonly text: () => string
  readonly clear: () => void
}

const empty: Buffer = Buffer.alloc(0)

export const createSink = (maxBytes: number): Sink => {
  let held = empty
  let length = 0
  return {
    add: (chunk) => {
      const part = chunk.length <= maxBytes - length ? chunk : chunk.subarray(0, maxBytes - length)
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
    clear: () => {
      held = empty
      length = 0
    },
  }
}

/**
 * Keeps the beginning and the end of a stream, at most `maxBytes` together. The beginning shows what a
 * program does, the end why it failed.
 */
export interface HeadTailSink {
  readonly add: (chunk: Buffer) => void
  readonly text: () => string
  /** True when part of the middle is missing. */
  readonly isCut: () => boolean
}

export const createHeadTailSink = (maxBytes: number): HeadTailSink => {
  const maxTail = Math.floor(maxBytes / 2)
  const maxHead = maxBytes - maxTail
  const head = createSink(maxHead)
  let bytes = 0
  /** Twice as large as the kept tail, so that small chunks seldom move it. */
  let held: Buffer = Buffer.alloc(0)
  let length = 0
  const missing = (): number => Math.max(0, bytes - maxBytes)
  return {
    add: (chunk) => {
      head.add(chunk)
      const rest = chunk.subarray(Math.max(0, maxHead - bytes)).subarray(-maxTail)
      bytes += chunk.length
      if (rest.length === 0) return
      if (held.length === 0) held = Buffer.allocUnsafe(2 * maxTail)
      if (length + rest.length > held.length) {
        held.copyWithin(0, length - maxTail, length)
        length = maxTail
      }
      length += rest.copy(held, length)
    },
    text: () => {
      const tail = held.subarray(Math.max(0, length - maxTail), length)
      if (missing() === 0) return head.text() + tail.toString('utf8')
      return `${head.text()}\n… (${missing()} bytes) …\n${tail.toString('utf8')}`
    },
    isCut: () => missing() > 0,
  }
}
