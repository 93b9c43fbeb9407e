/** Chance that is the same for each run (mulberry32). */
export interface Seeded {
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  /** So many of these, at least and at most, one behind the other. */
  joined(from: readonly string[], least: number, most: number): string
  letters(length: number, alphabet?: string): string
  bytes(length: number): Buffer
}

export const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const digits = '0123456789'
export const base62 = `${capitals}${capitals.toLowerCase()}${digits}`
export const base64Letters = `${base62}+/`
export const urlLetters = `${base62}_-`

export const seeded = (seed: number): Seeded => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[below(from.length)]
    if (picked === undefined) throw new Error('Expected something to pick from, got nothing.')
    return picked
  }
  return {
    below,
    pick,
    joined: (from, least, most) =>
      Array.from({ length: least + below(most - least + 1) }, () => pick(from)).join(''),
    letters: (length, alphabet = base62) =>
      Array.from({ length }, () => alphabet[below(alphabet.length)]).join(''),
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
