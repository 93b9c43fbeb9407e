/** A tone of so many seconds that a browser plays. */
export const wav = (seconds: number): Buffer => {
  const rate = 8000
  const samples = Buffer.alloc(rate * seconds)
  for (let at = 0; at < samples.length; at++)
    samples[at] = 128 + Math.round(90 * Math.sin((at / rate) * 440 * 2 * Math.PI))
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}
