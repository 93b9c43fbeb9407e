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
