import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSealer, pieceBytes, unseal } from '../../src/backup/sealed-file.ts'
import { ProblemError } from '../../src/core/model/gate/problem.ts'

/** The least that a file may ask for, so that the tests are fast. */
const cost = 2 ** 14
const passphrase = 'six words that nobody knows'

const seal = (content: Uint8Array, ...cuts: readonly number[]): Buffer => {
  const parts: Buffer[] = []
  const sealer = createSealer(passphrase, (bytes) => void parts.push(Buffer.from(bytes)), cost)
  let from = 0
  for (const to of [...cuts, content.length]) {
    sealer.write(content.subarray(from, to))
    from = to
  }
  sealer.end()
  return Buffer.concat(parts)
}
const open = (file: Buffer, words = passphrase): Buffer =>
  Buffer.concat([
    ...unseal({ size: file.length, read: (at, length) => file.subarray(at, at + length) }, words),
  ])
const codeOf = (file: Buffer, words = passphrase): string => {
  try {
    open(file, words)
    return 'none'
  } catch (error) {
    if (error instanceof ProblemError) return error.problem.code
    throw error
  }
}
const headLength = (file: Buffer): number => file.indexOf('\n', file.indexOf('\n') + 1) + 1

test.each([0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes, 3 * pieceBytes + 7])(
  '%i bytes come back as they were, however they were written',
  (length) => {
    const content = randomBytes(length)
    expect(open(seal(content)).equals(content)).toBe(true)
    const inParts = seal(content, Math.floor(length / 3), Math.floor(length / 2))
    expect(open(inParts).equals(content)).toBe(true)
  },
)

test('nothing of the content can be read in the file, and the same content is another file each time', () => {
  const content = Buffer.from('the key of the ledger '.repeat(100))
  const [one, two] = [seal(content), seal(content)]
  expect(one.includes('ledger')).toBe(false)
  expect(one.subarray(headLength(one)).equals(two.subarray(headLength(two)))).toBe(false)
})

test('a wrong passphrase, a cut file, a damaged one, a foreign one and a newer form are told apart', () => {
  const file = seal(randomBytes(2 * pieceBytes + 100))
  const at = headLength(file)
  const flipped = (place: number): Buffer => {
    const copy = Buffer.from(file)
    copy[place] = (copy[place] ?? 0) ^ 1
    return copy
  }
  expect(codeOf(file, 'six words that somebody knows')).toBe('backup.passphrase')
  for (const length of [at - 1, at, at + 1, at + pieceBytes + 16, file.length - 25, file.length - 1])
    expect(codeOf(file.subarray(0, length))).toBe('backup.cut')
  for (const place of [20, 60, at - 100]) expect(codeOf(flipped(place)), String(place)).toBe('backup.damaged')
  for (const place of [at, at + pieceBytes, at + pieceBytes + 20, file.length - 40])
    expect(codeOf(flipped(place)), String(place)).toBe('backup.damaged')
  expect(codeOf(Buffer.from('another file'))).toBe('backup.foreign')
  expect(codeOf(Buffer.alloc(0))).toBe('backup.foreign')
  expect(codeOf(Buffer.from(file.toString('latin1').replace('backup 1 ', 'backup 2 '), 'latin1'))).toBe(
    'backup.version',
  )
})

test('pieces that are swapped, left out, doubled or appended are damage', () => {
  const file = seal(randomBytes(3 * pieceBytes))
  const [at, size, end] = [headLength(file), pieceBytes + 16, '\nend of hookgate backup\n']
  const piece = (index: number): Buffer => file.subarray(at + index * size, at + (index + 1) * size)
  const of = (...pieces: readonly Buffer[]): Buffer =>
    Buffer.concat([file.subarray(0, at), ...pieces, Buffer.from(end)])
  const [a, b, c] = [piece(0), piece(1), piece(2)]
  expect(codeOf(of(a, b, c))).toBe('none')
  for (const some of [[b, a, c], [a, c], [a, b], [a, a, b, c], [a, b, c, c], [c]])
    expect(codeOf(of(...some))).toBe('backup.damaged')
})

test('what a file asks for is bounded before any work is done', () => {
  const file = seal(Buffer.from('x'))
  const line = file.toString('latin1').split('\n')[0] ?? ''
  const asking = async (changed: string): Promise<string> => {
    const { createHash } = await import('node:crypto')
    const sum = createHash('sha256').update(`${changed}\n`).digest('hex')
    return codeOf(
      Buffer.concat([Buffer.from(`${changed}\n${sum} ${'0'.repeat(64)}\n`), file.subarray(headLength(file))]),
    )
  }
  return Promise.all(
    ['1099511627776', '0', '-1', '16385', '"x"', '1e99', '8192'].map(async (value) =>
      expect(await asking(line.replace(/"cost":\d+/, `"cost":${value}`)), value).toBe('backup.damaged'),
    ),
  )
})
