/** Keeps the last bytes of an output of any length in bounded memory. */
export interface Tail {
  add(chunk: Buffer): void
  /** The kept text, from its first whole character. */
  text(): string
  isCut(): boolean
}

export const createTail = (maxBytes: number): Tail => {
  let chunks: Buffer[] = []
  let bytes = 0
  let cut = false
  const shrink = (): void => {
    chunks = [Buffer.concat(chunks).subarray(-maxBytes)]
    bytes = chunks[0]?.length ?? 0
  }
  return {
    add: (chunk) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) cut = true
      if (bytes > 2 * maxBytes) shrink()
    },
    text: () => {
      shrink()
      const bytesLeft = chunks[0] ?? Buffer.alloc(0)
      const whole = cut ? bytesLeft.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0
      return bytesLeft.subarray(Math.max(0, whole)).toString()
    },
    isCut: () => cut,
  }
}
