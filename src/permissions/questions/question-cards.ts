import type { CardForm, Ending, OwnerSpeaking, Question, AskedCall } from '../../shared/gate/permission.ts'
import { noticeOf, type NoticeText } from '../../core/model/chat/notice.ts'
import { prose } from '../../core/model/chat/prose.ts'
import { chatKey, isSameChat, type Address } from '../../core/model/chat/push.ts'
import type { StandingCard } from './question-store.ts'
import { createRateLimit } from '../rate-limit.ts'

/** A question is shown at most so often. Beyond that, its state is told only in answers to commands. */
const maxPosts = 100

export interface CardPorts {
  /** The own chats of the people who may answer for this call. */
  chats(asked: AskedCall): readonly Address[]
  /** `delivered` is called when the notice has arrived, with the messenger's id for it where it has one. */
  notify(
    address: Address,
    said: NoticeText,
    delivered?: (messageId: string | undefined) => void,
  ): Promise<void>
  tellOwners(said: NoticeText): void
  card(question: Question, address: Address, form?: CardForm): NoticeText
  over(question: Question, ending: Ending, address: Address): NoticeText
  elapsedMs(): number
}

/** The cards of one question. */
export interface QuestionCards {
  /** The cards that were delivered. */
  standing(): readonly StandingCard[]
  /**
   * Shows the card once more, in the chat where somebody asked for it. `replaces`: the messenger's id of the
   * card that changes into it.
   */
  showAgain(address: Address, form?: CardForm, replaces?: string): void
  /** Redraws the cards for the changed question. */
  change(question: Question): void
  /**
   * Each card says how the question ended, without buttons; a messenger that can edit shows it in the place
   * of the card. The card that was answered needs no such words, since the answer takes its place.
   */
  end(ending: Ending, speaker?: OwnerSpeaking): void
}

/** The chat of the session comes first when it is an owner's own chat. */
const inOrder = (chats: readonly Address[], first: Address | undefined): readonly Address[] =>
  first === undefined
    ? chats
    : chats.toSorted((a, b) => Number(isSameChat(b, first)) - Number(isSameChat(a, first)))

/**
 * Shows a question. `delivered` is called after each card that was delivered. `stored`: its cards from before
 * a restart, which are drawn again.
 */
export type ShowQuestion = (
  question: Question,
  delivered: () => void,
  stored?: readonly StandingCard[],
) => QuestionCards

/** Shows each question once in the chat of everybody who may answer it. */
export const createQuestionCards = (ports: CardPorts): ShowQuestion => {
  const limit = createRateLimit(ports.elapsedMs)
  return (asked, delivered, stored) => {
    let question = asked
    let standing: StandingCard[] = []
    let over: { readonly ending: Ending; readonly speaker: OwnerSpeaking | undefined } | undefined
    let posts = 0
    /** By chat, the one card that is kept in sight. Undefined: it has not arrived yet. */
    const pinned = new Map<string, string | undefined>()

    const close = (
      { address, messageId }: StandingCard,
      { ending, speaker }: NonNullable<typeof over>,
    ): void => {
      const isHere = speaker !== undefined && isSameChat(speaker.address, address)
      // A messenger that cannot edit would only say it a second time, below the answer.
      if (isHere && (messageId === undefined || speaker.on_message_id === messageId)) return
      const said = noticeOf(ports.over(question, ending, address))
      void ports.notify(
        address,
        messageId === undefined ? said : { ...said, replaces: messageId, isPinned: false },
      )
    }

    const post = (address: Address, replaces?: string, form?: CardForm): boolean => {
      if (++posts > maxPosts) return false
      const shown = question
      const said = noticeOf(ports.card(shown, address, form))
      const chat = chatKey(address)
      const isPinned = !pinned.has(chat) || (replaces !== undefined && pinned.get(chat) === replaces)
      if (isPinned) pinned.set(chat, replaces)
      const place = { ...(isPinned ? { isPinned } : {}), ...(replaces === undefined ? {} : { replaces }) }
      void ports.notify(address, { ...said, ...place }, (messageId) => {
        if (isPinned) pinned.set(chat, messageId)
        // The question may have ended or changed before its card arrived.
        if (over !== undefined) close({ address, messageId }, over)
        else if (shown === question || !post(address, messageId)) {
          // A card that cannot be edited any more comes as a new message.
          const isSame = (card: StandingCard): boolean =>
            isSameChat(card.address, address) &&
            card.messageId !== undefined &&
            [replaces, messageId].includes(card.messageId)
          standing = [...standing.filter((card) => !isSame(card)), { address, messageId }]
          delivered()
        }
      })
      return true
    }

    const redraw = (cards: readonly StandingCard[]): void => {
      for (const card of cards) if (!post(card.address, card.messageId)) standing.push(card)
    }

    const turn = stored === undefined ? limit(question.caller) : undefined
    if (stored !== undefined) {
      const chats = ports.chats(question)
      const isIn = (cards: readonly StandingCard[], chat: Address): boolean =>
        cards.some(({ address }) => isSameChat(address, chat))
      redraw(stored.filter(({ address }) => chats.some((chat) => isSameChat(chat, address))))
      for (const chat of chats) if (!isIn(stored, chat)) post(chat)
    } else if (turn?.isShown === true)
      for (const address of inOrder(ports.chats(question), question.address)) post(address)
    else if (turn?.isNews === true)
      ports.tellOwners(
        prose`More tool calls of ${question.caller} wait for your decision than are shown.\n→ /asks`,
      )
    return {
      standing: () => standing,
      showAgain: (address, form, replaces) => void post(address, replaces, form),
      change: (next) => {
        question = next
        const cards = standing
        standing = []
        redraw(cards)
      },
      end: (ending, speaker) => {
        over = { ending, speaker }
        if (speaker !== undefined) turn?.answered()
        for (const card of standing) close(card, over)
      },
    }
  }
}
