import { crc32, deflateSync } from 'node:zlib'

const u32 = (value: number): Buffer =>
  Buffer.from([value >>> 24, value >>> 16, value >>> 8, value].map((byte) => byte & 255))
const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data])
  return Buffer.concat([u32(data.length), body, u32(crc32(body))])
}

/** One colour, or, where `rows` is given, one that turns from top to bottom; a browser shows it. */
export const png = (
  width: number,
  height: number,
  [red, green, blue]: readonly [number, number, number] = [20, 112, 95],
  isPainted = false,
): Buffer => {
  const row = (at: number): Buffer =>
    Buffer.concat([
      Buffer.from([0]),
      Buffer.concat(
        Array.from({ length: width }, (_, x) =>
          Buffer.from([
            (red + Math.round((x / width) * 80)) & 255,
            (green + Math.round((at / height) * 90)) & 255,
            blue,
          ]),
        ),
      ),
    ])
  const pixels = isPainted
    ? Buffer.concat(Array.from({ length: height }, (_, at) => row(at)))
    : Buffer.alloc(0)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.from([8, 2, 0, 0, 0])])),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const segment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255]), data])
export const jpeg = (width: number, height: number): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, Buffer.alloc(5000)),
    segment(0xc4, Buffer.alloc(20)),
    segment(0xc2, Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 3, 0, 0, 0])),
  ])

export const gif = (width: number, height: number): Buffer =>
  Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([width & 255, width >> 8, height & 255, height >> 8]),
    Buffer.alloc(30),
  ])

/** The three kinds. */
export const webp = (width: number, height: number): readonly Buffer[] => {
  const file = (kind: string, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from('RIFF....WEBP'), Buffer.from(kind), Buffer.alloc(4), data, Buffer.alloc(20)])
  const bits = Buffer.alloc(5)
  bits[0] = 0x2f
  bits.writeUInt32LE((width - 1) | ((height - 1) << 14), 1)
  return [
    file('VP8X', Buffer.from([0, 0, 0, 0, width - 1, 0, 0, height - 1, 0, 0])),
    file('VP8 ', Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a, width, 0, height, 0])),
    file('VP8L', bits),
  ]
}

/** One red point in a format that a browser shows and the page does not. */
export const bmp = Buffer.from(
  '424d3a0000000000000036000000280000000100000001000000010018000000000004000000130b0000130b000000000000000000000000ff00',
  'hex',
)
