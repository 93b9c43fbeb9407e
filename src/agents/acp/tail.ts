/** The last bytes of an output of any length, in bounded memory. */
export interface Tail {
  add(chunk: Buffer): void
  /** From the first whole character on. */
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
      const kept = chunks[0] ?? Buffer.alloc(0)
      const whole = cut ? kept.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0
      return kept.subarray(Math.max(0, whole)).toString()
    },
    isCut: () => cut,
  }
}
