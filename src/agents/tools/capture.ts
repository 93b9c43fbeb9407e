/** Keeps the first and the last bytes of an output of any length in bounded memory. */
export interface Capture {
  add(chunk: Buffer): void
  text(): string
}

export const createCapture = (maxBytes: number): Capture => {
  const half = Math.floor(maxBytes / 2)
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let total = 0

  const add = (chunk: Buffer): void => {
    total += chunk.length
    const room = half - head.length
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)])
    const rest = chunk.subarray(Math.max(0, room))
    if (rest.length > 0) tail = Buffer.concat([tail, rest.subarray(-half)]).subarray(-half)
  }

  const text = (): string => {
    const left = total - head.length - tail.length
    if (left === 0) return Buffer.concat([head, tail]).toString()
    // A character that was cut in two is left out on both sides.
    const start = new TextDecoder().decode(head, { stream: true })
    const whole = tail.findIndex((byte) => (byte & 0xc0) !== 0x80)
    return `${start}\n[… ${left} bytes left out …]\n${tail.subarray(Math.max(0, whole)).toString()}`
  }

  return { add, text }
}

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

/** Shortens a text to its beginning and end when it is longer than `max` UTF-16 units. */
export const cut = (text: string, max: number): string =>
  text.length <= max
    ? text
    : `${text.slice(0, max / 2).toWellFormed()}\n[…]\n${text.slice(-max / 2).toWellFormed()}`
