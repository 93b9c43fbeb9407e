import { hash } from 'node:crypto'
import type { Span } from '../span.ts'

/** The most characters of a key without an end mark. A key of 8192 bits has about 6.5 KB of text. */
const maxPemUnits = 12_000
const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
/**
 * Matches the lines of a key. Line breaks may be written as \n, and quotes of source code may be between
 * them.
 */
const body = /(?:(?:\\[nr]|[\s"',+]){0,16}[A-Za-z0-9+/=]{16,80})+/y

/** The fewest characters of a key. A header alone, as in a pattern or in prose, is not a key. */
const isKey = (inner: string): boolean => /[A-Za-z0-9+/=]{64}/.test(inner.replaceAll(/\\[nr]|[\s"',+]/g, ''))

const findPem = (text: string): readonly Span[] => {
  const found: Span[] = []
  let covered = 0
  for (const { 0: header, index } of text.matchAll(begin)) {
    if (index < covered) continue
    const from = index + header.length
    const window = text.slice(from, from + maxPemUnits)
    const ending = end.exec(window)
    body.lastIndex = 0
    const inner = ending === null ? (body.exec(window)?.[0] ?? '') : window.slice(0, ending.index)
    if (!isKey(inner)) continue
    covered = from + inner.length + (ending?.[0].length ?? 0)
    found.push({ start: index, end: covered, kind: 'private key' })
  }
  return found
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer')

/** Fewer different letters than this are a filler. A key has some 34 of them. */
const leastDifferent = 16

/** True when the last four bytes of a base58 text are the checksum of the others. */
export const isBase58Check = (text: string, bytes: number): boolean => {
  if (!/^[1-9A-HJ-NP-Za-km-z]{51,111}$/.test(text) || new Set(text).size < leastDifferent) return false
  let value = 0n
  for (const letter of text) {
    value = value * 58n + BigInt(alphabet.indexOf(letter))
  }
  const hex = value.toString(16)
  if (hex.length > bytes * 2) return false
  const data = Buffer.from(hex.padStart(bytes * 2, '0'), 'hex')
  return sha256(sha256(data.subarray(0, -4)))
    .subarray(0, 4)
    .equals(data.subarray(-4))
}

/** The beginnings of wallets' export formats, with the number of letters and of bytes of each. */
const wallets: readonly (readonly [beginning: RegExp, letters: number, bytes: number])[] = [
  [/5[HJK]|9[1-3]/g, 51, 37],
  [/K[w-z]|L[1-5]|c[M-V]/g, 52, 38],
  [/[xyztuv]prv/g, 111, 82],
]

/**
 * Finds private keys: PEM blocks, and export formats of wallets with a right checksum, whatever touches them.
 */
export const findKeys = (text: string): readonly Span[] => [
  ...findPem(text),
  ...wallets.flatMap(([beginning, letters, bytes]) =>
    Array.from(text.matchAll(beginning), ({ index }) => ({
      start: index,
      end: index + letters,
      kind: 'private key',
    })).filter(({ start, end }) => isBase58Check(text.slice(start, end), bytes)),
  ),
]
