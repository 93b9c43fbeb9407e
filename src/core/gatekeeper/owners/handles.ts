import { createBoundedMap } from '../../model/base/bounded-map.ts'
import type { QuestionHandle } from '../../model/chat/card.ts'
import { randomText } from './random-text.ts'

const handleLength = 5
const livesMs = 24 * 60 * 60 * 1000
const maxHandles = 10_000

/** The target of a handle: what a card or list line shows, and to whom. */
export interface HandleTarget {
  readonly owner: string
  /** The chat in which it was shown. */
  readonly chat: string
  readonly fingerprint: string
  /**
   * Everything that an approval would bind, when a message shows all of it. After it has left, typing the
   * handle approves exactly that, once.
   */
  readonly shows?: string
  /** It is on the owner's own page, where no hook can hide a part. */
  readonly isOnPage?: true
}

export type Resolved =
  /** `hiddenBy`: this hook hid a part when the target was last shown, so no approval of it counts. */
  | (Pick<HandleTarget, 'fingerprint' | 'shows'> & { readonly hiddenBy?: string })
  | { readonly why: 'unknown' | 'expired' | 'elsewhere' }

/**
 * The short names on cards and lists. They are in memory: after a restart a list must be shown again. Only
 * those of questions are stored, with the questions.
 */
export interface Handles {
  /**
   * Returns the handle of a target. A target keeps its handle while the handle is valid, and each call renews
   * it. What was shown of it stays shown, and another state of it gets another handle.
   */
  mint(target: HandleTarget): string
  resolve(asked: { readonly owner: string; readonly chat: string; readonly handle: string }): Resolved
  /**
   * Reports that a notice showed these targets, completely or with a part hidden by a hook. The last notice
   * counts, and one that shows too little for a yes (`isPart`) never undoes that something was hidden.
   * `messageId`: the messenger's id of the notice after it left. A notice with one handle is the card of that
   * handle. One with several is a list, and a reply to it would not say which of them it is about.
   */
  shown(handles: readonly string[], isPart: boolean, hiddenBy?: string, messageId?: string): void
  /** The handle of the card that a message shows to this owner in this chat, also when the handle expired. */
  onMessage(asked: {
    readonly owner: string
    readonly chat: string
    readonly messageId: string
  }): string | undefined
  /** The hook that hid a part when the target was last shown. */
  hiddenBy(target: Pick<HandleTarget, 'owner' | 'chat' | 'fingerprint'>): string | undefined
  /** The valid handle with which this was last shown to any owner. */
  lastShown(fingerprint: string): string | undefined
  /** The valid handles of a question's key, for the store. */
  ofQuestion(key: string): readonly QuestionHandle[]
  /** Makes a stored handle of a question valid again, after a restart. */
  restore(key: string, stored: QuestionHandle): void
  /** The gate changed by this fingerprint, so what was shown of it counts for no other change. */
  spend(fingerprint: string): void
  /** Invalidates the handles of this key, because what they name is over. */
  forget(fingerprint: string): void
  forgetAll(): void
}

