import { randomBytes } from 'node:crypto'
import { isAnswer, isYes, type Card, type IgnoredTap, type AnswerWays } from '../../model/chat/card.ts'

const pressBytes = 12
const livesMs = 24 * 60 * 60 * 1000
const maxCards = 10_000
/**
 * The age that a card must have before an answer under it counts, in milliseconds. An earlier tap was
 * probably meant for the message shown there before.
 */
export const leastAgeMs = 1000

/**
 * The meanings of the buttons under cards. A press is 96 random bits, valid for one owner in one chat, and an
 * answer is valid once. Presses are in memory: after a restart each one is unknown, and the card must be
 * shown again. Only those of questions are stored, with the questions.
 */
export interface Cards {
  mint(card: Card): string
  /**
   * Reports that a message with these buttons is being sent or was sent. The age of the card starts now,
   * because nobody can have read it earlier.
   */
  left(presses: readonly string[]): void
  /** Returns the card of a press, or the reason why the press does not count. An answer is used up. */
  take(asked: { readonly press: string; readonly owner: string; readonly chat: string }): Card | IgnoredTap
  /** Returns the card of a press without using it. Undefined when a tap on it would no longer count. */
  peek(press: string): Card | undefined
  /** Invalidates the buttons of a fingerprint or of `on`, because the owner `by` changed it. */
  forget(about: string, by: string): void
  forgetAll(): void
  /** The unused presses of a question's key, for the store. */
  ofQuestion(key: string): AnswerWays['buttons']
  /** Makes a stored press of a question valid again, after a restart. Its card was read before. */
  restore(press: string, card: Card): void
}

/** `hiddenBy` returns the hook that hid a part of what a card shows. */
export const createCards = (
  elapsedMs: () => number,
  hiddenBy: (card: {
    readonly owner: string
    readonly chat: string
    readonly fingerprint: string
  }) => string | undefined,
  leastMs = leastAgeMs,
): Cards => {
  /** By press, the oldest first. A used press is kept, so that a later tap can be told who used it. */
  const admitted = new Map<
    string,
    Card & { readonly sinceMs: number; readonly untilMs: number; readonly usedBy?: string }
  >()
  return {
    mint: (card) => {
      const press = randomBytes(pressBytes).toString('base64url')
      admitted.set(press, { ...card, sinceMs: elapsedMs(), untilMs: elapsedMs() + livesMs })
      const oldest = admitted.size > maxCards ? admitted.keys().next().value : undefined
      if (oldest !== undefined) admitted.delete(oldest)
      return press
    },
    left: (presses) => {
      for (const press of presses) {
        const card = admitted.get(press)
        if (card !== undefined) admitted.set(press, { ...card, sinceMs: elapsedMs() })
      }
    },
    take: ({ press, owner, chat }) => {
      const card = admitted.get(press)
      if (card === undefined) return { why: 'unknown' }
      // The reason reveals nothing about the card of another owner.
      if (card.owner !== owner || card.chat !== chat) return { why: 'elsewhere' }
      const { sinceMs, untilMs, usedBy, ...taken } = card
      const about = { fingerprint: taken.fingerprint, place: taken.place }
      if (usedBy !== undefined) return { why: 'used', by: usedBy, ...about }
      if (elapsedMs() >= untilMs) return { why: 'expired', ...about }
      if (isAnswer(taken.act) && elapsedMs() - sinceMs < leastMs) return { why: 'new' }
      const by =
        isYes(taken.act) && taken.fingerprint !== undefined
          ? hiddenBy({ owner, chat, fingerprint: taken.fingerprint })
          : undefined
      if (by !== undefined) return { why: 'hidden', by, ...about }
      if (isAnswer(taken.act)) admitted.set(press, { ...card, usedBy: owner })
      return taken
    },
    peek: (press) => {
      const card = admitted.get(press)
      return card === undefined || card.usedBy !== undefined || elapsedMs() >= card.untilMs ? undefined : card
    },
    forget: (about, by) => {
      for (const [press, card] of admitted) {
        if ((card.fingerprint ?? card.act) === about && card.usedBy === undefined)
          admitted.set(press, { ...card, usedBy: by })
      }
    },
    forgetAll: () => admitted.clear(),
    ofQuestion: (key) =>
      [...admitted].flatMap(([press, known]) => {
        if (known.fingerprint !== key || known.usedBy !== undefined) return []
        const { sinceMs: _, untilMs: __, ...card } = known
        return [{ press, card }]
      }),
    restore: (press, card) => {
      if (!admitted.has(press))
        admitted.set(press, { ...card, sinceMs: -Infinity, untilMs: elapsedMs() + livesMs })
    },
  }
}
