import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A person needs at most this long to find their device and to be recognised by it, in milliseconds. */
const livesMs = 3 * 60_000
const randomSize = 16
const timeSize = 6
const proofSize = 32
const size = randomSize + timeSize + proofSize
/**
 * The number of used challenges that are remembered. Only a good answer of a registered passkey uses one, so
 * no stranger can fill this memory.
 */
const maxUsed = 10_000

/**
 * The challenges that a passkey has to sign. Nothing is stored for one that is not used, so a flood of
 * requests takes no memory and pushes out nobody's challenge.
 */
export interface Challenges {
  /** Makes a challenge for one purpose. */
  mint(purpose: string): Uint8Array<ArrayBuffer>
  /** True when this challenge was made for this purpose, a short time ago, and was not used. */
  isGood(challenge: string, purpose: string): boolean
  /** Uses a challenge up. False when it was used before. */
  spend(challenge: string): boolean
}

export const createChallenges = (now: () => number): Challenges => {
  const key = randomBytes(32)
  /** By challenge, when it ends. The oldest come first. */
  const used = new Map<string, number>()
  const proofOf = (head: Buffer, purpose: string): Buffer =>
    createHmac('sha256', key).update(head).update(purpose).digest()
  return {
    mint: (purpose) => {
      const head = Buffer.alloc(randomSize + timeSize)
      randomBytes(randomSize).copy(head)
      head.writeUIntBE(now() + livesMs, randomSize, timeSize)
      return new Uint8Array(Buffer.concat([head, proofOf(head, purpose)]))
    },
    isGood: (challenge, purpose) => {
      const bytes = Buffer.from(challenge, 'base64url')
      if (bytes.length !== size || bytes.toString('base64url') !== challenge || used.has(challenge))
        return false
      const head = bytes.subarray(0, randomSize + timeSize)
      return (
        timingSafeEqual(bytes.subarray(head.length), proofOf(head, purpose)) &&
        head.readUIntBE(randomSize, timeSize) > now()
      )
    },
    spend: (challenge) => {
      for (const [old, untilMs] of used) {
        if (untilMs > now() && used.size < maxUsed) break
        used.delete(old)
      }
      if (used.has(challenge)) return false
      used.set(challenge, now() + livesMs)
      return true
    },
  }
}