export const createHandles = (elapsedMs: () => number): Handles => {
  /** By handle, the least recently shown first. */
  const live = new Map<string, HandleTarget & { readonly untilMs: number; readonly seen?: string }>()
  const byTarget = new Map<string, string>()
  /** By fingerprint, the handle that was shown last. */
  const newest = new Map<string, string>()
  /** The hiding hook by owner, chat and fingerprint, the oldest first. */
  const hidden = createBoundedMap<string, string>(maxHandles)
  /** The handle by owner, chat and message. */
  const byMessage = createBoundedMap<string, string>(maxHandles)
  const messageKey = (owner: string, chat: string, messageId: string): string =>
    JSON.stringify([owner, chat, messageId])
  const keyOf = ({ owner, chat, fingerprint, isOnPage }: HandleTarget): string =>
    JSON.stringify([owner, chat, fingerprint, isOnPage])

  const hiddenBy: Handles['hiddenBy'] = ({ owner, chat, fingerprint }) =>
    hidden.get(keyOf({ owner, chat, fingerprint }))

  const drop = (handle: string): void => {
    const target = live.get(handle)
    live.delete(handle)
    if (target !== undefined && byTarget.get(keyOf(target)) === handle) byTarget.delete(keyOf(target))
    if (target !== undefined && newest.get(target.fingerprint) === handle) newest.delete(target.fingerprint)
  }
  const unused = (): string => {
    const handle = randomText(handleLength)
    return live.has(handle) ? unused() : handle
  }
  return {
    mint: (target) => {
      const known = byTarget.get(keyOf(target))
      const before = known === undefined ? undefined : live.get(known)
      // Another state of the same hook gets another handle, so that an old card never approves a new state.
      const isSame =
        target.shows === undefined || before?.shows === undefined || before.shows === target.shows
      const isLive = before !== undefined && elapsedMs() < before.untilMs && isSame
      const handle = isLive && known !== undefined ? known : unused()
      const shows = target.shows ?? (isLive ? before.shows : undefined)
      live.delete(handle)
      const seen = isLive ? before.seen : undefined
      live.set(handle, { ...target, shows, seen, untilMs: elapsedMs() + livesMs })
      byTarget.set(keyOf(target), handle)
      if (target.isOnPage !== true) newest.set(target.fingerprint, handle)
      const oldest = live.keys().next().value
      if (live.size > maxHandles && oldest !== undefined) drop(oldest)
      return handle
    },
    resolve: ({ owner, chat, handle }) => {
      const target = live.get(handle.toLowerCase())
      if (target === undefined) return { why: 'unknown' }
      if (target.owner !== owner || target.chat !== chat) return { why: 'elsewhere' }
      if (elapsedMs() >= target.untilMs) return { why: 'expired' }
      const { fingerprint, seen, isOnPage } = target
      const by = isOnPage === true ? undefined : hiddenBy({ owner, chat, fingerprint })
      return { fingerprint, shows: isOnPage === true ? target.shows : seen, hiddenBy: by }
    },
    shown: (handles, isPart, hiddenBy, messageId) => {
      const [card] = handles
      const shownBy = card === undefined || handles.length > 1 ? undefined : live.get(card)
      if (card !== undefined && shownBy !== undefined && messageId !== undefined)
        byMessage.set(messageKey(shownBy.owner, shownBy.chat, messageId), card)
      for (const handle of handles) {
        const target = live.get(handle)
        if (target === undefined) continue
        const { owner, chat, fingerprint, shows } = target
        const key = keyOf({ owner, chat, fingerprint })
        if (!isPart || hiddenBy !== undefined) hidden.delete(key)
        if (hiddenBy !== undefined) hidden.set(key, hiddenBy)
        else if (!isPart) live.set(handle, { ...target, seen: shows })
      }
    },
    onMessage: ({ owner, chat, messageId }) => byMessage.get(messageKey(owner, chat, messageId)),
    hiddenBy,
    lastShown: (fingerprint) => {
      const handle = newest.get(fingerprint) ?? ''
      return elapsedMs() < (live.get(handle)?.untilMs ?? 0) ? handle : undefined
    },
    ofQuestion: (key) =>
      [...live].flatMap(([handle, { owner, chat, fingerprint }]) => {
        if (fingerprint !== key) return []
        const by = hiddenBy({ owner, chat, fingerprint })
        const messageIds = [...byMessage.entries()].flatMap(([place, card]) =>
          card === handle ? [(JSON.parse(place) as readonly [string, string, string])[2]] : [],
        )
        return [{ owner, chat, handle, messageIds, hiddenBy: by }]
      }),
    restore: (key, { owner, chat, handle, messageIds, hiddenBy: by }) => {
      const target = { owner, chat, fingerprint: key }
      if (live.has(handle)) return
      live.set(handle, { ...target, untilMs: elapsedMs() + livesMs })
      byTarget.set(keyOf(target), handle)
      if (by !== undefined) hidden.set(keyOf(target), by)
      for (const id of messageIds) byMessage.set(messageKey(owner, chat, id), handle)
    },
    spend: (fingerprint) => {
      for (const [handle, { shows: _, seen: __, ...target }] of live)
        if (target.fingerprint === fingerprint) live.set(handle, target)
    },
    forget: (fingerprint) => {
      for (const [handle, target] of live) if (target.fingerprint === fingerprint) drop(handle)
    },
    forgetAll: () => {
      live.clear()
      byTarget.clear()
      newest.clear()
    },
  }
}
