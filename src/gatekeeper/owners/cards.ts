import { randomBytes } from 'node:crypto'
import { isAnswer, isYes, type Card, type Untaken } from '../../model/chat/card.ts'

const pressBytes = 12
const livesMs = 24 * 60 * 60 * 1000
const maxCards = 10_000
/** A card must have stood so long before an answer under it counts, in milliseconds: who taps sooner meant what stood there before. */
export const leastAgeMs = 1000

/**
 * What the buttons under cards stand for. A press is 96 random bits, good for one owner in one chat, and once where it
 * is an answer. In memory: after a restart every press is unknown, and a card must be shown again.
 */
export interface Cards {
  mint(card: Card): string
  /** A message with these buttons is about to leave, or has left: no earlier can anybody have read it. */
  left(presses: readonly string[]): void
  /** What a tap stands for, once; or why it counts for nothing. */
  take(asked: { readonly press: string; readonly owner: string; readonly chat: string }): Card | Untaken
  /** What these buttons are about, a fingerprint or `on`, was changed by somebody: none of them counts from now on. */
  forget(about: string, by: string): void
  forgetAll(): void
}

/** `hiddenBy`: the hook that hid some of what a card shows. */
export const createCards = (
  elapsedMs: () => number,
  hiddenBy: (card: {
    readonly owner: string
    readonly chat: string
    readonly fingerprint: string
  }) => string | undefined,
  leastMs = leastAgeMs,
): Cards => {
  /** By press, the oldest first. One that was used is kept, so that it can be said who did it. */
  const minted = new Map<
    string,
    Card & { readonly sinceMs: number; readonly untilMs: number; readonly usedBy?: string }
  >()
  return {
    mint: (card) => {
      const press = randomBytes(pressBytes).toString('base64url')
      minted.set(press, { ...card, sinceMs: elapsedMs(), untilMs: elapsedMs() + livesMs })
      const oldest = minted.size > maxCards ? minted.keys().next().value : undefined
      if (oldest !== undefined) minted.delete(oldest)
      return press
    },
    left: (presses) => {
      for (const press of presses) {
        const card = minted.get(press)
        if (card !== undefined) minted.set(press, { ...card, sinceMs: elapsedMs() })
      }
    },
    take: ({ press, owner, chat }) => {
      const card = minted.get(press)
      if (card === undefined) return { why: 'unknown' }
      // Of what was made for another nothing is told.
      if (card.owner !== owner || card.chat !== chat) return { why: 'elsewhere' }
      const { sinceMs, untilMs, usedBy, ...taken } = card
      const { fingerprint, place } = taken
      const about = {
        ...(fingerprint === undefined ? {} : { fingerprint }),
        ...(place === undefined ? {} : { place }),
      }
      if (usedBy !== undefined) return { why: 'used', by: usedBy, ...about }
      if (elapsedMs() >= untilMs) return { why: 'expired', ...about }
      if (isAnswer[taken.act] && elapsedMs() - sinceMs < leastMs) return { why: 'new' }
      const by =
        isYes(taken.act) && taken.fingerprint !== undefined
          ? hiddenBy({ owner, chat, fingerprint: taken.fingerprint })
          : undefined
      if (by !== undefined) return { why: 'hidden', by, ...about }
      if (isAnswer[taken.act]) minted.set(press, { ...card, usedBy: owner })
      return taken
    },
    forget: (about, by) => {
      for (const [press, card] of minted) {
        if ((card.fingerprint ?? card.act) === about && card.usedBy === undefined)
          minted.set(press, { ...card, usedBy: by })
      }
    },
    forgetAll: () => minted.clear(),
  }
}
